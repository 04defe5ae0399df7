#include "service/watch/look_out.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "service/store/ids.hpp"
#include "service/store/troubles.hpp"
#include "service/store/work/builds.hpp"

namespace vigil::service {

namespace {

constexpr std::int64_t patience_s = 20;      // a job may wait so long for any worker
constexpr std::int64_t claim_margin_s = 15;  // beyond a long poll, for the next one to arrive

constexpr const char* no_workers = "class.no_workers";

std::string utc_words(std::int64_t time_s) {
    return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(static_cast<std::time_t>(time_s)));
}

struct WaitingClass {
    MachineClassId machine_class;
    std::string name;
    std::int64_t jobs = 0;
    std::int64_t since_s = 0;
    ProjectId project;  ///< of the oldest job
};

std::vector<WaitingClass> list_waiting_classes(Database& db) {
    std::vector<WaitingClass> waiting;
    auto rows = db.query(
        "SELECT c.id, c.name, COUNT(*), MIN(j.created_at_s), (SELECT x.project_id FROM job x "
        "WHERE x.machine_class_id = c.id AND x.state = 'queued' ORDER BY x.id LIMIT 1) "
        "FROM job j JOIN machine_class c ON c.id = j.machine_class_id WHERE j.state = 'queued' "
        "GROUP BY c.id ORDER BY c.id");
    while (rows.next()) {
        waiting.push_back(
            {rows.get<MachineClassId>(0),
             rows.get<std::string>(1),
             rows.get<std::int64_t>(2),
             rows.get<std::int64_t>(3),
             rows.get<ProjectId>(4)});
    }
    return waiting;
}

// Why none of a class's workers takes a job; nullopt: one is here, if only busy.
std::optional<std::string> why_nobody(
    Database& db, MachineClassId machine_class, std::int64_t seen_since_s) {
    std::string words;
    auto rows = db.query(
        "SELECT w.name, w.state, w.reason, w.last_seen_at_s, EXISTS (SELECT 1 FROM job j "
        "WHERE j.state = 'leased' AND j.worker_id = w.id) FROM worker w "
        "WHERE w.machine_class_id = ?1 ORDER BY w.last_seen_at_s DESC LIMIT 20",
        machine_class);
    while (rows.next()) {
        const auto state = rows.get<std::string>(1);
        const bool seen = rows.get<std::int64_t>(3) >= seen_since_s || rows.get<bool>(4);
        if (state == "active" && seen) return std::nullopt;
        const auto reason = rows.get<std::string>(2);
        words += (words.empty() ? "worker " : ", worker ") + rows.get<std::string>(0);
        words += state == "active" ? " has not asked since " + utc_words(rows.get<std::int64_t>(3))
                                   : " is " + state + (reason.empty() ? "" : " (" + reason + ")");
    }
    return words.empty() ? "no worker of it has come yet" : words;
}

void look_for_workers(Database& db, const Config& config, std::int64_t now_s) {
    std::set<std::string> served_by_none;
    const auto seen_since_s = now_s - hearing_s(config.jobs);
    for (const auto& waiting : list_waiting_classes(db)) {
        if (now_s - waiting.since_s < patience_s) continue;
        const auto why = why_nobody(db, waiting.machine_class, seen_since_s);
        if (!why) continue;
        const Trouble trouble{
            .kind = no_workers,
            .subject = "class/" + waiting.name,
            .project = waiting.project,
            .message = fmt::format(
                "{} of machine class {}, and no worker serves them: {}; start a worker of the "
                "class, or take it out of the matrix",
                waiting.jobs == 1 ? "a job waits for a worker"
                                  : std::to_string(waiting.jobs) + " jobs wait for a worker",
                waiting.name,
                *why)};
        note_trouble(db, trouble, now_s);
        served_by_none.insert(trouble.subject);
    }
    for (const auto& open : list_troubles(db, no_workers)) {
        if (!served_by_none.contains(open.subject))
            end_trouble(db, no_workers, open.subject, now_s);
    }
}

// When the project's nights last came. A git branch without a new commit has no new night, and
// that is no trouble; whoever else makes nightlies makes them without.
std::int64_t last_night_s(Database& db, ProjectId project, const ProjectConfig& config) {
    const char* came = config.source.kind == SourceKind::git
                           ? "SELECT MAX(ended_at_s) FROM trigger_request WHERE project_id = ?1 "
                             "AND state = 'done' AND nightly_id IN (SELECT id FROM night)"
                           : "SELECT MAX(created_at_s) FROM night WHERE project_id = ?1";
    const auto last = db.find<std::int64_t>(came, project);
    if (last) return *last;
    return db.find<std::int64_t>("SELECT created_at_s FROM project WHERE id = ?1", project)
        .value_or(0);
}

void look_for_nights(Database& db, const Config& config, std::int64_t now_s) {
    for (const auto& [name, project] : config.projects) {
        const auto id = find_project(db, name);
        if (!id) continue;
        // What is asked for right now decides first.
        const bool asked =
            db.find<int>(
                  "SELECT 1 FROM trigger_request WHERE +project_id = ?1 AND state = 'waiting' "
                  "LIMIT 1",
                  *id)
                .has_value();
        if (asked) continue;
        const auto last_s = last_night_s(db, *id, project);
        const bool late =
            project.schedule && project.night_due_s > 0 && now_s - last_s > project.night_due_s;
        const auto said = db.find<std::string>(
            "SELECT message FROM trigger_request WHERE project_id = ?1 ORDER BY id DESC LIMIT 1",
            *id);
        const Trouble trouble{
            .kind = "night.late",
            .subject = "project/" + name,
            .project = *id,
            .message = fmt::format(
                "{}: no new nightly since {}; the last look said: {}",
                name,
                utc_words(last_s),
                said.value_or("nobody has looked yet"))};
        set_trouble(db, trouble, late, now_s);
    }
}

// Who left the config says nothing more of itself, not even that all is well. A target that still
// owes reports is in trouble all the same.
void end_strangers(Database& db, const Config& config, std::int64_t now_s) {
    struct Open {
        std::string kind, subject;
        bool strange = false;
    };
    std::vector<Open> open;
    auto rows = db.query(
        "SELECT t.kind, t.subject, p.name, w.name, EXISTS (SELECT 1 FROM outbox o "
        "WHERE o.state = 'pending' AND 'target/' || o.target = t.subject) FROM trouble t "
        "LEFT JOIN project p ON p.id = t.project_id "
        "LEFT JOIN worker w ON 'worker/' || w.id = t.subject WHERE t.ended_s IS NULL");
    while (rows.next()) {
        Open one{rows.get<std::string>(0), rows.get<std::string>(1)};
        const auto project = rows.get<std::optional<std::string>>(2);
        const auto worker = rows.get<std::optional<std::string>>(3);
        constexpr std::string_view target = "target/";
        if (one.subject.starts_with(target)) {
            one.strange = !config.report_targets.contains(one.subject.substr(target.size())) &&
                          !rows.get<bool>(4);
        } else if (one.kind != no_workers) {  // that lasts while jobs wait, whose ever they are
            one.strange = (project && !config.projects.contains(*project)) ||
                          (worker && !config.workers.contains(*worker));
        }
        open.push_back(std::move(one));
    }
    for (const auto& one : open) {
        if (one.strange) end_trouble(db, one.kind, one.subject, now_s);
    }
}

}  // namespace

