#include "service/app/repositories.hpp"

#include "bisect/history/changed_files.hpp"
#include "bisect/history/moved_pin.hpp"
#include "bisect/history/pins.hpp"
#include "bisect/history/submodules.hpp"
#include "schema/archive/archive.hpp"
#include "schema/log/log.hpp"
#include "schema/model/error.hpp"
#include "service/source/git_clone.hpp"
#include "service/source/versions.hpp"

namespace vigil::service {

namespace {

// A day's commits are compared with their parents; of a range of thousands nobody waits for that.
constexpr std::size_t most_compared = 400;

constexpr int most_listed = 20'000;      // nightlies of a source
constexpr int most_moved = 2'000;        // commits of a dependency
constexpr std::size_t most_between = 7;  // archives that are fetched for one search

// What a commit moves of the dependencies: told where it can be had, the search needs it not.
void note_pins(const std::string& repository, history::Commit& commit) {
    try {
        const auto moves = history::find_pins(repository, commit.revision);
        commit.pins = history::moves_text(moves);
        const auto moved = history::only_dependency(moves);
        if (moved && (moved->line == 0 || load_git_tag(repository, commit.revision, *moved))) {
            commit.dependency = history::place_of(*moved);
        }
    } catch (const Error&) {
        commit.pins.clear();
    }
}

// Where the repository is of what a commit moves.
std::string address_of(const GitClone& clone, const Revision& revision, const history::Pin& pin) {
    if (pin.line > 0) {
        const auto tag = history::load_git_tag(clone.path(), revision, pin);
        if (!tag) throw Error(Errc::not_found, place_of(pin) + " has no GIT_REPOSITORY");
        return history::submodule_address({"", pin.path, tag->repository}, {{clone.origin()}}, 0);
    }
    for (const auto& one : history::list_submodules(clone.path(), revision)) {
        if (one.path != pin.path || !one.entry) continue;
        return history::submodule_address(*one.entry, {{clone.origin()}}, 0);
    }
    throw Error(Errc::not_found, revision.brief() + " has no submodule " + pin.path);
}

/// @tparam Night  has a version and a day
template <class One, class Other>
bool is_newer(NightlySource& source, const One& one, const Other& other) {
    NightlyOffer offer;
    offer.version = one.version;
    offer.day = one.day;
    return source.standing_of(offer, {other.version, other.day, {}}) == Standing::newer;
}

// What a source of archives offers; the newest one is tonight's where there is no night yet.
std::vector<PastDay> past_archives(NightlySource& source, const MissingDays& wanted) {
    const auto versions = source.list_versions(most_listed);
    std::vector<PastDay> found;
    if (versions.empty()) return found;
    const auto& last = versions.back();
    const auto first = wanted.first_night.value_or(NightEdge{{}, last.version, last.day});
    const auto newest_day = wanted.newest_night ? wanted.newest_night->day : last.day;
    const auto from = days_after(newest_day, -wanted.nights);
    for (const auto& one : versions) {
        const bool is_before = is_newer(source, first, one);
        if (is_before && one.day >= from) found.push_back({one.revision, one.version, one.day});
    }
    return found;
}

GitClone clone_with(
    const ProjectConfig& project,
    const Config& config,
    const std::vector<Revision>& wanted,
    const std::atomic<bool>* stop) {
    auto clone = GitClone::open_or_clone(project, config, {.stop = stop});
    for (const auto& revision : wanted) {
        if (clone.contains(revision)) continue;
        clone.fetch();
        break;
    }
    return clone;
}

}  // namespace

Repositories::Repositories(
    const LiveConfig& config, ContentStore content, const std::atomic<bool>* stop)
    : config_(config), content_(std::make_unique<ContentStore>(std::move(content))), stop_(stop) {}

const ProjectConfig& Repositories::load_project(const std::string& name) const {
    const auto& projects = config_.now().projects;
    const auto found = projects.find(name);
    if (found == projects.end()) {
        throw Error(Errc::not_found, "project " + name + " is no longer in the config");
    }
    return found->second;
}

NightlySource& Repositories::source_of(const std::string& project) {
    const ProjectConfig& wanted = load_project(project);
    auto& known = sources_[project];
    if (known.project != &wanted) {  // the first time, or after a reload
        known = {&wanted, make_source(wanted, config_.now(), *content_, stop_)};
    }
    return *known.source;
}

std::optional<NightlyOffer> Repositories::offer(
    const std::string& project,
    const std::optional<std::string>& wanted,
    const std::optional<NightlyVersion>& newest_night) {
    return offer_for(source_of(project), wanted, newest_night);
}

std::optional<NightlyOffer> Repositories::find_version(
    const std::string& project, const std::string& version) {
    return source_of(project).find_version(version);
}

std::vector<NightlyOffer> Repositories::nights_between(
    const std::string& project, const NightEdge& good, const NightEdge& bad) {
    auto& source = source_of(project);
    auto between = source.list_versions(most_listed);
    std::erase_if(between, [&](const NightlyVersion& one) {
        return !is_newer(source, one, good) || !is_newer(source, bad, one);
    });
    const auto all = between.size();
    const auto some = std::min(all, most_between);
    std::vector<NightlyOffer> offers;
    for (std::size_t i = 0; i < some; ++i) {
        const auto& version = between[(2 * i + 1) * all / (2 * some)].version;
        try {
            if (auto offer = source.find_version(version)) offers.push_back(std::move(*offer));
        } catch (const Error& error) {
            if (error.code() == Errc::unavailable) throw;
            log_warn("source.failed", {{"project", project}, {"error", error.what()}});
        }
    }
    return offers;
}

SourceTree Repositories::export_tree(const std::string& project, const Revision& revision) {
    const auto& config = config_.now();
    const auto clone = clone_with(load_project(project), config, {revision}, stop_);
    SubmoduleMirrors mirrors(submodules_folder(config, project), {.stop = stop_});
    return export_source_tree(clone, revision, *content_, mirrors);
}

std::optional<Digest> Repositories::find_same_tree(
    const std::vector<Digest>& archives, const Digest& tree) const {
    const auto digest_of = [&](const Digest& content) {
        return archive::tree_digest(content_->path(content), std::string(source_file));
    };
    for (const auto& one : archives) {
        try {
            if (digest_of(one) == digest_of(tree)) return one;
        } catch (const Error& error) {  // it is not kept any more: then it is built anew
            log_warn("source.not_compared", {{"archive", one.str()}, {"error", error.what()}});
        }
    }
    return std::nullopt;
}

history::Range Repositories::suspects(
    const std::string& project, const Revision& good, const Revision& bad) {
    const auto clone = clone_with(load_project(project), config_.now(), {good, bad}, stop_);
    auto range = history::list_range(clone.path(), good, bad);
    if (range.suspects.size() > most_compared) return range;
    for (auto& suspect : range.suspects) note_pins(clone.path(), suspect);
    return range;
}

history::Range Repositories::moved_commits(const std::string& project, const Revision& moving) {
    const auto& config = config_.now();
    const auto clone = clone_with(load_project(project), config, {moving}, stop_);
    const auto pin = history::only_dependency(history::find_pins(clone.path(), moving));
    if (!pin) throw Error(Errc::not_found, moving.brief() + " moves no dependency alone");
    const auto address = address_of(clone, moving, *pin);
    SubmoduleMirrors mirrors(submodules_folder(config, project), {.stop = stop_});
    const auto before = mirrors.resolve(address, pin->before);
    const auto after = mirrors.resolve(address, pin->after);
    const auto& mirror = mirrors.with(address, after);
    if (!mirror.contains(before)) {
        throw Error(
            Errc::not_found, "the repository of " + place_of(*pin) + " has no " + before.brief());
    }
    const auto inner = history::list_range(mirror.path(), before, after, most_moved);
    if (inner.relation != history::Relation::on_line) {
        throw Error(
            Errc::conflict,
            before.brief() + " is not on the line of " + after.brief() +
                ": what lies between is not known");
    }
    const auto parent = history::list_parents(clone.path(), moving).at(0);
    return {parent, history::write_moves(clone.path(), moving, *pin, inner.suspects)};
}

history::Range Repositories::night_commits(
    const std::string& project, const Revision& before, const Revision& night) {
    const auto clone = clone_with(load_project(project), config_.now(), {before, night}, stop_);
    return history::list_range(clone.path(), before, night);
}

std::set<std::string> Repositories::changed_files(
    const std::string& project, const Revision& revision) {
    const auto clone = clone_with(load_project(project), config_.now(), {revision}, stop_);
    return history::list_changed_files(clone.path(), revision);
}

std::vector<PastDay> Repositories::past_days(
    const std::string& project, const MissingDays& wanted) {
    const auto& config = load_project(project);
    if (config.source.kind != SourceKind::git) return past_archives(source_of(project), wanted);
    const auto& first = wanted.first_night;
    const auto& newest = wanted.newest_night;
    auto clone = GitClone::open_or_clone(config, config_.now(), {.stop = stop_});
    if (!first || !clone.contains(first->revision)) clone.fetch();
    const auto end = first ? first->revision : clone.tip(config.source.branch);
    const bool knows_newest = newest && clone.contains(newest->revision);
    const auto& from = knows_newest ? newest->revision : end;
    std::vector<PastDay> found;
    for (const auto& day : history::list_days(clone.path(), end, from, wanted.nights)) {
        found.push_back({day.revision, day.revision.brief(), day_of(day.committed_at_s)});
    }
    return found;
}

Revision Repositories::merge_base(
    const std::string& project,
    std::int64_t pull_request,
    const Revision& base,
    const Revision& head) {
    auto clone = clone_with(load_project(project), config_.now(), {base, head}, stop_);
    if (!clone.contains(head)) clone.fetch_pull(pull_request);
    if (!clone.contains(head)) {
        throw Error(
            Errc::not_found,
            "commit " + head.brief() + " is not the newest of pull request " +
                std::to_string(pull_request) + " any more");
    }
    return clone.merge_base(base, head);
}

history::RevertTry Repositories::revert(
    const std::string& project,
    const Revision& commit,
    const std::optional<Revision>& newest_night) {
    const auto& config = load_project(project);
    auto clone = GitClone::open_or_clone(config, config_.now(), {.stop = stop_});
    clone.fetch();
    if (config.source.kind == SourceKind::git) {
        return history::write_revert(clone.path(), commit, clone.tip(config.source.branch));
    }
    if (!newest_night) throw Error(Errc::not_found, "there is no night to take it back from");
    return history::write_revert(clone.path(), commit, *newest_night);
}

history::ClaimedRange Repositories::claims(
    const std::string& project, const Revision& bad, const Revision& fixed) {
    const auto clone = clone_with(load_project(project), config_.now(), {bad, fixed}, stop_);
    return history::list_claims(clone.path(), bad, fixed);
}

}  // namespace vigil::service
