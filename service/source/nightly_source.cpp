#include "service/source/nightly_source.hpp"

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "service/source/directory_source.hpp"
#include "service/source/git_source.hpp"
#include "service/source/http_index_source.hpp"
#include "service/source/npm_source.hpp"
#include "service/source/versions.hpp"
#include "service/source/words.hpp"

namespace vigil::service {

std::optional<NightlyOffer> NightlySource::find_version(const std::string&) {
    return std::nullopt;
}

std::vector<NightlyVersion> NightlySource::list_versions(int) {
    return {};
}

Standing NightlySource::standing_of(const NightlyOffer& offer, const NightlyVersion& newest_night) {
    const bool newer = offer.day != newest_night.day
                           ? offer.day > newest_night.day
                           : compare_versions(offer.version, newest_night.version) > 0;
    return newer ? Standing::newer : Standing::not_newer;
}

std::unique_ptr<NightlySource> make_source(
    const ProjectConfig& project,
    const Config& config,
    ContentStore& content,
    const std::atomic<bool>* stop) {
    switch (project.source.kind) {
        case SourceKind::directory:
            return std::make_unique<DirectorySource>(project.source, content);
        case SourceKind::git:
            return std::make_unique<GitSource>(project, config, GitLimits{.stop = stop});
        case SourceKind::npm: return std::make_unique<NpmSource>(project.source, content, stop);
        case SourceKind::http_index:
            return std::make_unique<HttpIndexSource>(project, config, content, stop);
        case SourceKind::elsewhere:
            throw Error(
                Errc::conflict,
                "project " + project.name +
                    " is measured elsewhere: its nights are sent, with POST /api/v1/results");
    }
    throw Error(Errc::internal, "project " + project.name + " has a source of an unknown kind");
}

std::optional<NightlyOffer> offer_for(
    NightlySource& source,
    const std::optional<std::string>& wanted,
    const std::optional<NightlyVersion>& newest_night) {
    if (!wanted) return source.newest(std::nullopt);
    const bool full_hash = is_lower_hex(*wanted) && (wanted->size() == 40 || wanted->size() == 64);
    auto offer = full_hash ? source.newest(Revision(*wanted)) : source.find_version(*wanted);
    if (!offer) {
        throw Error(
            Errc::not_found,
            "the source has no nightly of the name \"" + text::one_line(*wanted, 80) + "\"");
    }
    if (newest_night) offer->standing = source.standing_of(*offer, *newest_night);
    return offer;
}

}  // namespace vigil::service
