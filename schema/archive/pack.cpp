#include <archive.h>
#include <archive_entry.h>
#include <array>
#include <cerrno>
#include <climits>
#include <dirent.h>
#include <fcntl.h>
#include <map>
#include <memory>
#include <unistd.h>

#include <sys/stat.h>

#include "schema/archive/archive.hpp"
#include "schema/archive/folder.hpp"
#include "schema/archive/library.hpp"
#include "schema/model/error.hpp"

namespace vigil::archive {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t fixed_time_s = 315'532'800;  // 1980-01-01: the first that zip can hold
constexpr std::size_t max_depth = 200;

[[noreturn]] void refuse_to_pack(const std::string& why) {
    throw Error(Errc::invalid_argument, why);
}

struct Item {
    PathParts parts;
    mode_t mode = 0;
    std::int64_t size = 0;
    std::string target;  ///< of a link
};

/// What is to be packed, by path: sorted, and each once however the outputs overlap.
class Listing {
  public:
    Listing(int root, const ArchiveLimits& limits) : root_(root), limits_(limits) {}

    void add(const std::string& output) {
        const auto parts = split_path(output, limits_.max_path);
        if (parts.empty()) return add_folder(parts);
        const auto parent = open_below(root_, {parts.begin(), parts.end() - 1}, Missing::refuse);
        add_at(parent.get(), parts);
    }

    const std::map<std::string, Item>& items() const { return items_; }

  private:
    void add_folder(const PathParts& parts) {
        if (parts.size() > max_depth)
            refuse_to_pack(printable(join_path(parts)) + " lies too deep");
        const auto folder = open_below(root_, parts, Missing::refuse);
        const std::unique_ptr<DIR, int (*)(DIR*)> stream(
            ::fdopendir(::dup(folder.get())), &::closedir);
        if (!stream) throw_system("reading the folder " + printable(join_path(parts)), errno);
        while (const dirent* found = ::readdir(stream.get())) {
            const std::string name = found->d_name;
            if (name == "." || name == "..") continue;
            auto inner = parts;
            inner.push_back(name);
            add_at(folder.get(), inner);
        }
    }

    void add_at(int parent, const PathParts& parts) {
        const auto name = join_path(parts);
        struct stat status {};
        if (::fstatat(parent, parts.back().c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
            if (errno == ENOENT) refuse_to_pack("there is no \"" + printable(name) + "\"");
            throw_system("looking at " + printable(name), errno);
        }
        Item item{.parts = parts, .mode = status.st_mode, .size = status.st_size, .target = ""};
        if (S_ISLNK(status.st_mode)) {
            item.target = target_of(parent, parts);
        } else if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
            refuse_to_pack(printable(name) + " is neither a file, nor a folder, nor a link");
        }
        items_.insert_or_assign(name, std::move(item));
        if (static_cast<std::int64_t>(items_.size()) > limits_.max_entries) {
            refuse_to_pack(
                "there are more than " + std::to_string(limits_.max_entries) + " entries");
        }
        if (S_ISDIR(status.st_mode)) add_folder(parts);
    }

    static std::string target_of(int parent, const PathParts& parts) {
        std::array<char, PATH_MAX> buffer{};
        const auto size = ::readlinkat(parent, parts.back().c_str(), buffer.data(), buffer.size());
        if (size < 0) throw_system("reading the link " + printable(join_path(parts)), errno);
        std::string target(buffer.data(), static_cast<std::size_t>(size));
        if (!link_stays_inside(parts, target)) {
            refuse_to_pack(
                "the link " + printable(join_path(parts)) + " -> " + printable(target) +
                " leads outside; let the recipe copy what it needs");
        }
        return target;
    }

