#include <archive.h>
#include <archive_entry.h>

#include "schema/archive/archive.hpp"
#include "schema/archive/library.hpp"
#include "schema/archive/path_rules.hpp"
#include "schema/model/error.hpp"
#include "schema/wire/digest.hpp"

namespace vigil::archive {

namespace {

constexpr const char* folder_mark = "folder";

std::string digest_of_content(struct archive* handle, const std::string& name) {
    wire::Sha256 sum;
    std::string piece(64 * 1024, '\0');
    for (;;) {
        const auto got = archive_read_data(handle, piece.data(), piece.size());
        if (got == 0) return sum.finish().str();
        if (got < 0) {
            throw Error(
                Errc::invalid_argument,
                "it is damaged at " + printable(name) + ": " + reason_of(handle));
        }
        sum.update(std::string_view(piece).substr(0, static_cast<std::size_t>(got)));
    }
}

std::string text_or_empty(const char* text) {
    return text != nullptr ? text : "";
}

// What an entry is: all but its path.
std::string entry_words(
    struct archive* handle, struct archive_entry* entry, const std::string& name) {
    const auto hard = text_or_empty(archive_entry_hardlink(entry));
    if (!hard.empty()) return "hard link " + hard;
    switch (archive_entry_filetype(entry)) {
        case AE_IFDIR: return folder_mark;
        case AE_IFLNK: return "link " + text_or_empty(archive_entry_symlink(entry));
        default: break;
    }
    const bool runs = (archive_entry_perm(entry) & 0100) != 0;
    return (runs ? "program " : "file ") + digest_of_content(handle, name);
}

std::map<std::string, std::string> read_tree(const std::filesystem::path& file) {
    const Utf8Locale utf8;
    const auto handle = open_archive(file, "it is no archive");
    std::map<std::string, std::string> tree;
    struct archive_entry* entry = nullptr;
    for (;;) {
        const int status = archive_read_next_header(handle.get(), &entry);
        if (status == ARCHIVE_EOF) return tree;
        if (status < ARCHIVE_WARN) {
            throw Error(Errc::invalid_argument, "it is damaged: " + reason_of(handle.get()));
        }
        const auto raw = text_or_empty(archive_entry_pathname(entry));
        const auto name = join_path(split_path(raw, static_cast<std::int64_t>(raw.size())));
        tree[name] = entry_words(handle.get(), entry, name);
    }
}

}  // namespace

Digest tree_digest(const std::filesystem::path& file, const std::string& without) {
    auto tree = read_tree(file);
    tree.erase(without);
    wire::Sha256 sum;
    for (const auto& [path, words] : tree) {
        if (words == folder_mark) {
            const auto below = path.empty() ? "" : path + "/";
            const auto first = tree.upper_bound(below);
            if (first != tree.end() && first->first.starts_with(below)) continue;
        }
        for (const auto* part : {&path, &words}) {
            sum.update(*part);
            sum.update(std::string_view("\0", 1));
        }
    }
    return sum.finish();
}

}  // namespace vigil::archive
