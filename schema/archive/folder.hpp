#pragma once

#include <filesystem>
#include <utility>

#include "schema/archive/path_rules.hpp"

// Walking a tree by descriptors, never through a link.

namespace vigil::archive {

/// Owns a file descriptor.
class Descriptor {
  public:
    Descriptor() = default;
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Descriptor();
    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }

  private:
    int fd_ = -1;
};

/// @throws Error{not_found} when there is no such folder
Descriptor open_folder(const std::filesystem::path& folder);

enum class Missing { make, refuse };

/// Opens the folder `parts` below `root`, one name at a time.
/// @throws Error{invalid_argument} when a name on the way is a link, not a folder, or missing
Descriptor open_below(int root, const PathParts& parts, Missing missing);

/// What errno means for a person; Errc::unavailable when the machine is at fault (disk full, ...),
/// else invalid_argument.
[[noreturn]] void throw_system(const std::string& attempt, int error_number);

}  // namespace vigil::archive
