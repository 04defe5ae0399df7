#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/awaitable.hpp>

#include "service/api/common/context.hpp"

// Content to and from files. The io thread never touches a file: the content lane does.

namespace vigil::service {

/// A body on its way into a temporary file of the content store.
class Upload {
  public:
    explicit Upload(Lane<ContentStore>& content) : content_(content) {}

    /// Opens the file. @return where it is @throws Error{unavailable}
    boost::asio::awaitable<std::filesystem::path> begin();
    boost::asio::awaitable<void> append(const std::string& piece);
    boost::asio::awaitable<void> finish();
    std::int64_t size() const { return size_; }

  private:
    Lane<ContentStore>& content_;
    std::ofstream file_;
    std::int64_t size_ = 0;
};

/// A file on its way into an answer.
class Download {
  public:
    Download(Lane<ContentStore>& content, std::filesystem::path path)
        : content_(content), path_(std::move(path)) {}

    /// Opens the file. @param part  within the file; nothing: all of it
    /// @return how many bytes come @throws Error{not_found}
    boost::asio::awaitable<std::uint64_t> begin(std::optional<http::FilePart> part);
    /// Replaces `piece` by the next bytes. @return false when all were read
    /// @throws Error{unavailable} when the file ends early
    boost::asio::awaitable<bool> next(std::string& piece);

  private:
    Lane<ContentStore>& content_;
    std::filesystem::path path_;
    std::ifstream file_;
    std::uint64_t left_ = 0;
};

}  // namespace vigil::service
