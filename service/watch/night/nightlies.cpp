#include "service/watch/night/nightlies.hpp"

#include "service/schedule/job_queue.hpp"
#include "service/schedule/trigger.hpp"
#include "service/store/events.hpp"
#include "service/store/ids.hpp"
#include "service/store/work/builds.hpp"

namespace vigil::service {

namespace {

// One job a benchmark variant and machine class: a worker lost in the middle costs little, and two
// workers of a class share the night.
int plan_jobs(
    Database& db,
    const ProjectConfig& config,
    ProjectId project,
    NightlyId nightly,
    BuildId build,
    Priority priority,
    std::int64_t now_s) {
    int planned = 0;
    for (const auto& entry : config.matrix) {
        for (const auto& class_name : entry.machine_classes) {
            const auto machine_class = ensure_machine_class(db, class_name);
            for (const auto& benchmark : config.suites.at(entry.suite)) {
                NewJob job;
                job.project = project;
                job.machine_class = machine_class;
                job.purpose = Purpose::nightly;
                job.priority = priority;
                job.nightly = nightly;
                job.builds = {build};
                job.plan.benchmarks = {benchmark};
                job.plan.steps.assign(static_cast<std::size_t>(config.runs_per_night), Step{0, 0});
                add_job(db, job, now_s);
                ++planned;
            }
        }
    }
    return planned;
}

// A pinned version is pinned on the day it arrives, for every series it will have.
bool is_pin(const ProjectConfig& config, const NightlyOffer& offer) {
    return !config.pinned_version.empty() && (offer.version == config.pinned_version ||
                                              offer.revision.str() == config.pinned_version);
}

struct Known {
    NightlyId nightly;
    bool beside = false;
};

// The night of a build, or else what was measured of it beside the nights.
std::optional<Known> find_known(Database& db, BuildId build) {
    auto rows = db.query(
        "SELECT id, beside IS NOT NULL FROM nightly WHERE build_id = ?1 ORDER BY 2, id LIMIT 1",
        build);
    if (!rows.next()) return std::nullopt;
    return Known{rows.get<NightlyId>(0), rows.get<bool>(1)};
}

// Why an offer is no night, in words; nullopt: it is one.
std::optional<std::string> why_beside(Database& db, ProjectId project, Standing standing) {
    if (standing == Standing::newer) return std::nullopt;
    const auto newest = db.find<std::string>(
        "SELECT id || ' (' || name || ')' FROM night WHERE project_id = ?1 AND state <> 'failed' "
        "ORDER BY id DESC LIMIT 1",
        project);
    if (!newest) return std::nullopt;
    return (standing == Standing::not_newer ? "not newer than nightly "
                                            : "off the line of nightly ") +
           *newest;
}

}  // namespace

std::optional<NightlyVersion> find_newest_night(Database& db, ProjectId project) {
    auto rows = db.query(
        "SELECT version, day, revision FROM night WHERE project_id = ?1 AND state <> 'failed' "
        "ORDER BY id DESC LIMIT 1",
        project);
    if (!rows.next()) return std::nullopt;
    return NightlyVersion{
        rows.get<std::string>(0), rows.get<std::string>(1), rows.get<Revision>(2)};
}

Arrival record_nightly(
    Database& db,
    TriggerId trigger,
    const ProjectConfig& config,
    const std::optional<NightlyOffer>& offer,
    std::int64_t now_s) {
    const auto project = ensure_project(db, config.name, now_s);
    const std::string subject = "trigger/" + to_string(trigger);
    if (!offer) {
        const std::string message = "no nightly: the source has none to offer";
        finish_trigger(db, trigger, std::nullopt, message, now_s);
        record_event(db, now_s, "nightly.none", project, subject, message);
        return Arrival::none;
    }
    const BuildId build =
        offer->input_kind == InputKind::source_tree
            ? ensure_source_build(db, project, offer->revision, now_s)
            : ensure_archive_build(db, project, offer->revision, offer->input, now_s);
    const auto beside = why_beside(db, project, offer->standing);
    const auto before = find_known(db, build);
    if (before && (beside || !before->beside)) {
        const std::string message = "no new nightly: " + offer->version + " at revision " +
                                    offer->revision.brief() + " is nightly " +
                                    to_string(before->nightly) +
                                    (before->beside ? ", measured beside the nights" : "");
        finish_trigger(db, trigger, before->nightly, message, now_s);
        record_event(db, now_s, "nightly.same", project, subject, message);
        return Arrival::again;
    }
    if (before) {  // its version is the night's
        db.execute(
            "UPDATE nightly SET version = version || ' (beside the nights)' WHERE id = ?1",
            before->nightly);
    }
    db.execute(
        "INSERT INTO nightly(project_id, build_id, version, day, revision, state, created_at_s, "
        "beside) VALUES (?1, ?2, ?3, ?4, ?5, 'measuring', ?6, ?7)",
        project,
        build,
        offer->version,
        offer->day,
        offer->revision,
        now_s,
        beside);
    const NightlyId nightly{db.last_insert_id()};
    const auto priority = beside ? Priority::request : Priority::nightly;
    const int jobs = plan_jobs(db, config, project, nightly, build, priority, now_s);
    const std::string message = "nightly " + to_string(nightly) + ": " + offer->version +
                                " at revision " + offer->revision.brief() + ", " +
                                std::to_string(jobs) + " jobs" +
                                (beside                   ? ", beside the nights: " + *beside
                                 : is_pin(config, *offer) ? ", the pinned baseline"
                                                          : "");
    finish_trigger(db, trigger, nightly, message, now_s);
    record_event(db, now_s, "nightly.new", project, "nightly/" + to_string(nightly), message);
    return Arrival::fresh;
}

}  // namespace vigil::service
