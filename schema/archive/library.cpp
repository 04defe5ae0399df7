#include "schema/archive/library.hpp"

#include <archive.h>
#include <archive_entry.h>

#include "schema/archive/path_rules.hpp"
#include "schema/model/error.hpp"

namespace vigil::archive {

void FreeArchive::operator()(struct archive* handle) const {
    archive_free(handle);
}

void FreeEntry::operator()(struct archive_entry* entry) const {
    archive_entry_free(entry);
}

ArchiveHandle open_archive(const std::filesystem::path& file, const std::string& otherwise) {
    ArchiveHandle handle(archive_read_new());
    archive_read_support_format_tar(handle.get());
    archive_read_support_format_zip(handle.get());
    archive_read_support_filter_gzip(handle.get());
    archive_read_support_filter_bzip2(handle.get());
    archive_read_support_filter_xz(handle.get());
    archive_read_support_filter_zstd(handle.get());
    constexpr std::size_t block_bytes = 128 * 1024;
    if (archive_read_open_filename(handle.get(), file.c_str(), block_bytes) == ARCHIVE_OK) {
        return handle;
    }
    throw Error(Errc::invalid_argument, otherwise + ": " + reason_of(handle.get()));
}

std::string reason_of(struct archive* handle) {
    const char* text = archive_error_string(handle);
    return text == nullptr ? "no reason given" : printable(text);
}

Utf8Locale::Utf8Locale() : own_(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)), before_(nullptr) {
    if (own_ == nullptr) {
        throw Error(Errc::internal, "switching to the C.UTF-8 locale: this system has none");
    }
    before_ = uselocale(own_);
}

Utf8Locale::~Utf8Locale() {
    uselocale(before_);
    freelocale(own_);
}

}  // namespace vigil::archive
