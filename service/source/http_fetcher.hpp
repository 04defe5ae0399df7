#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "schema/http/client.hpp"
#include "schema/model/text_ids.hpp"

namespace vigil::service {

/// Gets pages and large files, and remembers what need not come twice: a page with its ETag, a file
/// as far as it came. Redirects are followed where links are (index_page.hpp). Blocking.
///
/// Errors, with the address in words: not_found (404, 410), unavailable (network, another status,
/// broken off without getting on, or too slow to ever end), invalid_argument (larger than allowed,
/// an address that is none).
class HttpFetcher {
  public:
    /// @param folder  of our own; made when it is missing
    /// @param stop    when it turns true, a call in progress ends
    explicit HttpFetcher(std::filesystem::path folder, const std::atomic<bool>* stop = nullptr);

    /// @param max_bytes  of the page
    std::string page(const std::string& url, std::int64_t max_bytes);

    /// The whole file, in our folder, to be taken from there and then dropped. A transfer that
    /// breaks goes on as long as each try gets further; what has come is kept for the next call.
    /// Without a strong ETag there is nothing that says it is still the same file: then it starts
    /// anew, unless its digest is known, by which the caller finds out.
    std::filesystem::path file(
        const std::string& url, const std::optional<Digest>& digest, std::int64_t max_bytes);

    /// Forgets what came of a file: it is wrong, or it is no longer needed.
    void drop(const std::string& url);

  private:
    struct Found;
    Found find_file(const std::string& url, std::int64_t max_bytes);
    http::Response get_page(const std::string& url, const std::string& etag, std::int64_t max);
    std::filesystem::path place(const std::string& url, const char* end) const;

    std::filesystem::path folder_;
    const std::atomic<bool>* stop_;
};

}  // namespace vigil::service