std::int64_t hearing_s(const JobConfig& jobs) {
    return jobs.claim_wait_s + claim_margin_s;
}

void look_out(Database& db, const Config& config, std::int64_t now_s) {
    end_strangers(db, config, now_s);
    look_for_workers(db, config, now_s);
    look_for_nights(db, config, now_s);
}

void note_source(
    Database& db,
    ProjectId project,
    const std::string& name,
    const std::optional<std::string>& why,
    std::int64_t now_s) {
    const Trouble trouble{
        .kind = "source.failed",
        .subject = "project/" + name,
        .project = project,
        .message = name + ": its source gives no nightly: " + why.value_or("") +
                   "; the next look tries again"};
    set_trouble(db, trouble, why.has_value(), now_s);
}

void note_repository(
    Database& db,
    ProjectId project,
    const std::string& name,
    const std::optional<std::string>& why,
    std::int64_t now_s) {
    const Trouble trouble{
        .kind = "repository.unreachable",
        .subject = "project/" + name,
        .project = project,
        .message = name + ": jobs and searches wait for its repository: " + why.value_or("")};
    set_trouble(db, trouble, why.has_value(), now_s);
}

void note_build(Database& db, NightlyId nightly, std::int64_t now_s) {
    const auto build = build_of(db, nightly);
    const auto facts = load_build_facts(db, build);
    if (!facts.built && facts.failures == 0) return;
    const auto project =
        db.find<ProjectId>("SELECT project_id FROM nightly WHERE id = ?1", nightly);
    const auto name = load_project_name(db, project.value_or(ProjectId{}));
    const auto why = db.find<std::string>(
        "SELECT message FROM product WHERE build_id = ?1 AND state = 'failed' "
        "ORDER BY id DESC LIMIT 1",
        build);
    const Trouble trouble{
        .kind = "nightly.unbuildable",
        .subject = "project/" + name,
        .project = project,
        .message = fmt::format(
            "{}: the newest nightly, {}, does not build: {}",
            name,
            load_revision(db, build).brief(),
            why.value_or("no message"))};
    set_trouble(db, trouble, !facts.built, now_s);
}

std::string undone_words(Database& db, NightlyId nightly) {
    std::string words;
    auto rows = db.query(
        "SELECT state, COUNT(*), MAX(message) FROM job WHERE nightly_id = ?1 "
        "AND state IN ('parked', 'failed', 'cancelled') GROUP BY state ORDER BY state DESC",
        nightly);
    while (rows.next()) {
        const auto jobs = rows.get<std::int64_t>(1);
        const auto why = rows.get<std::string>(2);
        words += fmt::format(
            "{}{} {} {}{}",
            words.empty() ? "" : "; ",
            jobs,
            jobs == 1 ? "job was" : "jobs were",
            rows.get<std::string>(0) == "failed" ? "ended" : rows.get<std::string>(0),
            why.empty() ? "" : ": " + why.substr(0, 300));
    }
    return words;
}

}  // namespace vigil::service
