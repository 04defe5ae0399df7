#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <unistd.h>

#include <sys/stat.h>

#include "schema/archive/archive.hpp"
#include "schema/archive/folder.hpp"
#include "schema/archive/library.hpp"
#include "schema/model/error.hpp"

namespace vigil::archive {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t free_bytes = std::int64_t{16} << 20;

[[noreturn]] void refuse_to_unpack(const std::string& why) {
    throw Error(Errc::invalid_argument, why);
}

/// Where entries go: below a folder, or nowhere when only checking.
class Sink {
  public:
    explicit Sink(std::optional<Descriptor> root) : root_(std::move(root)) {}

    void folder(const PathParts& parts) {
        if (root_) open_below(root_->get(), parts, Missing::make);
    }

    /// @return the file to write, none when checking
    Descriptor file(const PathParts& parts, int mode) {
        if (!root_) return {};
        const auto parent = parent_of(parts);
        Descriptor out(::openat(
            parent.get(),
            parts.back().c_str(),
            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
            0600));
        if (!out) throw_system("making the file " + printable(join_path(parts)), errno);
        if (::fchmod(out.get(), static_cast<mode_t>(mode)) != 0) {
            throw_system("setting the mode of " + printable(join_path(parts)), errno);
        }
        return out;
    }

    void link(const PathParts& parts, const std::string& target) {
        if (!root_) return;
        const auto parent = parent_of(parts);
        if (::symlinkat(target.c_str(), parent.get(), parts.back().c_str()) != 0) {
            throw_system("making the link " + printable(join_path(parts)), errno);
        }
    }

    void hard_link(const PathParts& parts, const PathParts& target) {
        if (!root_) return;
        const auto parent = parent_of(parts);
        const auto from = parent_of(target);
        struct stat status {};
        if (::fstatat(from.get(), target.back().c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(status.st_mode)) {
            refuse_to_unpack(
                "a hard link to " + printable(join_path(target)) + ", which is not its file");
        }
        if (::linkat(from.get(), target.back().c_str(), parent.get(), parts.back().c_str(), 0) !=
            0) {
            throw_system("making the hard link " + printable(join_path(parts)), errno);
        }
    }

  private:
    Descriptor parent_of(const PathParts& parts) {
        return open_below(root_->get(), {parts.begin(), parts.end() - 1}, Missing::make);
    }

    std::optional<Descriptor> root_;
};

/// One archive being read, with what it has used of its limits.
class Reader {
  public:
    Reader(const fs::path& file, const ArchiveLimits& limits) : limits_(limits) {
        std::error_code error;
        packed_ = static_cast<std::int64_t>(fs::file_size(file, error));
        if (error) throw Error(Errc::not_found, "it cannot be opened: " + error.message());
        if (packed_ == 0) refuse_to_unpack("it is empty");
        handle_ =
            open_archive(file, "it is no archive we read (tar, tar.gz, tar.xz, tar.zst, zip)");
    }

    ArchiveSummary read_into(Sink& sink) {
        struct archive_entry* entry = nullptr;
        for (;;) {
            const int status = archive_read_next_header(handle_.get(), &entry);
            if (status == ARCHIVE_EOF) break;
            if (status < ARCHIVE_WARN) refuse_to_unpack("it is damaged: " + reason());
            if (++summary_.entries > limits_.max_entries) {
                refuse_to_unpack(
                    "it has more than " + std::to_string(limits_.max_entries) + " entries");
            }
            take(entry, sink);
        }
        if (summary_.entries == 0) refuse_to_unpack("it holds nothing");
        return summary_;
    }

  private:
    std::string reason() const { return reason_of(handle_.get()); }

    static std::string name_of(const char* bytes, const char* utf8) {
        return bytes != nullptr ? bytes : utf8 != nullptr ? utf8 : "";
    }

    void take(struct archive_entry* entry, Sink& sink) {
        const auto name =
            name_of(archive_entry_pathname(entry), archive_entry_pathname_utf8(entry));
        const auto parts = split_path(name, limits_.max_path);
        if (archive_entry_is_encrypted(entry) != 0)
            refuse_to_unpack(printable(name) + " is encrypted");
        const auto hard =
            name_of(archive_entry_hardlink(entry), archive_entry_hardlink_utf8(entry));
        if (parts.empty() && archive_entry_filetype(entry) != AE_IFDIR) {
            refuse_to_unpack("the path \"" + printable(name) + "\" names no file");
        }
        if (!hard.empty()) return take_hard_link(parts, hard, entry, sink);
        switch (archive_entry_filetype(entry)) {
            case AE_IFDIR: return sink.folder(parts);
            case AE_IFREG: return take_file(parts, entry, sink);
            case AE_IFLNK: return take_link(parts, entry, sink);
            default:
                refuse_to_unpack(printable(name) + " is neither a file, nor a folder, nor a link");
        }
    }

    void take_link(const PathParts& parts, struct archive_entry* entry, Sink& sink) {
        const auto target =
            name_of(archive_entry_symlink(entry), archive_entry_symlink_utf8(entry));
        if (static_cast<std::int64_t>(target.size()) > limits_.max_path ||
            !link_stays_inside(parts, target)) {
            refuse_to_unpack(
                "the link " + printable(join_path(parts)) + " -> " + printable(target) +
                " does not surely stay inside");
        }
        sink.link(parts, target);
    }

