#include <algorithm>
#include <archive.h>
#include <archive_entry.h>

#include "schema/archive/archive.hpp"
#include "schema/archive/library.hpp"
#include "schema/archive/path_rules.hpp"
#include "schema/model/error.hpp"

namespace vigil::archive {

namespace {

std::string content_of(struct archive* handle, const std::string& name, std::int64_t max_bytes) {
    std::string text;
    std::string piece(64 * 1024, '\0');
    for (;;) {
        const auto got = archive_read_data(handle, piece.data(), piece.size());
        if (got == 0) return text;
        if (got < 0) {
            throw Error(
                Errc::invalid_argument,
                "it is damaged at " + printable(name) + ": " + reason_of(handle));
        }
        text.append(piece, 0, static_cast<std::size_t>(got));
        if (static_cast<std::int64_t>(text.size()) > max_bytes) {
            throw Error(
                Errc::invalid_argument,
                printable(name) + " is larger than " + std::to_string(max_bytes) + " bytes");
        }
    }
}

std::map<std::string, std::string> find_files(
    const std::filesystem::path& file,
    const std::vector<std::string>& names,
    std::int64_t max_bytes) {
    const Utf8Locale utf8;
    const auto handle = open_archive(file, "it is no archive");
    std::map<std::string, std::string> found;
    struct archive_entry* entry = nullptr;
    while (found.size() < names.size()) {
        const int status = archive_read_next_header(handle.get(), &entry);
        if (status == ARCHIVE_EOF) break;
        if (status < ARCHIVE_WARN) {
            throw Error(Errc::invalid_argument, "it is damaged: " + reason_of(handle.get()));
        }
        const char* raw = archive_entry_pathname(entry);
        std::string name = raw != nullptr ? raw : "";
        if (name.starts_with("./")) name.erase(0, 2);
        const bool wanted = archive_entry_filetype(entry) == AE_IFREG && !found.contains(name) &&
                            std::find(names.begin(), names.end(), name) != names.end();
        if (wanted) found[name] = content_of(handle.get(), name, max_bytes);
    }
    return found;
}

}  // namespace

std::map<std::string, std::string> read_files(
    const std::filesystem::path& file,
    const std::vector<std::string>& names,
    std::int64_t max_bytes) {
    try {
        return find_files(file, names, max_bytes);
    } catch (const Error& error) {
        throw Error(error.code(), "reading " + file.filename().string() + ": " + error.what());
    }
}

}  // namespace vigil::archive
