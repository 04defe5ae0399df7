#pragma once

#include <filesystem>
#include <locale.h>
#include <memory>
#include <string>

struct archive;
struct archive_entry;

// What reading and writing share of libarchive.

namespace vigil::archive {

struct FreeArchive {
    void operator()(struct archive* handle) const;
};
struct FreeEntry {
    void operator()(struct archive_entry* entry) const;
};
using ArchiveHandle = std::unique_ptr<struct archive, FreeArchive>;
using EntryHandle = std::unique_ptr<struct archive_entry, FreeEntry>;

/// Opens an archive of any kind that we read.
/// @throws Error{invalid_argument} "<otherwise>: <why>"
ArchiveHandle open_archive(const std::filesystem::path& file, const std::string& otherwise);

/// The library's own words about its last error, one line.
std::string reason_of(struct archive* handle);

/// libarchive converts names by the thread's locale: UTF-8 while one of these lives.
class Utf8Locale {
  public:
    Utf8Locale();
    ~Utf8Locale();
    Utf8Locale(const Utf8Locale&) = delete;
    Utf8Locale& operator=(const Utf8Locale&) = delete;

  private:
    locale_t own_;
    locale_t before_;
};

}  // namespace vigil::archive
