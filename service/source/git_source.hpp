#pragma once

#include <optional>
#include <string>

#include "service/source/git_clone.hpp"
#include "service/source/nightly_source.hpp"

namespace vigil::service {

/// Nightlies without archives: the tip of a branch when asked, or a revision that is wanted. The
/// version is the revision's first ten digits, the day the committer's, UTC. A name of a version
/// may be a full hash, a unique prefix of at least 7 digits, a branch or a tag. The tree is not
/// exported here: a build gets its input from export_source_tree when it is needed.
class GitSource : public NightlySource {
  public:
    GitSource(const ProjectConfig& project, const Config& config, GitLimits limits = {});

    std::optional<NightlyOffer> newest(const std::optional<Revision>& wanted) override;
    std::optional<NightlyOffer> find_version(const std::string& version) override;

    /// By the commits. A commit stands elsewhere when it lies on no way from the newest night to
    /// the branch's tip; where the branch was rewritten since that night, when the tip lacks it.
    Standing standing_of(const NightlyOffer& offer, const NightlyVersion& newest_night) override;

  private:
    GitClone& opened();
    GitClone& fetched();
    NightlyOffer offer(const Revision& revision);

    std::filesystem::path folder_;
    std::string repository_;
    std::string branch_;
    GitLimits limits_;
    std::optional<GitClone> clone_;  ///< opened when first asked
};

}  // namespace vigil::service
