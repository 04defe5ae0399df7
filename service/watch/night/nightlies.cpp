#include "service/watch/night/nightlies.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "bisect/search/breakage.hpp"
#include "schema/wire/job_json.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/schedule/trigger.hpp"
#include "service/store/content_index.hpp"
#include "service/store/events.hpp"
#include "service/store/ids.hpp"
#include "service/store/nights/backfills.hpp"
#include "service/store/work/builds.hpp"
#include "service/store/work/night_jobs.hpp"

namespace vigil::service {

namespace {

// A pinned version is pinned on the day it arrives, for every series it will have.
bool is_pin(const ProjectConfig& config, const NightlyOffer& offer) {
    return !config.pinned_version.empty() && (offer.version == config.pinned_version ||
                                              offer.revision.str() == config.pinned_version);
}

// Why an offer is no night, in words; nullopt: it is one.
std::optional<std::string> why_beside(Database& db, ProjectId project, Standing standing) {
    if (standing == Standing::newer) return std::nullopt;
    const auto newest = find_newest_night(db, project);
    if (!newest) return std::nullopt;
    return (standing == Standing::not_newer ? "not newer than nightly "
                                            : "off the line of nightly ") +
           to_string(newest->id) + " (" + newest->name + ")";
}

// "night-7 at revision 0123abc"
std::string words_of(const NightlyOffer& offer) {
    return offer.version + " at revision " + offer.revision.brief();
}

// Ends a trigger that brought no new nightly.
Arrival answer(
    Database& db,
    TriggerId trigger,
    ProjectId project,
    const std::optional<NightlyRow>& known,
    const std::string& message,
    std::int64_t now_s) {
    const auto nightly = known ? std::optional(known->id) : std::nullopt;
    end_trigger(db, trigger, {TriggerState::done, message, nightly}, now_s);
    const auto* kind = known ? "nightly.same" : "nightly.none";
    record_event(db, now_s, kind, project, "trigger/" + to_string(trigger), message);
    return known ? Arrival::again : Arrival::none;
}

}  // namespace

std::int64_t count_night_jobs(const ProjectConfig& config) {
    std::int64_t jobs = 0;
    for (const auto& entry : config.matrix) {
        jobs += std::ssize(entry.machine_classes) * std::ssize(config.suites.at(entry.suite));
    }
    return jobs;
}

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
                job.plan.benchmarks = {launched(benchmark, config, class_name)};
                job.plan.steps.assign(static_cast<std::size_t>(config.runs_per_night), Step{0, 0});
                add_job(db, job, now_s);
                ++planned;
            }
        }
    }
    return planned;
}

BuildId ensure_offered_build(
    Database& db, ProjectId project, const NightlyOffer& offer, std::int64_t now_s) {
    if (offer.input_kind == InputKind::source_tree) {
        return ensure_source_build(db, project, offer.revision, now_s);
    }
    record_content(db, offer.input, offer.input_bytes, ContentKind::artifact, now_s);
    return ensure_archive_build(db, project, offer.revision, offer.input, now_s);
}

Arrival record_nightly(
    Database& db,
    TriggerId trigger,
    const ProjectConfig& config,
    const std::optional<NightlyOffer>& offer,
    std::int64_t now_s,
    FirstId first_id) {
    const auto project = ensure_project(db, config.name, now_s);
    if (!offer) {
        const std::string message = "no nightly: the source has none to offer";
        return answer(db, trigger, project, std::nullopt, message, now_s);
    }
    const auto build = ensure_offered_build(db, project, *offer, now_s);
    const auto beside = why_beside(db, project, offer->standing);
    const auto before = find_nightly_of(db, build);
    if (before && (beside || !before->beside)) {
        const auto message = "no new nightly: " + words_of(*offer) + " is nightly " +
                             to_string(before->id) +
                             (before->beside ? ", measured beside the nights" : "");
        return answer(db, trigger, project, before, message, now_s);
    }
    // Its version is the night's.
    if (before) rename_version(db, before->id, before->version + " (beside the nights)");
    const NewNightly fresh{project, build, offer->version, offer->day, offer->revision, beside};
    std::optional<NightlyId> id;
    if (first_id == FirstId::after_room) {
        const auto room = find_room(db, project);
        if (room.is_first) id = room.end;
    }
    const auto nightly = add_nightly(db, fresh, now_s, id);
    const auto priority = beside ? Priority::request : Priority::nightly;
    const int jobs = plan_jobs(db, config, project, nightly, build, priority, now_s);
    const auto message = "nightly " + to_string(nightly) + ": " + words_of(*offer) + ", " +
                         std::to_string(jobs) + " jobs" +
                         (offer->missing.empty()
                              ? ""
                              : ", without " + fmt::format("{}", fmt::join(offer->missing, "; "))) +
                         (beside                   ? ", beside the nights: " + *beside
                          : is_pin(config, *offer) ? ", the pinned baseline"
                                                   : "");
    end_trigger(db, trigger, {TriggerState::done, message, nightly}, now_s);
    record_event(db, now_s, "nightly.new", project, "nightly/" + to_string(nightly), message);
    return Arrival::fresh;
}

int repeat_unbuilt_jobs(
    Database& db, const ProjectConfig& config, const NightlyRow& nightly, std::int64_t now_s) {
    const auto recipe = wire::digest_of(config.recipe);
    auto unbuilt =
        list_unbuilt_jobs(db, nightly.id, nightly.build, recipe, search::tries_of_a_build);
    if (unbuilt.empty()) return 0;
    for (auto& one : unbuilt) {
        NewJob job;
        job.project = nightly.project;
        job.machine_class = one.machine_class;
        job.purpose = Purpose::nightly;
        job.priority = static_cast<Priority>(one.priority);
        job.nightly = nightly.id;
        job.builds = {nightly.build};
        job.plan = std::move(one.plan);
        add_job(db, job, now_s);
    }
    const auto words = std::to_string(unbuilt.size()) + " jobs begin anew: its build had failed";
    record_nightly_event(db, nightly, "nightly.again", words, now_s);
    return static_cast<int>(unbuilt.size());
}

}  // namespace vigil::service
