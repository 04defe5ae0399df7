#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "service/source/nightly_source.hpp"

namespace vigil::service {

/// A drop folder. Whoever drops a nightly writes the archive first, and then beside it its manifest
/// `<version>.json`, under another name that is renamed at the end:
///
///     {"version": "2.10.0-dev20251112", "day": "2025-11-12",
///      "revision": "<full hash>", "archive": "lib-2.10.0.tar.gz", "sha256": "<64 hex digits>"}
///
/// `version` is the file's name without ".json"; `archive` a name in the same folder. Archives
/// without manifest are still being written: ignored. The newest is the latest day, then the
/// greatest version. A manifest that cannot be read is an error as long as it is the folder's
/// youngest file of its kind, so it is seen and never blocks the nights after it.
class DirectorySource : public NightlySource {
  public:
    DirectorySource(const SourceConfig& source, ContentStore& content);

    std::optional<NightlyOffer> newest(const std::optional<Revision>& wanted) override;
    std::optional<NightlyOffer> find_version(const std::string& version) override;
    std::vector<NightlyVersion> list_versions(int limit) override;

  private:
    struct Manifest;
    struct Listing;
    Listing list() const;
    Manifest read_manifest(const std::filesystem::path& file) const;
    NightlyOffer offer(const Manifest& manifest);

    SourceConfig source_;
    ContentStore& content_;
};

}  // namespace vigil::service
