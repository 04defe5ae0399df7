#include "service/source/git_source.hpp"

#include <system_error>

#include "schema/model/error.hpp"
#include "service/source/versions.hpp"
#include "service/source/words.hpp"

namespace vigil::service {

GitSource::GitSource(const ProjectConfig& project, const Config& config, GitLimits limits)
    : folder_(clone_folder(config, project.name)),
      repository_(project.source.repository),
      branch_(project.source.branch),
      limits_(limits) {}

GitClone& GitSource::opened() {
    std::error_code code;
    if (clone_ && !std::filesystem::exists(folder_, code)) clone_.reset();  // removed by a person
    if (!clone_) clone_ = GitClone::open_or_clone(folder_, repository_, limits_);
    return *clone_;
}

GitClone& GitSource::fetched() {
    opened().fetch();
    return *clone_;
}

NightlyOffer GitSource::offer(const Revision& revision) {
    NightlyOffer offer;
    offer.version = revision.brief();
    offer.day = day_of(clone_->committed_at_s(revision));
    offer.revision = revision;
    offer.input_kind = InputKind::source_tree;
    offer.url = without_credentials(repository_);
    return offer;
}

std::optional<NightlyOffer> GitSource::newest(const std::optional<Revision>& wanted) {
    if (!wanted) return offer(fetched().tip(branch_));
    // A revision that is here already needs no origin, which may be gone.
    if (opened().contains(*wanted) || fetched().contains(*wanted)) return offer(*wanted);
    throw Error(
        Errc::not_found,
        "revision " + wanted->str() + " is on no branch and no tag of " +
            without_credentials(repository_));
}

Standing GitSource::standing_of(const NightlyOffer& offer, const NightlyVersion& newest_night) {
    const auto& clone = opened();
    const auto& newest = newest_night.revision;
    if (!clone.contains(newest)) {  // its mirror is gone
        return offer.day > newest_night.day ? Standing::newer : Standing::not_newer;
    }
    if (clone.holds(newest, offer.revision)) return Standing::not_newer;
    const auto tip = clone.find_revision(branch_);
    const bool on_branch = !tip || clone.holds(*tip, offer.revision);
    const bool rewritten = tip && !clone.holds(*tip, newest);
    const bool follows = rewritten || clone.holds(offer.revision, newest);
    return on_branch && follows ? Standing::newer : Standing::elsewhere;
}

std::optional<NightlyOffer> GitSource::find_version(const std::string& version) {
    const auto revision = fetched().find_revision(version);
    if (!revision) return std::nullopt;
    return offer(*revision);
}

}  // namespace vigil::service
