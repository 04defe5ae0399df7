#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/states.hpp"
#include "schema/model/text_ids.hpp"
#include "service/config/config.hpp"

namespace vigil::service {

class ContentStore;

/// Where a nightly that was asked for by name stands in its source's own order.
enum class Standing {
    newer,      ///< than the newest night; or there is none
    not_newer,  ///< than the newest night: older, or the same
    elsewhere,  ///< a commit off the line that the nights are on
};

/// A nightly as its source names it, ready to be measured.
struct NightlyOffer {
    std::string version;  ///< the source's own name for it
    std::string day;      ///< YYYY-MM-DD
    Revision revision;
    InputKind input_kind = InputKind::source_tree;
    Digest input;                  ///< archive: in the content store; source_tree: empty
    std::int64_t input_bytes = 0;  ///< of the archive; 0 for a source tree
    std::string url;               ///< where it came from, for people
    /// Parts of an archive that are not in it, with the reasons: the others are measured.
    std::vector<std::string> missing = {};
    /// Against the newest night, of one that was asked for by name. What is offered as the newest
    /// is tonight's, whatever came before.
    Standing standing = Standing::newer;
};

/// A nightly that could be had, not fetched yet.
struct NightlyVersion {
    std::string version;
    std::string day;    ///< YYYY-MM-DD
    Revision revision;  ///< empty when the source tells it only with the archive
};

/// Where a project's nightlies come from. Blocking (network, disk): used from one lane only. Text
/// from outside (versions, messages of others' programs) is bounded and one line.
///
/// Errors, all with words for a person: not_found (repository, branch, revision, package, file is
/// gone), unavailable (network, client program missing, time-out; worth trying again),
/// invalid_argument (archive broken, tampered with, over a limit; manifest wrong). None of them
/// spoils the source: the next call starts afresh.
class NightlySource {
  public:
    virtual ~NightlySource() = default;

    /// The newest nightly, or the newest one of the revision that is wanted. An archive has been
    /// fetched, checked and put into the content store when this returns.
    /// @return  nullopt when the source has none at all
    /// @throws  Error, see above; not_found when the wanted revision is not there
    virtual std::optional<NightlyOffer> newest(const std::optional<Revision>& wanted) = 0;

    /// The nightly of this name. @return nullopt when the source has none of that name
    virtual std::optional<NightlyOffer> find_version(const std::string& version);

    /// The newest `limit` nightlies, oldest first; for catching up. Nothing is fetched. A source
    /// that keeps no list (git) returns an empty one.
    virtual std::vector<NightlyVersion> list_versions(int limit);

    /// Where an offer of this source stands against the newest night: by their days, then by their
    /// versions.
    virtual Standing standing_of(const NightlyOffer& offer, const NightlyVersion& newest_night);
};

/// The source that the project's config describes. Touches neither network nor disk.
/// @param stop  when it turns true, a call in progress ends with Error{unavailable}
std::unique_ptr<NightlySource> make_source(
    const ProjectConfig& project,
    const Config& config,
    ContentStore& content,
    const std::atomic<bool>* stop = nullptr);

/// What a trigger wishes: nothing (the newest), a full hash (newest of that revision), or a
/// version. @param newest_night  what a wish by name is held against; nullopt: there is none
/// @throws Error{not_found} when what is wished for is not there
std::optional<NightlyOffer> offer_for(
    NightlySource& source,
    const std::optional<std::string>& wanted,
    const std::optional<NightlyVersion>& newest_night = std::nullopt);

}  // namespace vigil::service
