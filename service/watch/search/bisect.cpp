#include "service/watch/search/bisect.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/case_run.hpp"
#include "service/store/findings/bisections.hpp"
#include "service/store/findings/regressions.hpp"
#include "service/store/series/values.hpp"
#include "service/watch/search/bisection_facts.hpp"
#include "service/watch/search/breakage.hpp"
#include "service/watch/search/causes.hpp"
#include "service/watch/search/conclude.hpp"
#include "service/watch/search/fix_search.hpp"
#include "service/watch/search/plan_probe.hpp"
#include "service/watch/search/search_machines.hpp"
#include "service/watch/series/benchmarks.hpp"

namespace vigil::service {

namespace {

// Several series of one benchmark variant (time and memory) are one run, but for a case that runs
// alone.
std::vector<BenchmarkPlan> benchmarks_of(
    Database& db,
    const ProjectConfig& config,
    const BisectionRow& bisection,
    const search::ProbeRequest& request) {
    const auto alone = list_cases_alone(db, bisection.settings);
    std::set<std::pair<ClassVariant, std::string>> variants;
    for (const int index : request.series) {
        const auto at = static_cast<std::size_t>(index);
        const auto series = load_series(db, bisection.settings.series.at(at));
        variants.emplace(variant_of(series), alone.at(at));
    }
    std::vector<BenchmarkPlan> plans;
    for (const auto& [variant, case_name] : variants) {
        auto plan = find_benchmark(db, config, bisection.project, variant);
        plans.push_back(case_name.empty() ? std::move(plan) : of_case(std::move(plan), case_name));
    }
    return plans;
}

void ask(
    Database& db,
    const ProjectConfig& config,
    const BisectionRow& bisection,
    int number,
    const search::ProbeRequest& request,
    std::int64_t now_s) {
    JobPlan plan;
    plan.benchmarks = benchmarks_of(db, config, bisection, request);
    std::vector<int> positions;
    std::vector<BuildId> builds;
    for (const int commit : request.commits) {
        auto at = std::find(positions.begin(), positions.end(), commit);
        if (at == positions.end()) {
            positions.push_back(commit);
            builds.push_back(ensure_suspect_build(db, bisection, commit, now_s));
            at = std::prev(positions.end());
        }
        const int build = static_cast<int>(at - positions.begin());
        for (int b = 0; b < static_cast<int>(plan.benchmarks.size()); ++b) {
            plan.steps.push_back({build, b});
        }
    }
    plan_probe(db, bisection, number, request, std::move(builds), std::move(plan), now_s);
}

// A newer daemon goes on with what an older one began: what was measured stays, the rules are its
// own.
void go_on_under_own_rules(Database& db, const BisectionRow& bisection, std::int64_t now_s) {
    if (bisection.planner == search::planner_version) return;
    note_planner(db, bisection.id, search::planner_version);
    const auto words = "its rules were version " + std::to_string(bisection.planner) +
                       "; it goes on under version " + std::to_string(search::planner_version);
    record_bisection_event(db, bisection.id, "planner", words, now_s);
}

BisectionState state_of(const search::Decision& decision) {
    const bool verifies =
        std::any_of(decision.probes.begin(), decision.probes.end(), [](const auto& probe) {
            return probe.purpose == search::ProbePurpose::verify;
        });
    return verifies ? BisectionState::verifying : BisectionState::searching;
}

// A culprit that is verified is told at once, while further changes are looked for: when the probe
// that ended last is the one that verified it.
void tell_verified(
    Database& db,
    BisectionId bisection,
    const ReadBisection& read,
    const search::Decision& decision,
    std::int64_t now_s) {
    const auto& probes = read.driver.probes();
    const auto last =
        std::find_if(probes.rbegin(), probes.rend(), [](const auto& probe) { return probe.over; });
    if (last == probes.rend() || last->request.purpose != search::ProbePurpose::verify) return;
    const auto& commits = last->request.commits;
    for (const auto& one : decision.verified) {
        if (std::find(commits.begin(), commits.end(), one.last) == commits.end()) continue;
        const auto words = fmt::format(
            "{} is verified ({:+.1f} %, {:.1f} % sure); further changes are looked for",
            read.problem.name(one.last),
            100 * one.verified.change_ratio,
            100 * one.probability);
        record_bisection_event(db, bisection, "verified", words, now_s);
        return;  // series that moved with it say the same
    }
}

/// Whether anybody still waits for its answer. A regression that is back while its search goes on
/// gets its culprit all the same; one that turned out to be none does not.
bool is_wanted(Database& db, const BisectionRow& bisection) {
    if (bisection.kind == BisectionKind::mending) return is_fix_wanted(db, bisection.id);
    const bool is_of_regression =
        bisection.kind == BisectionKind::change || bisection.kind == BisectionKind::nights;
    if (!is_of_regression) return true;
    const auto regression =
        bisection.inside ? *bisection.inside->regression : load_regression_of(db, bisection.id);
    return load_regression(db, regression).ended_as != RegressionEnd::not_reproduced;
}

// A dependency was moved by one commit: there is nothing to measure.
void name_only_commit(Database& db, BisectionId id, std::int64_t now_s) {
    const auto bisection = load_bisection(db, id);
    BisectionConclusion conclusion;
    conclusion.summary = "the dependency is moved by one commit";
    for (int i = 0; i < static_cast<int>(bisection.settings.series.size()); ++i) {
        search::SeriesEnding ending;
        ending.series = i;
        ending.ending = search::Ending::culprit;
        ending.first = ending.last = 1;
        ending.reason = conclusion.summary;
        conclusion.endings.push_back(std::move(ending));
    }
    conclude_bisection(db, bisection, conclusion, now_s);
}

}  // namespace

void record_suspects(
    Database& db,
    const ProjectConfig& config,
    BisectionId bisection,
    const history::Range& range,
    std::int64_t now_s) {
    // What a merge brought left the line before it.
    const bool on_line = !find_inside(db, bisection);
    const bool of_archives = config.source.kind != SourceKind::git;
    if (of_archives && on_line && range.relation == history::Relation::forked) {
        constexpr const char* why =
            "the good night's revision is not in the history of the bad one's: the branch was "
            "written anew in between, so the commits between them are not known";
        fail_bisection(db, bisection, why, now_s);
        return;
    }
    move_bisection(db, bisection, BisectionState::searching, now_s);
    add_suspects(db, bisection, range);
    const auto words = std::to_string(range.suspects.size()) + " suspects";
    record_bisection_event(db, bisection, "searching", words, now_s);
    const auto kept_from = why_no_revisions(config);
    if (kept_from) return fail_bisection(db, bisection, *kept_from, now_s);
    const bool is_only = range.suspects.size() == 1 && !range.suspects.front().stands_for.empty();
    if (is_only) name_only_commit(db, bisection, now_s);
}

void advance_bisection(
    Database& db,
    const Config& whole,
    const ProjectConfig& config,
    BisectionId id,
    std::int64_t now_s) {
    const auto bisection = load_bisection(db, id);
    if (bisection.kind == BisectionKind::build) {
        advance_breakage(db, config, bisection, now_s);
        return;
    }
    if (bisection.state != BisectionState::searching &&
        bisection.state != BisectionState::verifying)
        return;
    if (!is_wanted(db, bisection)) {
        fail_bisection(db, id, "nobody waits for its answer any more", now_s);
        return;
    }
    go_on_under_own_rules(db, bisection, now_s);
    const int open_before = count_open_probes(db, id);
    const int open = close_probes(db, id);
    // Nothing has ended since the last step: the search would say the same.
    if (open == open_before && open > 0) return;
    auto read = read_bisection(db, bisection);
    read.problem.machines = list_search_machines(db, whole, bisection, now_s);
    if (const int lost = read.driver.lost_probes(); lost >= search::most_lost_probes) {
        fail_bisection(db, id, std::to_string(lost) + " probes ended without any value", now_s);
        return;
    }
    const auto decision = read.driver.decide(read.problem);
    if (decision.done) {
        BisectionConclusion conclusion{
            decision.summary, decision.endings, decision.posterior, decision.further};
        if (bisection.kind == BisectionKind::change && are_archives_searched(config)) {
            mark_of_sources(conclusion);
            if (!bisection.inside) keep_what_archives_show(conclusion, read.problem.suspects);
        }
        conclude_bisection(db, bisection, conclusion, now_s);
        record_bisection_event(db, id, "done", decision.summary, now_s);
        return;
    }
    if (decision.probes.empty() && open == 0) {
        fail_bisection(db, id, "the search asked for nothing: " + decision.summary, now_s);
        return;
    }
    tell_verified(db, id, read, decision, now_s);
    int number = static_cast<int>(read.driver.probes().size());
    for (const auto& probe : decision.probes) ask(db, config, bisection, number++, probe, now_s);
    const auto state = state_of(decision);
    if (state != bisection.state) move_bisection(db, id, state, now_s);
}

}  // namespace vigil::service
