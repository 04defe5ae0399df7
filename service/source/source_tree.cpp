#include "service/source/source_tree.hpp"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>

#include "schema/archive/library.hpp"
#include "schema/archive/path_rules.hpp"
#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"
#include "schema/wire/digest.hpp"
#include "service/source/git_library.hpp"
#include "service/source/temporary_file.hpp"
#include "service/source/words.hpp"
#include "service/store/content_store.hpp"

namespace vigil::service {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t fixed_time_s = 315'532'800;  // 1980-01-01, as archive::pack_folder
constexpr std::size_t max_entry_name = 255;
constexpr std::size_t max_notes = 100;
constexpr std::int64_t max_link_bytes = 1024;

/// A tar written and digested in one pass. Names are stored as the bytes they are: the format
/// (GNU) converts nothing, so the digest does not depend on the locale.
class TarWriter {
  public:
    explicit TarWriter(const fs::path& file)
        : file_(file),
          out_(file, std::ios::binary | std::ios::trunc),
          handle_(archive_write_new()) {
        if (!out_) fail(std::strerror(errno));
        archive_write_set_format_gnutar(handle_.get());
        archive_write_add_filter_none(handle_.get());
        archive_write_set_bytes_in_last_block(handle_.get(), 1);
        check(archive_write_open(handle_.get(), this, nullptr, &TarWriter::on_bytes, nullptr));
    }

    void add_folder(const std::string& path) { header(path, AE_IFDIR, 0755, 0, nullptr); }
    void add_link(const std::string& path, const std::string& target) {
        header(path, AE_IFLNK, 0777, 0, target.c_str());
    }
    void add_file(const std::string& path, bool executable, std::string_view bytes) {
        header(path, AE_IFREG, executable ? 0755 : 0644, std::ssize(bytes), nullptr);
        if (archive_write_data(handle_.get(), bytes.data(), bytes.size()) != std::ssize(bytes)) {
            fail(archive::reason_of(handle_.get()));
        }
    }

    Digest finish() {
        check(archive_write_close(handle_.get()));
        out_.close();
        if (!out_) fail(std::strerror(errno));
        return sha_.finish();
    }

    std::int64_t bytes() const { return bytes_; }

  private:
    static la_ssize_t on_bytes(struct archive* handle, void* self, const void* data, size_t size) {
        auto& writer = *static_cast<TarWriter*>(self);
        const std::string_view bytes(static_cast<const char*>(data), size);
        writer.sha_.update(bytes);
        writer.bytes_ += std::ssize(bytes);
        writer.out_.write(bytes.data(), std::ssize(bytes));
        if (writer.out_) return std::ssize(bytes);
        archive_set_error(handle, errno, "%s", std::strerror(errno));
        return -1;
    }

    void header(
        const std::string& path,
        unsigned type,
        unsigned mode,
        std::int64_t size,
        const char* link) {
        const archive::EntryHandle entry(archive_entry_new());
        archive_entry_set_pathname(entry.get(), path.c_str());
        archive_entry_set_filetype(entry.get(), type);
        archive_entry_set_perm(entry.get(), mode);
        archive_entry_set_size(entry.get(), size);
        archive_entry_set_mtime(entry.get(), fixed_time_s, 0);
        archive_entry_set_uid(entry.get(), 0);
        archive_entry_set_gid(entry.get(), 0);
        if (link != nullptr) archive_entry_set_symlink(entry.get(), link);
        check(archive_write_header(handle_.get(), entry.get()));
    }

    void check(int code) {
        if (code != ARCHIVE_OK) fail(archive::reason_of(handle_.get()));
    }

    [[noreturn]] void fail(const std::string& why) {
        throw Error(Errc::unavailable, "writing " + file_.string() + ": " + why);
    }

    fs::path file_;
    std::ofstream out_;
    wire::Sha256 sha_;
    std::int64_t bytes_ = 0;
    archive::ArchiveHandle handle_;
};

class TreeExport {
  public:
    TreeExport(git_repository* repository, const TreeLimits& limits, TarWriter& tar)
        : repository_(repository), limits_(limits), tar_(tar) {
        git_odb* odb = nullptr;
        const int code = git_repository_odb(&odb, repository);
        if (code != 0) throw_git(code, "opening the object database");
        odb_.reset(odb);
    }

    void add(const git_tree* tree, archive::PathParts& path) {
        if (std::ssize(path) > limits_.max_depth) refuse(shown(path) + " lies too deep");
        std::set<std::string, std::less<>> names;
        const std::size_t count = git_tree_entrycount(tree);
        for (std::size_t i = 0; i < count; ++i) {
            const git_tree_entry* entry = git_tree_entry_byindex(tree, i);
            path.emplace_back(git_tree_entry_name(entry));
            check_name(path);
            if (!names.insert(path.back()).second) refuse(shown(path) + " is there twice");
            if (++entries_ > limits_.max_entries) {
                refuse("it has more than " + std::to_string(limits_.max_entries) + " entries");
            }
            add_entry(entry, path);
            path.pop_back();
        }
    }

    int entries() const { return entries_; }
    std::vector<std::string> notes() && { return std::move(notes_); }

  private:
    static std::string shown(const archive::PathParts& path) {
        return "\"" + archive::printable(archive::join_path(path)) + "\"";
    }

