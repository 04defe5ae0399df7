#include "service/watch/search/fix_search.hpp"

#include <algorithm>
#include <set>

#include "service/store/alone.hpp"
#include "service/store/findings/fixes.hpp"
#include "service/store/findings/regressions.hpp"
#include "service/store/series/suspicions.hpp"
#include "service/watch/recover/fix.hpp"
#include "service/watch/search/causes.hpp"
#include "service/watch/search/inside.hpp"
#include "service/watch/search/regressions.hpp"

namespace vigil::service {

namespace {

constexpr int budget_share = 4;              // of what a regression's own search may use: 1 / 4
constexpr std::size_t most_candidates = 20;  // more say no more than the range does

BisectionId outermost(Database& db, BisectionId bisection) {
    const auto way = list_way_in(db, bisection);
    return way.empty() ? bisection : way.back().outer;
}

std::vector<ConfirmedChange> list_back(Database& db, const FixRow& fix) {
    std::vector<ConfirmedChange> back;
    for (const auto& held : list_held_series(db, fix.regression)) {
        const auto change = find_change(db, fix.regression, held.series);
        if (held.recovered != fix.nightly || !change) continue;
        back.push_back(
            {.suspicion = {},
             .series = held.series,
             .good_nightly = fix.bad_nightly,
             .session = {},
             .confirmed = change->confirmed,
             .by_outcome = change->by_outcome});
    }
    return back;
}

void begin_fix(
    Database& db,
    const ProjectConfig& config,
    const JobConfig& jobs,
    const FixRow& fix,
    std::int64_t now_s) {
    const auto back = list_back(db, fix);
    if (back.empty()) return;
    auto settings = search_settings(db, config, jobs, fix.nightly, back, now_s);
    // What is known of the regression says nothing of what fixed it.
    settings.sessions.clear();
    settings.nights.clear();
    settings.named.clear();
    for (auto& spec : settings.specs) spec.better = true;
    settings.budget = {
        std::max(config.search.max_probes / budget_share, 1),
        std::max(config.search.max_builds / budget_share, 1)};
    const auto regression = load_regression(db, fix.regression);
    const NewBisection search{
        .project = regression.project,
        .nightly = fix.nightly,
        .kind = BisectionKind::mending,
        .good = fix.bad,
        .bad = fix.fixed,
        .settings = std::move(settings)};
    const auto begun = add_bisection(db, search, now_s);
    note_search(db, fix.id, begun);
    const auto words =
        "what fixed regression " + to_string(fix.regression) + " is measured: no text names it";
    record_bisection_event(db, begun, "mending", words, now_s);
}

void name_measured(const SuspectRow& commit, bool inside, Fix& told) {
    if (inside && told.merge.empty()) {
        told.merge = told.revision;
        told.merge_subject = told.subject;
    }
    told.by = history::FixedBy::measured;
    told.revision = commit.revision;
    told.subject = commit.subject;
    told.author = commit.author;
}

}  // namespace

ChangedAt changed_at(const BisectionConclusion& conclusion, bool inside) {
    auto causes = causes_of(conclusion, inside);
    std::erase_if(causes, [&](const auto& cause) {
        return !inside && cause.endings.front().ending == search::Ending::not_reproduced;
    });
    std::set<int> commits;
    const auto add = [&](int first, int last) {
        for (int i = first; i <= last; ++i) commits.insert(i);
    };
    for (const auto& cause : causes) {
        for (const auto& ending : cause.endings) {
            add(ending.first, ending.last);
            if (ending.remaining) add(ending.remaining->first, ending.remaining->last);
        }
    }
    ChangedAt at{{commits.begin(), commits.end()}, false, {}};
    if (causes.size() != 1) return at;
    at.endings = std::move(causes.front().endings);
    at.measured = commits.size() == 1 && at.endings.front().ending == search::Ending::culprit;
    return at;
}

void search_fixes(
    Database& db,
    const ProjectConfig& config,
    const JobConfig& jobs,
    NightlyId nightly,
    std::int64_t now_s) {
    if (why_no_revisions(config)) return;
    for (const auto& fix : list_unmeasured(db, nightly)) {
        begin_fix(db, config, jobs, fix, now_s);
    }
}

bool is_fix_wanted(Database& db, BisectionId bisection) {
    const auto fix = find_measured(db, outermost(db, bisection));
    return fix && came_back(db, fix->regression, fix->nightly);
}

void conclude_fix(
    Database& db,
    const BisectionRow& bisection,
    const BisectionConclusion& conclusion,
    std::int64_t now_s) {
    const auto fix = find_measured(db, outermost(db, bisection.id));
    if (!fix) return;
    const bool inside = bisection.inside.has_value();
    const EndedBisection ended{bisection, fix->regression, list_suspects(db, bisection.id)};
    const auto at = changed_at(conclusion, inside);
    Fix told = load_told(db, fix->id);
    if (at.measured) {
        const auto commit = static_cast<std::size_t>(at.commits.front());
        name_measured(ended.suspects.at(commit), inside, told);
    } else if (
        !inside && at.commits.size() <= most_candidates &&
        at.commits.size() + 1 < ended.suspects.size()) {
        for (const int commit : at.commits) told.candidates.push_back(ended.revision(commit));
    }
    if (!at.endings.empty() && (at.measured || inside)) {
        if (go_inside(db, ended, fix->regression, at.endings, now_s).on) {
            mark_reported(db, fix->id, told);
            return;
        }
    }
    const bool is_told_better = told.by == history::FixedBy::measured || !told.candidates.empty();
    if (is_told_better) tell_measured(db, *fix, told, now_s);
}

}  // namespace vigil::service
