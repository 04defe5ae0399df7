#include "service/source/tar_writer.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <cerrno>
#include <cstring>

#include "schema/model/error.hpp"

namespace vigil::service {

namespace {

constexpr std::int64_t fixed_time_s = 315'532'800;  // 1980-01-01, as archive::pack_folder

}  // namespace

TarWriter::TarWriter(const std::filesystem::path& file)
    : file_(file), out_(file, std::ios::binary | std::ios::trunc), handle_(archive_write_new()) {
    if (!out_) fail(std::strerror(errno));
    archive_write_set_format_gnutar(handle_.get());
    archive_write_add_filter_none(handle_.get());
    archive_write_set_bytes_in_last_block(handle_.get(), 1);
    check(archive_write_open(handle_.get(), this, nullptr, &TarWriter::on_bytes, nullptr));
}

void TarWriter::add_folder(const std::string& path) {
    header(path, AE_IFDIR, 0755, 0, nullptr);
}

void TarWriter::add_link(const std::string& path, const std::string& target) {
    header(path, AE_IFLNK, 0777, 0, target.c_str());
}

void TarWriter::add_file(const std::string& path, bool executable, std::string_view bytes) {
    header(path, AE_IFREG, executable ? 0755 : 0644, std::ssize(bytes), nullptr);
    if (archive_write_data(handle_.get(), bytes.data(), bytes.size()) != std::ssize(bytes)) {
        fail(archive::reason_of(handle_.get()));
    }
}

Digest TarWriter::finish() {
    check(archive_write_close(handle_.get()));
    out_.close();
    if (!out_) fail(std::strerror(errno));
    return sha_.finish();
}

ssize_t TarWriter::on_bytes(struct archive* handle, void* self, const void* data, size_t size) {
    auto& writer = *static_cast<TarWriter*>(self);
    const std::string_view bytes(static_cast<const char*>(data), size);
    writer.sha_.update(bytes);
    writer.bytes_ += std::ssize(bytes);
    writer.out_.write(bytes.data(), std::ssize(bytes));
    if (writer.out_) return std::ssize(bytes);
    archive_set_error(handle, errno, "%s", std::strerror(errno));
    return -1;
}

void TarWriter::header(
    const std::string& path, unsigned type, unsigned mode, std::int64_t size, const char* link) {
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

void TarWriter::check(int code) {
    if (code != ARCHIVE_OK) fail(archive::reason_of(handle_.get()));
}

void TarWriter::fail(const std::string& why) {
    throw Error(Errc::unavailable, "writing " + file_.string() + ": " + why);
}

}  // namespace vigil::service
