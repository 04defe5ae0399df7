#include <set>
#include <vector>

#include "service/app/project_supply.hpp"
#include "service/store/alone.hpp"
#include "service/store/findings/bisections.hpp"
#include "service/store/findings/fixes.hpp"
#include "service/store/findings/revert_checks.hpp"
#include "service/store/findings/whys.hpp"
#include "service/store/nights/backfills.hpp"
#include "service/store/nights/night_commits.hpp"
#include "service/store/nights/nightlies.hpp"
#include "service/watch/night/backfill.hpp"
#include "service/watch/night/night_commits.hpp"
#include "service/watch/quarantine.hpp"
#include "service/watch/recover/fix.hpp"
#include "service/watch/requested/reverts.hpp"
#include "service/watch/search/bisect.hpp"
#include "service/watch/search/nights_between.hpp"

// What rows ask for of a project's history: its commits, in order.

namespace vigil::service {

using boost::asio::awaitable;

// Empty: there is one, or the project is gone.
std::string ProjectSupply::why_no_history() const {
    const auto& projects = config_.now().projects;
    const auto known = projects.find(name_);
    if (known == projects.end() || has_history(known->second)) return "";
    return why_no_revisions(known->second).value_or("");
}

awaitable<bool> ProjectSupply::supply_suspects() {
    const auto missing = co_await writer_.run(
        [&](Database& db) { return list_missing_suspects(db, max_supplies, project_); });
    bool moved = false;
    for (const auto& wanted : missing) {
        if (wanted.of_nights) {
            if (!co_await supply_nights(wanted)) break;
            moved = true;
            continue;
        }
        auto obstacle = wanted.unreadable;
        if (obstacle.empty()) obstacle = why_no_history();
        history::Range range;
        std::string why;
        const std::function<void(Repositories&)> work = [&](Repositories& all) {
            range = wanted.dependency.empty() ? all.suspects(name_, wanted.good, wanted.bad)
                                              : all.moved_commits(name_, wanted.bad);
        };
        if (co_await ask_repository(obstacle, work, why) == Supplied::not_now) break;
        const auto now_s = clock_.now_s();
        const auto& projects = config_.now().projects;  // a reload may have taken it meanwhile
        const auto known = projects.find(name_);
        co_await writer_.run([&](Database& db) {
            if (why.empty() && known == projects.end()) {
                why = "project " + name_ + " is no longer in the config";
            }
            why = try_unless_failed(db, why, [&] {
                record_suspects(db, known->second, wanted.bisection, range, now_s);
            });
            if (!why.empty()) quarantine_bisection(db, wanted.bisection, why, now_s);
        });
        moved = true;
    }
    co_return moved;
}

awaitable<bool> ProjectSupply::supply_nights(MissingSuspects wanted) {
    NightEnds ends;
    co_await writer_.run([&](Database& db) { ends = load_night_ends(db, wanted.bisection); });
    std::vector<NightlyOffer> offers;
    std::string why;
    const std::function<void(Repositories&)> work = [&](Repositories& all) {
        offers = all.nights_between(name_, ends.good, ends.bad);
    };
    if (co_await ask_repository(wanted.unreadable, work, why) == Supplied::not_now) {
        co_return false;
    }
    const auto now_s = clock_.now_s();
    co_await writer_.run([&](Database& db) {
        why = try_unless_failed(
            db, why, [&] { record_nights_between(db, wanted.bisection, offers, now_s); });
        if (!why.empty()) quarantine_bisection(db, wanted.bisection, why, now_s);
    });
    co_return true;
}

awaitable<bool> ProjectSupply::supply_fixes() {
    const auto missing = co_await writer_.run(
        [&](Database& db) { return list_missing_fixes(db, max_supplies, project_); });
    bool moved = false;
    for (const auto& wanted : missing) {
        FixCommits commits;
        std::string why;
        const std::function<void(Repositories&)> work = [&](Repositories& all) {
            commits.range = all.claims(name_, wanted.bad, wanted.fixed);
        };
        if (co_await ask_repository(wanted.unreadable, work, why) == Supplied::not_now) break;
        const auto now_s = clock_.now_s();
        co_await writer_.run([&](Database& db) {
            commits.unlisted = why;
            record_fix(db, config_.now(), wanted.fix, commits, now_s);
        });
        moved = true;
    }
    co_return moved;
}

// What cannot be listed is left out: then no function is marked as of a file that was changed.
awaitable<bool> ProjectSupply::supply_touched() {
    const auto missing = co_await writer_.run(
        [&](Database& db) { return list_missing_touched(db, max_supplies, project_); });
    for (const auto& wanted : missing) {
        std::set<std::string> files;
        std::string why;
        const std::function<void(Repositories&)> work = [&](Repositories& all) {
            files = all.changed_files(name_, wanted.culprit);
        };
        const auto obstacle = why_no_history();
        if (co_await ask_repository(obstacle, work, why) == Supplied::not_now) co_return false;
        co_await writer_.run([&](Database& db) { note_touched(db, wanted.regression, files); });
    }
    co_return !missing.empty();
}

awaitable<bool> ProjectSupply::supply_reverts() {
    std::vector<ApplyingRevert> applying;
    std::optional<Revision> newest_night;
    co_await writer_.run([&](Database& db) {
        applying = list_applying_reverts(db, max_supplies, project_);
        if (applying.empty()) return;
        if (const auto night = find_newest_night(db, project_)) newest_night = night->revision;
    });
    bool moved = false;
    for (const auto& wanted : applying) {
        history::RevertTry tried;
        std::string why;
        const std::function<void(Repositories&)> work = [&](Repositories& all) {
            tried = all.revert(name_, wanted.culprit, newest_night);
        };
        const auto obstacle = why_no_history();
        if (co_await ask_repository(obstacle, work, why) == Supplied::not_now) break;
        const auto now_s = clock_.now_s();
        co_await writer_.run([&](Database& db) {
            const auto failed =
                try_alone(db, [&] { record_revert(db, wanted, tried, why, now_s); });
            if (failed) record_revert(db, wanted, tried, *failed, now_s);
        });
        moved = true;
    }
    co_return moved;
}

awaitable<bool> ProjectSupply::supply_backfills() {
    const auto missing = co_await writer_.run(
        [&](Database& db) { return list_missing_days(db, max_supplies, project_); });
    bool moved = false;
    for (const auto& wanted : missing) {
        std::vector<PastDay> days;
        std::string why;
        const std::function<void(Repositories&)> work = [&](Repositories& all) {
            days = all.past_days(name_, wanted);
        };
        if (co_await ask_repository(wanted.unreadable, work, why) == Supplied::not_now) break;
        const auto now_s = clock_.now_s();
        co_await writer_.run([&](Database& db) {
            why = try_unless_failed(
                db, why, [&] { record_days(db, config_.now(), wanted.backfill, days, now_s); });
            if (!why.empty()) fail_backfill(db, wanted.backfill, why, now_s);
        });
        moved = true;
    }
    co_return moved;
}

// One at a time, when its turn comes. What cannot be had is skipped by name.
awaitable<bool> ProjectSupply::supply_archives() {
    std::optional<PastArchive> wanted;
    co_await writer_.run([&](Database& db) { wanted = find_wanted_archive(db, project_); });
    if (!wanted) co_return false;
    std::optional<NightlyOffer> offer;
    std::string why;
    const std::function<void(Repositories&)> work = [&](Repositories& all) {
        offer = all.find_version(name_, wanted->version);
    };
    if (co_await ask_repository("", work, why) == Supplied::not_now) co_return false;
    if (why.empty() && !offer) why = "the source no longer offers it";
    const auto now_s = clock_.now_s();
    co_await writer_.run([&](Database& db) {
        why = try_unless_failed(db, why, [&] { record_archive(db, *wanted, *offer, now_s); });
        if (!why.empty()) skip_past_archive(db, *wanted, why, now_s);
    });
    co_return true;
}

// The newest are asked for first; a night whose project has no git history waits for one.
awaitable<bool> ProjectSupply::supply_night_commits() {
    const auto& projects = config_.now().projects;
    const auto known = projects.find(name_);
    if (known == projects.end() || known->second.source.repository.empty()) co_return false;
    const auto unlisted = co_await writer_.run(
        [&](Database& db) { return list_unlisted_nights(db, project_, max_supplies); });
    bool moved = false;
    for (const auto& night : unlisted) {
        auto commits = none_before_first();
        std::string why;
        const std::function<void(Repositories&)> work = [&](Repositories& all) {
            commits = kept_of(all.night_commits(name_, night.since_revision, night.revision));
        };
        if (night.since || !night.unreadable.empty()) {
            const auto outcome = co_await ask_repository(night.unreadable, work, why);
            if (outcome == Supplied::not_now) break;
        }
        if (!why.empty()) commits = {0, {}, why};
        co_await writer_.run([&](Database& db) {
            const auto failed = try_alone(db, [&] { record_night_commits(db, night, commits); });
            if (failed) record_night_commits(db, night, {0, {}, *failed});
        });
        moved = true;
    }
    co_return moved;
}

}  // namespace vigil::service
