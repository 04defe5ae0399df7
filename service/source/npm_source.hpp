#pragma once

#include <optional>
#include <string>
#include <vector>

#include "service/source/nightly_source.hpp"

namespace vigil::service {

/// Dated builds of a package, asked of the machine's own npm client, which knows its registry. The
/// nightly is what `dist_tag` points at; where `version` is set and the tag's version does not
/// contain that text, the greatest version that does. The commit is the version's `gitHead`, the
/// day is read from the version itself. The archive is the package's tarball (all in "package/"),
/// checked against the integrity that the registry states, by npm and by us.
class NpmSource : public NightlySource {
  public:
    NpmSource(
        const SourceConfig& source, ContentStore& content, const std::atomic<bool>* stop = nullptr);

    std::optional<NightlyOffer> newest(const std::optional<Revision>& wanted) override;
    std::optional<NightlyOffer> find_version(const std::string& version) override;
    std::vector<NightlyVersion> list_versions(int limit) override;

  private:
    std::vector<NightlyVersion> with_commits();
    std::optional<NightlyOffer> fetch(const std::string& version);

    SourceConfig source_;
    ContentStore& content_;
    const std::atomic<bool>* stop_;
};

}  // namespace vigil::service
