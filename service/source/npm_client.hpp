#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "schema/model/text_ids.hpp"

namespace vigil::service {

/// What the registry says of one version of a package; each part may be empty.
struct NpmVersion {
    std::string version;
    std::string commit;     ///< gitHead, as it stands there
    std::string integrity;  ///< "sha512-<base64>", maybe several
    std::int64_t unpacked_bytes = 0;
};

struct NpmPackage {
    std::string tagged;                 ///< version of the tag; empty when there is no such tag
    std::string tags;                   ///< names of the tags there are, for people
    std::vector<std::string> versions;  ///< plain ones only, registry's order
};

/// Asks the installed npm client, as a child process with limits. Answers are a stranger's: parsed
/// strictly, bounded. Errors, without addresses: not_found (package, version), unavailable (client
/// missing, network, time-out), invalid_argument (an answer that makes no sense, a package's name
/// that is none).
class NpmClient {
  public:
    /// @param folder  an existing folder of our own: the client's cache and work go there
    /// @param stop    when it turns true, a call in progress ends
    NpmClient(
        std::string package, std::filesystem::path folder, const std::atomic<bool>* stop = nullptr);

    NpmPackage package(const std::string& tag) const;
    /// @param range  one version, or a range like ">=7.0.0-0"
    std::vector<NpmVersion> versions(const std::string& range) const;
    /// Downloads the version's tarball; npm checks its integrity.
    std::filesystem::path pack(const std::string& version, std::int64_t max_bytes) const;

  private:
    std::string ask(const std::vector<std::string>& arguments, std::int64_t file_bytes) const;

    std::string package_;
    std::filesystem::path folder_;
    const std::atomic<bool>* stop_;
};

/// Whether it is one plain version (7.0.0-dev.20251112.1): no range, no tag, no option.
bool is_npm_version(const std::string& text);

}  // namespace vigil::service