    void take_hard_link(
        const PathParts& parts, const std::string& to, struct archive_entry* entry, Sink& sink) {
        const auto target = split_path(to, limits_.max_path);
        if (target.empty()) refuse_to_unpack("a hard link to the root");
        if (archive_entry_size_is_set(entry) != 0 && archive_entry_size(entry) > 0) {
            refuse_to_unpack(
                "the hard link " + printable(join_path(parts)) + " carries content of its own");
        }
        sink.hard_link(parts, target);
    }

    void take_file(const PathParts& parts, struct archive_entry* entry, Sink& sink) {
        const bool runs = (archive_entry_perm(entry) & 0100) != 0;
        const Descriptor out = sink.file(parts, runs ? 0755 : 0644);
        if (archive_entry_size_is_set(entry) != 0) allow(archive_entry_size(entry), parts);
        const void* block = nullptr;
        std::size_t size = 0;
        la_int64_t offset = 0;
        std::int64_t end = 0;
        for (;;) {
            const int status = archive_read_data_block(handle_.get(), &block, &size, &offset);
            if (status == ARCHIVE_EOF) break;
            if (status != ARCHIVE_OK) {
                refuse_to_unpack(
                    "it is damaged at " + printable(join_path(parts)) + ": " + reason());
            }
            if (offset < end) refuse_to_unpack("it is damaged at " + printable(join_path(parts)));
            end = offset + static_cast<std::int64_t>(size);
            allow(end, parts);
            if (out) write(out.get(), block, size, offset, parts);
        }
        if (archive_entry_size_is_set(entry) != 0) end = std::max(end, archive_entry_size(entry));
        if (out) finish(out.get(), end, entry, parts);
        summary_.bytes += end;
    }

    /// Refuses a file that reaches `end` bytes when that is above a limit, before it is written.
    void allow(std::int64_t end, const PathParts& parts) const {
        if (end < 0 || end > limits_.max_bytes - summary_.bytes) {
            refuse_to_unpack(
                "with " + printable(join_path(parts)) + " it holds more than " +
                std::to_string(limits_.max_bytes) + " bytes");
        }
        const auto total = summary_.bytes + end;
        if (total > free_bytes && total / limits_.max_ratio > packed_) {
            refuse_to_unpack(
                "it grows to more than " + std::to_string(limits_.max_ratio) +
                " times its size at " + printable(join_path(parts)));
        }
    }

    static void write(
        int out, const void* block, std::size_t size, std::int64_t offset, const PathParts& parts) {
        const char* at = static_cast<const char*>(block);
        while (size > 0) {
            const auto wrote = ::pwrite(out, at, size, offset);
            if (wrote < 0 && errno == EINTR) continue;
            if (wrote <= 0) throw_system("writing " + printable(join_path(parts)), errno);
            at += wrote;
            offset += wrote;
            size -= static_cast<std::size_t>(wrote);
        }
    }

    static void finish(
        int out, std::int64_t size, struct archive_entry* entry, const PathParts& parts) {
        if (::ftruncate(out, size) != 0) {
            throw_system("sizing " + printable(join_path(parts)), errno);
        }
        constexpr la_int64_t latest = la_int64_t{1} << 33;  // far from what file systems refuse
        const auto stamp =
            static_cast<time_t>(std::clamp<la_int64_t>(archive_entry_mtime(entry), 0, latest));
        const timespec times[2] = {{stamp, 0}, {stamp, 0}};
        ::futimens(out, times);
    }

    ArchiveLimits limits_;
    ArchiveHandle handle_;
    std::int64_t packed_ = 0;
    ArchiveSummary summary_;
};

ArchiveSummary read(
    const fs::path& file,
    const ArchiveLimits& limits,
    std::optional<Descriptor> root,
    const char* verb) {
    VIGIL_ASSERT(limits.max_bytes > 0 && limits.max_entries > 0 && limits.max_ratio > 0);
    const Utf8Locale utf8;
    try {
        Sink sink(std::move(root));
        return Reader(file, limits).read_into(sink);
    } catch (const Error& error) {
        throw Error(
            error.code(), std::string(verb) + " " + file.filename().string() + ": " + error.what());
    }
}

}  // namespace

ArchiveSummary check(const fs::path& file, const ArchiveLimits& limits) {
    return read(file, limits, std::nullopt, "checking");
}

ArchiveSummary unpack(const fs::path& file, const fs::path& folder, const ArchiveLimits& limits) {
    if (fs::exists(fs::symlink_status(folder))) {
        throw Error(Errc::conflict, "unpacking into " + folder.string() + ": it exists already");
    }
    const fs::path partial = folder.string() + ".partial";
    std::error_code error;
    fs::remove_all(partial, error);  // of an attempt that was killed
    if (!fs::create_directory(partial, error)) {
        throw Error(
            Errc::unavailable, "making the folder " + partial.string() + ": " + error.message());
    }
    try {
        fs::permissions(partial, fs::perms(0755));
        const auto summary = read(file, limits, open_folder(partial), "unpacking");
        fs::rename(partial, folder);
        return summary;
    } catch (const fs::filesystem_error& failure) {
        fs::remove_all(partial, error);
        throw Error(Errc::unavailable, std::string("unpacking: ") + failure.what());
    } catch (...) {
        fs::remove_all(partial, error);
        throw;
    }
}

}  // namespace vigil::archive