    int root_;
    ArchiveLimits limits_;
    std::map<std::string, Item> items_;
};

class Writer {
  public:
    explicit Writer(const fs::path& target) : handle_(archive_write_new()) {
        archive_write_set_format_pax_restricted(handle_.get());
        archive_write_set_bytes_in_last_block(handle_.get(), 1);
        if (archive_write_open_filename(handle_.get(), target.c_str()) != ARCHIVE_OK) fail();
    }

    void add(int root, const Item& item) {
        const EntryHandle entry(archive_entry_new());
        archive_entry_set_pathname(entry.get(), join_path(item.parts).c_str());
        archive_entry_set_mtime(entry.get(), fixed_time_s, 0);
        archive_entry_set_uid(entry.get(), 0);
        archive_entry_set_gid(entry.get(), 0);
        if (S_ISDIR(item.mode)) {
            archive_entry_set_filetype(entry.get(), AE_IFDIR);
            archive_entry_set_perm(entry.get(), 0755);
        } else if (S_ISLNK(item.mode)) {
            archive_entry_set_filetype(entry.get(), AE_IFLNK);
            archive_entry_set_perm(entry.get(), 0777);
            archive_entry_set_symlink(entry.get(), item.target.c_str());
        } else {
            archive_entry_set_filetype(entry.get(), AE_IFREG);
            archive_entry_set_perm(entry.get(), (item.mode & 0100) != 0 ? 0755 : 0644);
            archive_entry_set_size(entry.get(), item.size);
        }
        if (archive_write_header(handle_.get(), entry.get()) < ARCHIVE_WARN) fail();
        if (S_ISREG(item.mode)) copy(root, item);
    }

    void close() {
        if (archive_write_close(handle_.get()) != ARCHIVE_OK) fail();
    }

  private:
    void copy(int root, const Item& item) {
        const auto name = printable(join_path(item.parts));
        const auto parent =
            open_below(root, {item.parts.begin(), item.parts.end() - 1}, Missing::refuse);
        const Descriptor in(::openat(
            parent.get(),
            item.parts.back().c_str(),
            O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
        if (!in) throw_system("opening " + name, errno);
        std::array<char, 128 * 1024> buffer;
        for (std::int64_t left = item.size;;) {
            const auto got = ::read(in.get(), buffer.data(), buffer.size());
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) throw_system("reading " + name, errno);
            left -= got;
            if (left < 0 || (got == 0 && left != 0))
                refuse_to_pack(name + " changes while it is packed");
            if (got == 0) return;
            const auto size = static_cast<std::size_t>(got);
            if (archive_write_data(handle_.get(), buffer.data(), size) != got) fail();
        }
    }

    [[noreturn]] void fail() {
        throw Error(Errc::unavailable, "writing it failed: " + reason_of(handle_.get()));
    }

    ArchiveHandle handle_;
};

}  // namespace

ArchiveSummary pack_folder(
    const fs::path& root,
    const std::vector<std::string>& outputs,
    const fs::path& target,
    const ArchiveLimits& limits) {
    const Utf8Locale utf8;
    const auto folder = open_folder(root);
    try {
        if (outputs.empty()) refuse_to_pack("no outputs are named");
        Listing listing(folder.get(), limits);
        for (const auto& output : outputs) listing.add(output);
        ArchiveSummary summary;
        for (const auto& [name, item] : listing.items()) {
            ++summary.entries;
            if (S_ISREG(item.mode)) summary.bytes += item.size;
        }
        if (summary.entries == 0) refuse_to_pack("the outputs are empty");
        if (summary.bytes > limits.max_bytes) {
            refuse_to_pack(
                "the outputs hold more than " + std::to_string(limits.max_bytes) + " bytes");
        }
        Writer writer(target);
        for (const auto& [name, item] : listing.items()) writer.add(folder.get(), item);
        writer.close();
        return summary;
    } catch (const Error& error) {
        std::error_code ignored;
        fs::remove(target, ignored);
        throw Error(error.code(), std::string("packing the outputs: ") + error.what());
    }
}

}  // namespace vigil::archive
