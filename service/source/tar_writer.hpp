#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "schema/archive/library.hpp"
#include "schema/wire/digest.hpp"

namespace vigil::service {

/// A tar written and digested in one pass: one fixed time, owner 0, modes 0644 and 0755. Names are
/// stored as the bytes they are: the format (GNU) converts nothing, so the digest does not depend
/// on the locale. Every call throws Error{unavailable} where the file cannot be written.
class TarWriter {
  public:
    explicit TarWriter(const std::filesystem::path& file);

    void add_folder(const std::string& path);
    void add_link(const std::string& path, const std::string& target);
    void add_file(const std::string& path, bool executable, std::string_view bytes);

    Digest finish();
    std::int64_t bytes() const { return bytes_; }

  private:
    static ssize_t on_bytes(struct archive* handle, void* self, const void* data, size_t size);
    void header(
        const std::string& path, unsigned type, unsigned mode, std::int64_t size, const char* link);
    void check(int code);
    [[noreturn]] void fail(const std::string& why);

    std::filesystem::path file_;
    std::ofstream out_;
    wire::Sha256 sha_;
    std::int64_t bytes_ = 0;
    archive::ArchiveHandle handle_;
};

}  // namespace vigil::service
