#include "service/watch/search/bisect.hpp"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "service/schedule/job_queue.hpp"
#include "service/store/events.hpp"
#include "service/store/findings/probes.hpp"
#include "service/store/series/values.hpp"
#include "service/store/work/builds.hpp"
#include "service/watch/search/bisection_facts.hpp"
#include "service/watch/search/conclude.hpp"
#include "service/watch/search/prior.hpp"
#include "service/watch/series/benchmarks.hpp"

namespace vigil::service {

namespace {

// Probes that end without any value (workers lost, jobs parked) tell nothing; so many in one
// bisection mean that the fleet, not the search, needs a person.
constexpr int max_lost_probes = 8;

struct Bisection {
    BisectionId id;
    ProjectId project;
    NightlyId nightly;
    int planner = 0;  ///< version of the rules it last went on under
    BisectionSettings settings;
};

std::optional<Bisection> find_searching(Database& db, BisectionId id) {
    auto rows = db.query(
        "SELECT project_id, nightly_id, planner, settings FROM bisection "
        "WHERE id = ?1 AND kind = 'change' AND state IN ('searching', 'verifying')",
        id);
    if (!rows.next()) return std::nullopt;
    return Bisection{
        id,
        rows.get<ProjectId>(0),
        rows.get<NightlyId>(1),
        rows.get<int>(2),
        parse_settings(rows.get<std::string>(3))};
}

// Several series of one benchmark variant (time and memory) are one run.
std::vector<BenchmarkPlan> benchmarks_of(
    Database& db,
    const ProjectConfig& config,
    const Bisection& bisection,
    const search::ProbeRequest& request) {
    std::set<std::pair<std::string, std::string>> names;
    for (const int index : request.series) {
        const auto series =
            load_series(db, bisection.settings.series.at(static_cast<std::size_t>(index)));
        names.emplace(series.benchmark, series.variant);
    }
    std::vector<BenchmarkPlan> plans;
    for (const auto& [benchmark, variant] : names) {
        plans.push_back(find_benchmark(db, config, bisection.project, benchmark, variant));
    }
    return plans;
}

void plan_probe(
    Database& db,
    const ProjectConfig& config,
    const Bisection& bisection,
    int number,
    const search::ProbeRequest& request,
    std::int64_t now_s) {
    const bool verify = request.purpose == search::ProbePurpose::verify;
    db.execute(
        "INSERT INTO probe(bisection_id, number, plan, state, created_at_s) "
        "VALUES (?1, ?2, ?3, 'open', ?4)",
        bisection.id,
        number,
        to_text(request),
        now_s);
    NewJob job;
    job.probe = ProbeId{db.last_insert_id()};
    job.project = bisection.project;
    job.machine_class = bisection.settings.groups.at(static_cast<std::size_t>(request.group));
    job.purpose = verify ? Purpose::verify : Purpose::probe;
    job.priority = verify ? Priority::verify : Priority::probe;
    job.nightly = bisection.nightly;
    job.plan.benchmarks = benchmarks_of(db, config, bisection, request);
    std::vector<int> positions;
    for (const int commit : request.commits) {
        auto at = std::find(positions.begin(), positions.end(), commit);
        if (at == positions.end()) {
            positions.push_back(commit);
            job.builds.push_back(
                ensure_suspect_build(db, bisection.project, bisection.id, commit, now_s));
            at = std::prev(positions.end());
        }
        const int build = static_cast<int>(at - positions.begin());
        for (int b = 0; b < static_cast<int>(job.plan.benchmarks.size()); ++b) {
            job.plan.steps.push_back({build, b});
        }
    }
    add_job(db, job, now_s);
    record_event(
        db,
        now_s,
        "bisection.probe",
        bisection.project,
        "bisection/" + to_string(bisection.id),
        request.why);
}

// A newer daemon goes on with what an older one began: what was measured stays, the rules are its
// own.
void note_planner(Database& db, const Bisection& bisection, std::int64_t now_s) {
    if (bisection.planner == search::planner_version) return;
    db.execute(
        "UPDATE bisection SET planner = ?2 WHERE id = ?1", bisection.id, search::planner_version);
    record_event(
        db,
        now_s,
        "bisection.planner",
        bisection.project,
        "bisection/" + to_string(bisection.id),
        "its rules were version " + std::to_string(bisection.planner) +
            "; it goes on under version " + std::to_string(search::planner_version));
}

std::string brought_text(const history::Commit& commit) {
    auto brought = nlohmann::json::array();
    for (const auto& parent : commit.brought) brought.push_back(parent.str());
    return brought.dump();
}

bool asks_verification(const search::Decision& decision) {
    return std::any_of(decision.probes.begin(), decision.probes.end(), [](const auto& probe) {
        return probe.purpose == search::ProbePurpose::verify;
    });
}

}  // namespace

std::vector<MissingSuspects> list_missing_suspects(
    Database& db, int limit, std::optional<ProjectId> project) {
    std::vector<MissingSuspects> missing;
    auto rows = db.query(
        "SELECT id, project_id, good_revision, bad_revision, outer_id IS NOT NULL FROM bisection "
        "WHERE state = 'listing' AND (?2 IS NULL OR project_id = ?2) ORDER BY id LIMIT ?1",
        limit,
        project);
    while (rows.next()) {
        MissingSuspects wanted{rows.get<BisectionId>(0), rows.get<ProjectId>(1), {}, {}};
        try {
            wanted.good = rows.get<Revision>(2);
            wanted.bad = rows.get<Revision>(3);
            wanted.inside = rows.get<bool>(4);
        } catch (const Error& error) {
            wanted.unreadable = error.what();
        }
        missing.push_back(std::move(wanted));
    }
    return missing;
}

void record_suspects(
    Database& db, BisectionId bisection, const history::Range& range, std::int64_t now_s) {
    const auto project =
        *db.find<ProjectId>("SELECT project_id FROM bisection WHERE id = ?1", bisection);
    const auto insert = [&](int position, const Revision& revision, const history::Commit& commit) {
        // Whatever was built before is found again.
        const auto build = db.find<BuildId>(
            "SELECT id FROM build WHERE project_id = ?1 AND revision = ?2 "
            "AND input_kind = 'source_tree'",
            project,
            revision);
        db.execute(
            "INSERT INTO suspect(bisection_id, position, revision, parent, merge, subject, "
            "author, authored_at_s, build_id, pins, brought) "
            "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            bisection,
            position,
            revision,
            commit.parent,
            commit.merge,
            commit.subject,
            commit.author,
            commit.authored_at_s,
            build,
            commit.pins,
            brought_text(commit));
    };
    insert(0, range.base, {});
    int position = 0;
    for (const auto& commit : range.suspects) insert(++position, commit.revision, commit);
    db.execute(
        "UPDATE bisection SET state = 'searching', good_revision = ?2 WHERE id = ?1",
        bisection,
        range.base);
    record_event(
        db,
        now_s,
        "bisection.searching",
        project,
        "bisection/" + to_string(bisection),
        std::to_string(range.suspects.size()) + " suspects");
}

void advance_bisection(
    Database& db, const ProjectConfig& config, BisectionId id, std::int64_t now_s) {
    const auto bisection = find_searching(db, id);
    if (!bisection) return;
    note_planner(db, *bisection, now_s);
    const int open_before =
        db.find<int>("SELECT COUNT(*) FROM probe WHERE bisection_id = ?1 AND state = 'open'", id)
            .value_or(0);
    // Nothing has ended since the last step: the search would say the same.
    if (close_probes(db, id) == open_before && open_before > 0) return;
    const auto read = load_bisection_facts(db, id, bisection->settings);
    if (read.lost_probes >= max_lost_probes) {
        fail_bisection(
            db, id, std::to_string(read.lost_probes) + " probes ended without any value", now_s);
        return;
    }
    search::Problem problem;
    problem.suspects = static_cast<int>(read.builds.size()) - 1;
    problem.series = bisection->settings.specs;
    problem.budget = bisection->settings.budget;
    problem.costs = bisection->settings.costs;
    problem.workers = bisection->settings.workers;
    problem.weights =
        weigh_commits(read.line, bisection->settings.nights, bisection->settings.named);
    const auto decision = search::next(problem, read.facts);
    if (decision.done) {
        const BisectionConclusion conclusion{
            decision.summary, decision.endings, decision.posterior, decision.further};
        conclude_bisection(db, id, conclusion, now_s);
        record_event(
            db,
            now_s,
            "bisection.done",
            bisection->project,
            "bisection/" + to_string(id),
            decision.summary);
        return;
    }
    if (decision.probes.empty() && read.facts.open_probes.empty()) {
        fail_bisection(db, id, "the search asked for nothing: " + decision.summary, now_s);
        return;
    }
    int number = static_cast<int>(read.facts.asked.size());
    for (const auto& probe : decision.probes) {
        plan_probe(db, config, *bisection, number++, probe, now_s);
    }
    db.execute(
        "UPDATE bisection SET state = ?2 WHERE id = ?1",
        id,
        asks_verification(decision) ? BisectionState::verifying : BisectionState::searching);
}

}  // namespace vigil::service
