#pragma once

#include <filesystem>

namespace vigil::local {

/// The state folder's lock: two programs never build in one place.
class FolderLock {
  public:
    /// @throws Error{unavailable} when another program holds it, or the folder cannot be made
    explicit FolderLock(const std::filesystem::path& folder);
    ~FolderLock();
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

  private:
    int descriptor_ = -1;
};

}  // namespace vigil::local
