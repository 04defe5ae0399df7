#include "service/app/project_supply.hpp"

#include <algorithm>
#include <vector>

#include "schema/log/log.hpp"
#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/job_json.hpp"
#include "service/schedule/trigger.hpp"
#include "service/source/words.hpp"
#include "service/store/alone.hpp"
#include "service/store/content_index.hpp"
#include "service/store/findings/requests.hpp"
#include "service/store/nights/nightlies.hpp"
#include "service/store/troubles.hpp"
#include "service/store/work/builds.hpp"
#include "service/store/work/same_trees.hpp"
#include "service/watch/health_checks.hpp"
#include "service/watch/night/nightlies.hpp"
#include "service/watch/requested/pulls.hpp"
#include "service/watch/requested/requests.hpp"

namespace vigil::service {

namespace {

using boost::asio::awaitable;
using std::chrono::seconds;

constexpr seconds longest_pause{1};
constexpr int max_lane_work = 10;
constexpr int most_archives = 3;  // archives of one revision with its tree
constexpr seconds patience{30};   // with a source, before it is told that it is waited for
constexpr seconds first_back_off{5};
constexpr seconds longest_back_off{300};

// For a server of a submodule that does not answer. Old revisions name servers that are gone for
// good, and a search must not wait for these for ever.
constexpr std::chrono::hours submodule_patience{6};

constexpr auto kind_waiting = "source.waiting";

}  // namespace

ProjectSupply::ProjectSupply(
    const LoopParts& parts, ContentStore content, ProjectId project, std::string name)
    : Loop(parts),
      project_(project),
      name_(std::move(name)),
      lane_(Repositories(config_, std::move(content), &stopping_), max_lane_work),
      watch_pause_(parts.io) {}

void ProjectSupply::stop() {
    Loop::stop();
    watch_pause_.wake();
}

awaitable<void> ProjectSupply::run() {
    bool begun = false;
    while (!stopping_) {
        bool moved = false;
        try {
            if (!begun) co_await end(kind_waiting);  // of an earlier process
            begun = true;
            moved = co_await supply_once();
        } catch (const std::exception& error) {
            log_error("supply.failed", {{"project", name_}, {"error", error.what()}});
        }
        if (moved) on_moved();
        if (!moved && !stopping_) co_await pause_.wait(longest_pause);
    }
}

// A wish for a nightly is tried once, at once. What open work needs is asked for again, less and
// less often while the source is out of reach.
awaitable<bool> ProjectSupply::supply_once() {
    const bool triggers = co_await supply_triggers();
    if (Steady::now() < not_before_) co_return triggers;
    const bool suspects = co_await supply_suspects();
    const bool trees = co_await supply_trees();
    const bool fixes = co_await supply_fixes();
    const bool backfills = co_await supply_backfills();
    const bool archives = co_await supply_archives();
    const bool pulls = co_await supply_pulls();
    const bool names = co_await supply_names();
    const bool nights = co_await supply_night_commits();
    const bool touched = co_await supply_touched();
    const bool reverts = co_await supply_reverts();
    co_return triggers || suspects || trees || fixes || backfills || archives || pulls || names ||
        nights || touched || reverts;
}

awaitable<void> ProjectSupply::watch() {
    std::optional<Steady::time_point> told;
    while (!stopping_) {
        const auto since = busy_since_;
        const bool late = since && Steady::now() >= *since + patience;
        try {
            if (late && told != since) {
                co_await note(
                    kind_waiting,
                    "project " + name_ +
                        " waits for its source, which takes long to answer; other projects go on. "
                        "Check its server, and source in the config");
                told = since;
            } else if (!late && told) {
                told.reset();
                co_await end(kind_waiting);
            }
        } catch (const std::exception& error) {
            log_error("supply.failed", {{"project", name_}, {"error", error.what()}});
        }
        if (!stopping_) co_await watch_pause_.wait(longest_pause);
    }
}

awaitable<void> ProjectSupply::note(std::string kind, std::string message) {
    const Trouble trouble{
        .kind = std::move(kind),
        .subject = "project/" + name_,
        .project = project_,
        .message = std::move(message)};
    const auto now_s = clock_.now_s();
    co_await writer_.run([&](Database& db) { note_trouble(db, trouble, now_s); });
}

awaitable<void> ProjectSupply::end(std::string kind) {
    const auto now_s = clock_.now_s();
    co_await writer_.run([&](Database& db) { end_trouble(db, kind, "project/" + name_, now_s); });
}

// The log has the whole reason; rows go into reports, which are no place for paths of this machine.
ProjectSupply::Supplied ProjectSupply::take_failure(
    Errc code, const std::string& reason, std::string& why) {
    if (stopping_) return Supplied::not_now;
    why = without_paths(reason);
    log_warn("source.failed", {{"project", name_}, {"error", reason}});
    return code == Errc::unavailable ? Supplied::not_now : Supplied::failed;
}

awaitable<ProjectSupply::Supplied> ProjectSupply::ask(
    const std::function<void(Repositories&)>& work, std::string& why) {
    Supplied outcome = Supplied::done;
    busy_since_ = Steady::now();
    try {
        co_await lane_.run(work);
    } catch (const Error& error) {
        outcome = take_failure(error.code(), error.what(), why);
    } catch (const std::exception& error) {
        outcome = take_failure(Errc::internal, error.what(), why);
    }
    busy_since_.reset();
    if (stopping_) co_return Supplied::not_now;
    const bool passing = outcome == Supplied::not_now;
    back_off_ = passing ? std::clamp(2 * back_off_, first_back_off, longest_back_off) : seconds(0);
    not_before_ = Steady::now() + back_off_;
    co_return outcome;
}

// What open work needs from the repository; a row that cannot be read needs nothing.
awaitable<ProjectSupply::Supplied> ProjectSupply::ask_repository(
    const std::string& unreadable,
    const std::function<void(Repositories&)>& work,
    std::string& why) {
    if (!unreadable.empty()) {
        why = unreadable;
        co_return Supplied::failed;
    }
    const Supplied outcome = co_await ask(work, why);
    if (stopping_) co_return outcome;
    const auto unreachable =
        outcome == Supplied::not_now ? std::optional(why) : std::optional<std::string>();
    const auto now_s = clock_.now_s();
    co_await writer_.run(
        [&](Database& db) { note_repository(db, project_, name_, unreachable, now_s); });
    co_return outcome;
}

std::string ProjectSupply::try_unless_failed(
    Database& db, const std::string& why, const std::function<void()>& work) {
    return why.empty() ? try_alone(db, work).value_or("") : why;
}

awaitable<bool> ProjectSupply::supply_triggers() {
    std::vector<Trigger> triggers;
    co_await writer_.run([&](Database& db) {
        const auto& webhook = config_.now().webhook;
        const auto quiet_s = webhook ? webhook->settle_s : 0;
        triggers = take_due_triggers(db, quiet_s, clock_.now_s(), max_supplies, project_);
    });
    for (const auto& trigger : triggers) {
        std::optional<NightlyVersion> newest_night;
        co_await writer_.run([&](Database& db) {
            if (const auto night = find_newest_night(db, project_)) {
                newest_night = NightlyVersion{night->version, night->day, night->revision};
            }
        });
        std::optional<NightlyOffer> offer;
        std::string why;
        if (!trigger.wanted) co_await plant_self_test(why);
        const std::function<void(Repositories&)> work = [&](Repositories& all) {
            offer = all.offer(name_, trigger.wanted, newest_night);
        };
        if (why.empty()) co_await ask(work, why);
        if (stopping_) co_return false;
        const auto now_s = clock_.now_s();
        const auto& projects = config_.now().projects;  // a reload may have taken it meanwhile
        const auto known = projects.find(name_);
        if (why.empty() && known == projects.end()) {
            why = "project " + name_ + " is no longer in the config";
        }
        co_await writer_.run([&](Database& db) {
            why = try_unless_failed(db, why, [&] {
                record_nightly(db, trigger.id, known->second, offer, now_s, FirstId::after_room);
            });
            if (!why.empty()) end_trigger(db, trigger.id, {TriggerState::failed, why}, now_s);
            // What somebody asked for by name may be a name that was never there.
            if (trigger.wanted) return;
            if (why.empty() && !offer) why = "it has none to offer";
            const auto trouble = why.empty() ? std::nullopt : std::optional(why);
            note_source(db, project_, name_, trouble, now_s);
            if (!offer || trouble) return;
            note_incomplete(db, project_, name_, offer->version, offer->missing, now_s);
        });
    }
    co_return !triggers.empty();
}

namespace {

NewSource new_source(const SourceTree& tree) {
    constexpr std::size_t most = 1000;
    std::string notes;
    for (const auto& note : tree.notes) notes += (notes.empty() ? "" : "; ") + note;
    return {
        .tree = tree.digest,
        .describe = tree.describe,
        .committed_at_s = tree.committed_at_s,
        .notes = text::one_line(notes, most)};
}

}  // namespace

bool ProjectSupply::waits_for_submodules(BuildId build, const SourceTree& tree) {
    const auto now = Steady::now();
    auto& waiting = incomplete_.try_emplace(build, Incomplete{now, now}).first->second;
    const auto waited = std::chrono::duration_cast<seconds>(now - waiting.since);
    waiting.next = now + std::clamp(waited, first_back_off, longest_back_off);
    const bool passing = std::any_of(
        tree.missing.begin(), tree.missing.end(), [](const MissingSubmodule& submodule) {
            return submodule.code == Errc::unavailable;
        });
    return passing && waited < submodule_patience;
}

// The recipe of the project's archives, where revisions are built by the same one.
std::optional<Digest> ProjectSupply::recipe_of_both() const {
    const auto& projects = config_.now().projects;
    const auto known = projects.find(name_);
    if (known == projects.end() || !are_archives_searched(known->second)) return std::nullopt;
    const auto recipe = wire::digest_of(known->second.recipe);
    const bool is_same = wire::digest_of(*known->second.source_recipe) == recipe;
    return is_same ? std::optional(recipe) : std::nullopt;
}

awaitable<bool> ProjectSupply::supply_trees() {
    std::vector<MissingSource> missing;
    const int most = max_supplies + static_cast<int>(incomplete_.size());
    co_await writer_.run([&](Database& db) { missing = list_missing_sources(db, most, project_); });
    std::erase_if(incomplete_, [&](const auto& one) {  // nobody waits for it any more
        return std::ranges::count(missing, one.first, &MissingSource::build) == 0;
    });
    bool moved = false;
    for (const auto& source : missing) {
        const auto later = incomplete_.find(source.build);
        if (later != incomplete_.end() && Steady::now() < later->second.next) continue;
        const auto recipe = recipe_of_both();
        std::vector<Digest> archives;
        if (recipe) {
            co_await writer_.run([&](Database& db) {
                archives = list_built_archives(db, source.build, *recipe, most_archives);
            });
        }
        SourceTree tree;
        std::optional<Digest> same;
        std::string why;
        const std::function<void(Repositories&)> work = [&](Repositories& all) {
            tree = all.export_tree(name_, source.revision);
            if (tree.missing.empty()) same = all.find_same_tree(archives, tree.digest);
        };
        if (co_await ask_repository(source.unreadable, work, why) == Supplied::not_now) break;
        const auto now_s = clock_.now_s();
        if (why.empty()) {
            co_await writer_.run(
                [&](Database& db) { note_submodules(db, project_, name_, tree, now_s); });
        }
        if (!tree.missing.empty()) {
            if (waits_for_submodules(source.build, tree)) continue;
            why = submodule_words(tree.missing);
        }
        incomplete_.erase(source.build);
        co_await writer_.run([&](Database& db) {
            why = try_unless_failed(db, why, [&] {
                record_content(db, tree.digest, tree.bytes, ContentKind::source, now_s);
                record_source(db, source.build, new_source(tree));
                if (same) share_products(db, source.build, *recipe, *same);
            });
            if (!why.empty()) record_source_failure(db, source.build, why, now_s);
        });
        moved = true;
        on_moved();
    }
    co_return moved;
}

awaitable<bool> ProjectSupply::supply_pulls() {
    const auto missing = co_await writer_.run(
        [&](Database& db) { return list_listing_pulls(db, project_, max_supplies); });
    bool moved = false;
    for (const auto& wanted : missing) {
        Revision base;
        std::string why;
        const std::function<void(Repositories&)> work = [&](Repositories& all) {
            base = all.merge_base(name_, wanted.number, wanted.base, wanted.head);
        };
        if (co_await ask_repository("", work, why) == Supplied::not_now) break;
        const auto now_s = clock_.now_s();
        co_await writer_.run([&](Database& db) {
            if (why.empty()) {
                record_merge_base(db, config_.now(), wanted.id, base, now_s);
            } else {
                fail_pull(db, wanted.id, why, now_s);
            }
        });
        moved = true;
    }
    co_return moved;
}

awaitable<bool> ProjectSupply::supply_names() {
    const auto missing = co_await writer_.run(
        [&](Database& db) { return list_missing_names(db, max_supplies, project_); });
    bool moved = false;
    for (const auto& wanted : missing) {
        std::optional<NightlyOffer> offer;
        std::string why;
        const std::function<void(Repositories&)> work = [&](Repositories& all) {
            offer = all.offer(name_, wanted.name, std::nullopt);
        };
        if (co_await ask_repository("", work, why) == Supplied::not_now) break;
        if (why.empty() && !offer) why = "the source has none";
        const auto now_s = clock_.now_s();
        co_await writer_.run([&](Database& db) {
            why = try_unless_failed(db, why, [&] { record_named(db, wanted, *offer, now_s); });
            if (!why.empty()) record_unnamed(db, wanted, why, now_s);
        });
        moved = true;
    }
    co_return moved;
}

}  // namespace vigil::service
