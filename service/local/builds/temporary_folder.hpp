#pragma once

#include <filesystem>
#include <string>

namespace vigil::local {

/// A new folder among the system's temporary ones, removed with all in it at the end.
class TemporaryFolder {
  public:
    /// @param prefix  of its name
    /// @throws Error{unavailable} when none can be made
    explicit TemporaryFolder(const std::string& prefix);
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

}  // namespace vigil::local
