#include "service/watch/search/breakage.hpp"

#include "bisect/search/breakage.hpp"
#include "schema/wire/digest.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/store/events.hpp"
#include "service/store/findings/bisection_records.hpp"
#include "service/store/findings/probes.hpp"
#include "service/store/work/builds.hpp"
#include "service/watch/search/conclude.hpp"

namespace vigil::service {

namespace {

constexpr int max_lost_builds = 2;  // jobs that ended without a build that worked or failed

struct Search {
    BisectionId id;
    ProjectId project;
    NightlyId nightly;
    BisectionSettings settings;
};

std::optional<Search> find_open(Database& db, BisectionId id) {
    auto row = db.query(
        "SELECT project_id, nightly_id, settings FROM bisection WHERE id = ?1 "
        "AND state = 'searching' AND conclusion = '{}'",
        id);
    if (!row.next()) return std::nullopt;
    return Search{
        id, row.get<ProjectId>(0), row.get<NightlyId>(1), parse_settings(row.get<std::string>(2))};
}

// The newest nightly before this one whose build exists.
std::optional<BuildId> find_good_build(Database& db, NightlyId nightly) {
    return db.find<BuildId>(
        "SELECT o.build_id FROM nightly n JOIN night o ON o.project_id = n.project_id "
        "AND o.id < n.id AND o.revision <> n.revision WHERE n.id = ?1 AND EXISTS (SELECT 1 "
        "FROM product p WHERE p.build_id = o.build_id AND p.state = 'built') "
        "ORDER BY o.id DESC LIMIT 1",
        nightly);
}

// A machine class whose worker failed to build the nightly.
std::optional<MachineClassId> find_machine_class(Database& db, NightlyId nightly) {
    return db.find<MachineClassId>(
        "SELECT machine_class_id FROM job WHERE nightly_id = ?1 AND purpose = 'nightly' "
        "AND state = 'done' ORDER BY id LIMIT 1",
        nightly);
}

// What this recipe made of every commit, whoever asked for it. A single failure on each of two
// toolchains is no second failure.
std::vector<search::BuildTries> load_tries(
    Database& db, const Search& search, const Digest& recipe) {
    std::vector<search::BuildTries> tries;
    auto rows = db.query(
        "SELECT COALESCE(MAX(p.state = 'built'), 0), COALESCE(MAX(p.failures), 0) "
        "FROM suspect s LEFT JOIN build b ON b.project_id = ?2 AND b.revision = s.revision "
        "AND b.input_kind = 'source_tree' LEFT JOIN product p ON p.build_id = b.id "
        "AND p.recipe_digest = ?3 WHERE s.bisection_id = ?1 GROUP BY s.position "
        "ORDER BY s.position",
        search.id,
        search.project,
        recipe);
    while (rows.next()) tries.push_back({rows.get<bool>(0), rows.get<int>(1)});
    return tries;
}

int count_lost(Database& db, BisectionId bisection) {
    return db
        .find<int>(
            "SELECT COUNT(*) FROM probe p JOIN job j ON j.probe_id = p.id "
            "WHERE p.bisection_id = ?1 AND j.state IN ('failed', 'parked', 'cancelled')",
            bisection)
        .value_or(0);
}

int count_probes(Database& db, BisectionId bisection) {
    return db.find<int>("SELECT COUNT(*) FROM probe WHERE bisection_id = ?1", bisection)
        .value_or(0);
}

bool is_under_way(Database& db, BuildId build) {
    return db
        .find<int>(
            "SELECT 1 FROM job_build jb JOIN job j ON j.id = jb.job_id WHERE jb.build_id = ?1 "
            "AND j.state IN ('queued', 'leased') LIMIT 1",
            build)
        .has_value();
}

void ask(Database& db, const Search& search, int commit, std::int64_t now_s) {
    const auto build = ensure_suspect_build(db, search.project, search.id, commit, now_s);
    if (is_under_way(db, build)) return;
    search::ProbeRequest request;
    request.commits = {commit};
    request.why = "does commit " + std::to_string(commit) + " build";
    db.execute(
        "INSERT INTO probe(bisection_id, number, plan, state, created_at_s) "
        "VALUES (?1, ?2, ?3, 'open', ?4)",
        search.id,
        count_probes(db, search.id),
        to_text(request),
        now_s);
    NewJob job;
    job.probe = ProbeId{db.last_insert_id()};
    job.project = search.project;
    job.machine_class = search.settings.groups.front();
    job.purpose = Purpose::probe;
    job.priority = Priority::probe;
    job.nightly = search.nightly;
    job.builds = {build};
    add_job(db, job, now_s);
    record_event(
        db,
        now_s,
        "bisection.probe",
        search.project,
        "bisection/" + to_string(search.id),
        request.why);
}

search::SeriesEnding ending_of(const search::BreakageStep& step, int last) {
    search::SeriesEnding ending;
    ending.first = 1;
    ending.last = last;
    switch (step.state) {
        case search::Breakage::commit:
            ending.ending = search::Ending::culprit;
            ending.first = ending.last = step.commit;
            ending.parent = step.commit - 1;
            ending.probability = 1;
            ending.reason = "its parent is built, it failed " +
                            std::to_string(search::tries_of_a_build) + " times";
            break;
        case search::Breakage::none:
            ending.ending = search::Ending::not_reproduced;
            ending.reason = "the nightly is built when it is tried again";
            break;
        case search::Breakage::elsewhere:
            ending.reason =
                "the last good nightly cannot be built any more either: it is not the "
                "commits";
            break;
        case search::Breakage::open: break;
    }
    return ending;
}

void conclude(
    Database& db,
    const Search& search,
    const search::BreakageStep& step,
    int last,
    std::int64_t now_s) {
    const auto ending = ending_of(step, last);
    const bool found = ending.ending == search::Ending::culprit;
    const auto builds = count_probes(db, search.id);
    const BisectionConclusion conclusion{
        ending.reason + "; " + std::to_string(builds) + (builds == 1 ? " build" : " builds"),
        {ending},
        {}};
    db.execute(
        "UPDATE bisection SET conclusion = ?2, state = ?3, ended_at_s = ?4 WHERE id = ?1",
        search.id,
        to_text(conclusion),
        found ? BisectionState::searching : BisectionState::done,  // its log is still to be read
        found ? std::nullopt : std::optional(now_s));
    record_event(
        db,
        now_s,
        "bisection.done",
        search.project,
        "bisection/" + to_string(search.id),
        conclusion.summary);
}

}  // namespace

int end_unbuildable_jobs(
    Database& db, const ProjectConfig& config, NightlyId nightly, std::int64_t now_s) {
    const auto build = build_of(db, nightly);
    if (load_build_facts(db, build).failures < search::tries_of_a_build) return 0;
    const std::string of_class =
        "SELECT 1 FROM product p JOIN worker w ON w.toolchain = p.toolchain "
        "WHERE w.machine_class_id = job.machine_class_id AND p.build_id = ?2 "
        "AND p.recipe_digest = ?3 AND p.state = ";
    const auto ended = db.execute(
        "UPDATE job SET state = 'failed', ended_at_s = ?5, message = 'its build failed ' || ?4 || "
        "' times' WHERE nightly_id = ?1 AND purpose = 'nightly' AND state = 'queued' "
        "AND EXISTS (" +
            of_class + "'failed' AND p.failures >= ?4) AND NOT EXISTS (" + of_class + "'built')",
        nightly,
        build,
        wire::digest_of(config.recipe),
        search::tries_of_a_build,
        now_s);
    if (ended > 0) {
        record_event(
            db,
            now_s,
            "nightly.unbuildable",
            db.find<ProjectId>("SELECT project_id FROM nightly WHERE id = ?1", nightly),
            "nightly/" + to_string(nightly),
            std::to_string(ended) + " jobs ended: its build failed");
    }
    return static_cast<int>(ended);
}

bool search_breakage(
    Database& db, const ProjectConfig& config, NightlyId nightly, std::int64_t now_s) {
    if (config.source.kind != SourceKind::git) return false;
    const auto bad = build_of(db, nightly);
    const auto seen = load_build_facts(db, bad);
    const auto good = find_good_build(db, nightly);
    const auto machine_class = find_machine_class(db, nightly);
    if (seen.built || seen.failures == 0 || !good || !machine_class) return false;
    BisectionSettings settings;
    settings.groups = {*machine_class};
    settings.budget = {config.search.max_probes, config.search.max_builds};
    db.execute(
        "INSERT INTO bisection(project_id, nightly_id, good_revision, bad_revision, state, "
        "planner, settings, created_at_s, kind) "
        "SELECT project_id, id, ?2, revision, 'listing', ?3, ?4, ?5, 'build' FROM nightly "
        "WHERE id = ?1",
        nightly,
        load_revision(db, *good),
        search::planner_version,
        to_text(settings),
        now_s);
    const BisectionId bisection{db.last_insert_id()};
    record_event(
        db,
        now_s,
        "bisection.breakage",
        db.find<ProjectId>("SELECT project_id FROM nightly WHERE id = ?1", nightly),
        "bisection/" + to_string(bisection),
        "nightly " + to_string(nightly) + " does not build; the commit is searched");
    return true;
}

bool is_breakage(Database& db, BisectionId bisection) {
    return db.find<int>("SELECT 1 FROM bisection WHERE id = ?1 AND kind = 'build'", bisection)
        .has_value();
}

void advance_breakage(
    Database& db, const ProjectConfig& config, BisectionId id, std::int64_t now_s) {
    const auto search = find_open(db, id);
    if (!search || close_probes(db, id) > 0) return;
    if (const int lost = count_lost(db, id); lost >= max_lost_builds) {
        fail_bisection(
            db, id, std::to_string(lost) + " builds ended without saying whether they work", now_s);
        return;
    }
    const auto tries = load_tries(db, *search, wire::digest_of(config.recipe));
    const auto step = search::next_build(tries);
    if (step.state != search::Breakage::open) {
        conclude(db, *search, step, static_cast<int>(tries.size()) - 1, now_s);
    } else if (count_probes(db, id) >= search->settings.budget.max_builds) {
        fail_bisection(db, id, "all builds of the search are spent", now_s);
    } else {
        ask(db, *search, step.commit, now_s);
    }
}

std::vector<MissingLog> list_missing_logs(Database& db, int limit) {
    std::vector<MissingLog> missing;
    auto rows = db.query(
        "SELECT b.id, (SELECT p.log_digest FROM suspect s JOIN build c "
        "ON c.project_id = b.project_id AND c.revision = s.revision "
        "AND c.input_kind = 'source_tree' JOIN product p ON p.build_id = c.id "
        "AND p.state = 'failed' WHERE s.bisection_id = b.id "
        "AND s.position = json_extract(b.conclusion, '$.endings[0].first') "
        "ORDER BY p.id DESC LIMIT 1) FROM bisection b WHERE b.kind = 'build' "
        "AND b.state = 'searching' AND b.conclusion <> '{}' ORDER BY b.id LIMIT ?1",
        limit);
    while (rows.next()) {
        missing.push_back({rows.get<BisectionId>(0), rows.get<std::optional<Digest>>(1)});
    }
    return missing;
}

void record_log_tail(
    Database& db, BisectionId bisection, const std::string& tail, std::int64_t now_s) {
    db.execute(
        "UPDATE bisection SET log_tail = ?2, state = 'done', ended_at_s = ?3 WHERE id = ?1 "
        "AND kind = 'build' AND state = 'searching'",
        bisection,
        tail,
        now_s);
}

}  // namespace vigil::service
