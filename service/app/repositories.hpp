#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bisect/history/history.hpp"
#include "bisect/history/list_claims.hpp"
#include "bisect/history/revert.hpp"
#include "service/config/live_config.hpp"
#include "service/source/nightly_source.hpp"
#include "service/source/source_tree.hpp"
#include "service/store/content_store.hpp"
#include "service/watch/night/backfill.hpp"

namespace vigil::service {

/// A git lane's resource: the source of a project's nightlies, and its mirror. Every call may take
/// long; all of them run on that lane only. A call in progress ends soon after `stop` turns true.
class Repositories {
  public:
    /// @param content  a handle of its own on the content store; files come to be by renaming, so
    ///                 several handles do no harm
    Repositories(const LiveConfig& config, ContentStore content, const std::atomic<bool>* stop);

    /// What the project's source offers. @param wanted  a revision or version; nullopt: the newest
    /// @param newest_night  what it is held against when it is wanted
    std::optional<NightlyOffer> offer(
        const std::string& project,
        const std::optional<std::string>& wanted,
        const std::optional<NightlyVersion>& newest_night);

    /// The nightly of this name, fetched. @return nullopt when the source has none
    std::optional<NightlyOffer> find_version(
        const std::string& project, const std::string& version);

    /// The nightlies between two, oldest first, fetched: at most seven, evenly spread. What cannot
    /// be had is left out. None where the source keeps no list.
    std::vector<NightlyOffer> nights_between(
        const std::string& project, const NightEdge& good, const NightEdge& bad);

    /// The tree of a revision with its submodules as content, fetching first what is not here.
    SourceTree export_tree(const std::string& project, const Revision& revision);

    /// The one of these archives that unpacks to an exported tree.
    std::optional<Digest> find_same_tree(
        const std::vector<Digest>& archives, const Digest& tree) const;

    /// The suspects between two revisions, fetching first when one is not here. Where the branch
    /// was rewritten in between, they follow the commit at which the two lines part; so between a
    /// merge's first parent and another one they are what that one brought.
    history::Range suspects(const std::string& project, const Revision& good, const Revision& bad);

    /// Of a commit that moves one dependency and does nothing else: the dependency's commits
    /// between, as commits of the project, after the first parent.
    /// @throws Error{not_found, unavailable}; Error{conflict} when the dependency's older commit is
    ///         not in the history of the newer one
    history::Range moved_commits(const std::string& project, const Revision& moving);

    /// The same of a night and the one before it, without what they move of dependencies.
    history::Range night_commits(
        const std::string& project, const Revision& before, const Revision& night);

    /// The nights of so many days before the newest one, or the newest that there is, as far as
    /// they lie before the first night: of a git branch the last commit of each day, else what the
    /// source lists.
    std::vector<PastDay> past_days(const std::string& project, const MissingDays& wanted);

    /// Where a pull request's commit left its branch, fetching what is not here.
    /// @param base  tip of the branch
    Revision merge_base(
        const std::string& project,
        std::int64_t pull_request,
        const Revision& base,
        const Revision& head);

    /// The files that a commit changes.
    std::set<std::string> changed_files(const std::string& project, const Revision& revision);

    /// Takes a commit back from the newest revision of the watched branch, which is fetched; where
    /// nights are no commits of a branch, from the newest night's.
    history::RevertTry revert(
        const std::string& project,
        const Revision& commit,
        const std::optional<Revision>& newest_night);

    /// What the commits after `bad`, up to and with `fixed`, claim.
    history::ClaimedRange claims(
        const std::string& project, const Revision& bad, const Revision& fixed);

  private:
    const ProjectConfig& load_project(const std::string& name) const;
    NightlySource& source_of(const std::string& project);

    const LiveConfig& config_;
    std::unique_ptr<ContentStore> content_;  // stays where it is: sources refer to it
    const std::atomic<bool>* stop_;
    struct Known {
        const ProjectConfig* project;  // the one that the source was made for
        std::unique_ptr<NightlySource> source;
    };
    std::map<std::string, Known> sources_;
};

}  // namespace vigil::service
