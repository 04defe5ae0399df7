#include "service/watch/requested/requested_search.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "service/schedule/job_queue.hpp"
#include "service/store/alone.hpp"
#include "service/store/findings/bisections.hpp"
#include "service/store/findings/reported_searches.hpp"
#include "service/store/nights/nightlies.hpp"
#include "service/store/work/builds.hpp"
#include "service/watch/search/bisect.hpp"
#include "service/watch/search/causes.hpp"
#include "service/watch/search/conclude.hpp"
#include "service/watch/search/regressions.hpp"

namespace vigil::service {

namespace {

std::string words_of(Database& db, BisectionId bisection) {
    const auto records = find_search_records(db, bisection);
    if (!records) return "";
    const auto& conclusion = records->conclusion;
    const auto inside = find_inside(db, bisection);
    if (inside && !inside->dependency.empty()) {
        return words_of(db, inside->outer) + searched_inside(*inside) +
               said_of_dependency(db, bisection, conclusion);
    }
    if (conclusion.endings.empty()) return conclusion.summary;
    const auto& ending = conclusion.endings.front();
    if (ending.ending == search::Ending::culprit) {
        const auto line = list_suspects(db, bisection);
        const auto& culprit = line.at(static_cast<std::size_t>(ending.first));
        const auto way =
            inside ? fmt::format(" (came in by the merge {})", inside->merge.brief()) : "";
        return fmt::format(
            "commit {}{} changed it: {}", culprit.revision.str(), way, ending.reason);
    }
    if (!inside) return ending.reason;
    return fmt::format(
        "{}; inside of the merge {}: {}",
        words_of(db, inside->outer),
        inside->merge.brief(),
        ending.reason);
}

}  // namespace

BisectionId begin_requested_search(
    Database& db,
    const Config& whole,
    const ProjectConfig& config,
    const RequestRow& request,
    SessionId session,
    const SessionVerdict& ends,
    std::int64_t now_s) {
    const auto newest = find_newest_night(db, request.project);
    const ConfirmedChange change{
        .suspicion = {},
        .series = ends.series,
        .good_nightly = newest ? newest->id : NightlyId{},
        .session = session,
        .confirmed = ends.comparison,
        .by_outcome = false};
    auto settings = search_settings(db, config, whole.jobs, std::nullopt, {change}, now_s);
    settings.specs.front().better = ends.verdict == Verdict::improvement;
    if (const auto most = request.asked.max_probes) {
        settings.budget.max_probes = std::min(settings.budget.max_probes, *most);
        settings.budget.further = 0;
    }
    const NewBisection search{
        .project = request.project,
        .nightly = std::nullopt,
        .kind = BisectionKind::asked,
        .good = load_revision(db, *request.a_build),
        .bad = load_revision(db, *request.b_build),
        .settings = std::move(settings)};
    return add_bisection(db, search, now_s);
}

std::optional<EndedRequestedSearch> advance_requested_search(
    Database& db,
    const Config& whole,
    const ProjectConfig& config,
    BisectionId id,
    std::int64_t now_s) {
    const auto now_at = find_newest_inside(db, id);
    const auto trouble =
        try_alone(db, [&] { advance_bisection(db, whole, config, now_at, now_s); });
    if (trouble) fail_bisection(db, now_at, "its step failed: " + *trouble, now_s);
    const auto state = load_bisection_state(db, now_at);
    const bool done = state == BisectionState::done;
    if (!done && state != BisectionState::failed) return std::nullopt;
    if (find_newest_inside(db, id) != now_at) return std::nullopt;  // it leads on
    // What was found before stands, whatever became of the search inside of it.
    return EndedRequestedSearch{done || now_at != id, words_of(db, now_at)};
}

std::optional<FoundCommit> find_found(Database& db, BisectionId outermost) {
    for (auto at = find_newest_inside(db, outermost);;) {
        const auto inside = find_inside(db, at);
        const auto records = find_search_records(db, at);
        const bool in_project = !inside || inside->dependency.empty();
        if (in_project && records && !records->conclusion.endings.empty()) {
            const auto& ending = records->conclusion.endings.front();
            if (ending.ending == search::Ending::culprit) {
                const auto commit = list_suspects(db, at).at(std::size_t(ending.first));
                return FoundCommit{commit.revision, commit.subject, ending.verified};
            }
        }
        if (!inside) return std::nullopt;
        at = inside->outer;
    }
}

void end_requested_search(
    Database& db, BisectionId outermost, const std::string& why, std::int64_t now_s) {
    const auto bisection = find_newest_inside(db, outermost);
    for (const auto job : list_open_jobs(db, bisection)) cancel_job(db, job, now_s);
    if (!try_alone(db, [&] { fail_bisection(db, bisection, why, now_s); })) return;
    fail_unreadable_bisection(db, bisection, {why, {}, {}}, now_s);
}

}  // namespace vigil::service