    void check_name(const archive::PathParts& path) const {
        const std::string& name = path.back();
        if (name.empty() || name == "." || name == ".." || text::lower_case(name) == ".git" ||
            name.find('/') != name.npos || name.size() > max_entry_name) {
            refuse(shown(path) + " is not a name that a tree may hold");
        }
        if (std::ssize(archive::join_path(path)) > limits_.max_path) {
            refuse("the path " + shown(path) + " is too long");
        }
    }

    void add_entry(const git_tree_entry* entry, archive::PathParts& path) {
        const git_oid* oid = git_tree_entry_id(entry);
        switch (git_tree_entry_filemode(entry)) {
            case GIT_FILEMODE_TREE: {
                git_tree* raw = nullptr;
                const int code = git_tree_lookup(&raw, repository_, oid);
                if (code != 0) throw_git(code, "reading the folder " + shown(path));
                const GitPointer<git_tree> tree(raw);
                tar_.add_folder(archive::join_path(path));
                add(tree.get(), path);
                return;
            }
            case GIT_FILEMODE_COMMIT:
                tar_.add_folder(archive::join_path(path));
                note("submodule " + shown(path) + " is an empty folder");
                return;
            case GIT_FILEMODE_LINK: return add_link(oid, path);
            case GIT_FILEMODE_BLOB: return add_file(oid, path, false);
            case GIT_FILEMODE_BLOB_EXECUTABLE: return add_file(oid, path, true);
            default: refuse(shown(path) + " is neither a file, nor a folder, nor a link");
        }
    }

    GitPointer<git_blob> blob(
        const git_oid* oid, const archive::PathParts& path, std::int64_t most) {
        std::size_t size = 0;
        git_object_t type = GIT_OBJECT_INVALID;
        int code = git_odb_read_header(&size, &type, odb_.get(), oid);
        if (code != 0) throw_git(code, "reading " + shown(path));
        if (type != GIT_OBJECT_BLOB) refuse(shown(path) + " is not a file's content");
        if (static_cast<std::int64_t>(size) > most) {
            refuse(shown(path) + " is larger than " + std::to_string(most) + " bytes");
        }
        git_blob* raw = nullptr;
        code = git_blob_lookup(&raw, repository_, oid);
        if (code != 0) throw_git(code, "reading " + shown(path));
        return GitPointer<git_blob>(raw);
    }

    static std::string_view content_of(const git_blob* file) {
        const auto size = static_cast<std::size_t>(git_blob_rawsize(file));
        return {static_cast<const char*>(git_blob_rawcontent(file)), size};
    }

    void add_link(const git_oid* oid, const archive::PathParts& path) {
        const auto link = blob(oid, path, max_link_bytes);
        const std::string target(content_of(link.get()));
        if (archive::link_stays_inside(path, target)) {
            tar_.add_link(archive::join_path(path), target);
            return;
        }
        --entries_;
        note(
            "link " + shown(path) + " -> \"" + archive::printable(target) +
            "\" is left out: it does not surely stay inside");
    }

    void add_file(const git_oid* oid, const archive::PathParts& path, bool executable) {
        const auto left = limits_.max_bytes - bytes_;
        const auto file = blob(oid, path, std::min(limits_.max_file_bytes, left));
        const auto bytes = content_of(file.get());
        bytes_ += std::ssize(bytes);
        tar_.add_file(archive::join_path(path), executable, bytes);
    }

    void note(std::string text) {
        if (notes_.size() == max_notes) notes_.emplace_back("and more");
        if (notes_.size() < max_notes) notes_.push_back(std::move(text));
    }

    git_repository* repository_;
    GitPointer<git_odb> odb_;
    TreeLimits limits_;
    TarWriter& tar_;
    int entries_ = 0;
    std::int64_t bytes_ = 0;
    std::vector<std::string> notes_;
};

GitPointer<git_tree> tree_of(const GitClone& clone, const Revision& revision) {
    const auto commit = find_commit(clone.handle(), revision.str());
    if (!commit) throw Error(Errc::not_found, "there is no such commit");
    git_tree* tree = nullptr;
    const int code = git_commit_tree(&tree, commit.get());
    if (code != 0) throw_git(code, "reading its tree");
    return GitPointer<git_tree>(tree);
}

}  // namespace

SourceTree export_source_tree(
    const GitClone& clone, const Revision& revision, ContentStore& content, TreeLimits limits) {
    const auto attempt = "exporting the tree of " + revision.str() + " from " + clone.path();
    return attempting(attempt, [&] {
        const auto tree = tree_of(clone, revision);
        const TemporaryFile file{content.temporary_path()};
        TarWriter tar(file.path);
        TreeExport writer(clone.handle(), limits, tar);
        archive::PathParts path;
        writer.add(tree.get(), path);
        SourceTree result;
        result.digest = tar.finish();
        result.bytes = tar.bytes();
        result.entries = writer.entries();
        result.notes = std::move(writer).notes();
        content.adopt(file.path, result.digest);
        return result;
    });
}

Digest export_tree(const GitClone& clone, const Revision& revision, ContentStore& content) {
    return export_source_tree(clone, revision, content).digest;
}

}  // namespace vigil::service
