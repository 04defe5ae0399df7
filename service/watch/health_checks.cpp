#include "service/watch/health_checks.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "schema/text/lines.hpp"
#include "service/schedule/build_jobs.hpp"
#include "service/schedule/day_budget.hpp"
#include "service/source/words.hpp"
#include "service/store/disk_days.hpp"
#include "service/store/ids.hpp"
#include "service/store/work/builds.hpp"
#include "service/store/work/triggers.hpp"
#include "service/watch/self_test.hpp"

namespace vigil::service {

namespace {

constexpr std::int64_t patience_s = 20;      // a job may wait so long for any worker
constexpr std::int64_t claim_margin_s = 15;  // beyond a long poll, for the next one to arrive

constexpr std::int64_t forgotten_after_s = 86'400;  // a submodule that no tree has any more

constexpr int named_workers = 20;  // of a class, the last seen

constexpr const char* no_workers = "class.no_workers";
constexpr const char* budget_spent = "budget.spent";

std::string utc_words(std::int64_t time_s) {
    return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(static_cast<std::time_t>(time_s)));
}

void look_for_workers(Database& db, const Config& config, std::int64_t now_s) {
    std::set<std::string> served_by_none;
    const auto seen_since_s = now_s - hearing_s(config.jobs);
    for (const auto& waiting : list_waiting_classes(db)) {
        if (now_s - waiting.since_s < patience_s) continue;
        // What keeps a cluster's machines away is a trouble of its own (service/fleet).
        if (config.fleet && config.fleet->machine_classes.contains(waiting.name)) continue;
        const auto workers = list_class_workers(db, waiting.id, named_workers);
        auto why = why_nobody(workers, seen_since_s);
        if (!why) why = why_nobody_builds(db, config, waiting.name, workers);
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

void look_for_nights(Database& db, const Config& config, std::int64_t now_s) {
    for (const auto& [name, project] : config.projects) {
        const auto id = find_project(db, name);
        // What is asked for now decides first.
        if (!id || !list_waiting_triggers(db, 1, id).empty()) continue;
        const auto last_s = last_night_s(db, *id, project);
        const bool late =
            project.schedule && project.night_due_s > 0 && now_s - last_s > project.night_due_s;
        const auto said = find_newest_trigger_message(db, *id);
        const Trouble trouble{
            .kind = "night.late",
            .subject = "project/" + name,
            .project = *id,
            .message = fmt::format(
                "{}: no new nightly since {}; the last check reported: {}",
                name,
                utc_words(last_s),
                said.value_or("not checked yet"))};
        set_trouble(db, trouble, late, now_s);
    }
}

// From the first job that waits because of it until the day ends: then it is told once a day,
// however often the queue is empty meanwhile.
void look_for_spent_budgets(Database& db, const Config& config, std::int64_t now_s) {
    const auto spent = list_spent_budgets(db, config, now_s);
    std::set<std::string> told;
    for (const auto& one : list_troubles(db, budget_spent)) told.insert(one.subject);
    for (const auto& [name, project] : config.projects) {
        const auto id = find_project(db, name);
        if (!id) continue;
        const auto found = spent.find(*id);
        const auto subject = "project/" + name;
        const bool lasts =
            found != spent.end() &&
            (told.contains(subject) || has_queued_up_to(db, *id, highest_held_back(found->second)));
        if (!lasts && !told.contains(subject)) continue;
        const Trouble trouble{
            .kind = budget_spent,
            .subject = subject,
            .project = *id,
            .message = lasts ? name + ": " + spent_words(found->second, now_s) : ""};
        set_trouble(db, trouble, lasts, now_s);
    }
}

/// Whether the trouble's project still has instructions counted.
bool counts_instructions(const TroubleOwner& trouble, const Config& config) {
    const auto project = config.projects.find(trouble.project.value_or(""));
    if (project == config.projects.end()) return false;
    const auto& suites = project->second.suites;
    return std::any_of(suites.begin(), suites.end(), [](const auto& suite) {
        return std::any_of(suite.second.begin(), suite.second.end(), [](const auto& plan) {
            return plan.counts_instructions;
        });
    });
}

void end_strangers(Database& db, const Config& config, std::int64_t now_s) {
    for (const auto& open : list_trouble_owners(db)) {
        if (left_config(open, config)) end_trouble(db, open.kind, open.subject, now_s);
    }
}

}  // namespace

std::int64_t hearing_s(const JobConfig& jobs) {
    return jobs.claim_wait_s + claim_margin_s;
}

// Whoever makes nightlies of another kind makes them without a new commit, too.
std::int64_t last_night_s(Database& db, ProjectId project, const ProjectConfig& config) {
    const auto last = config.source.kind == SourceKind::git ? find_newest_answer_s(db, project)
                                                            : find_newest_night_s(db, project);
    return last ? *last : project_since_s(db, project);
}

void check_health(Database& db, const Config& config, std::int64_t now_s) {
    end_strangers(db, config, now_s);
    look_for_workers(db, config, now_s);
    look_for_nights(db, config, now_s);
    look_for_spent_budgets(db, config, now_s);
    check_self_tests(db, config, now_s);
}

void note_disk(
    Database& db,
    bool is_full,
    std::int64_t free_bytes,
    std::int64_t needed_bytes,
    std::int64_t now_s) {
    constexpr std::int64_t mib = 1 << 20;
    const Trouble trouble{
        .kind = "disk.full",
        .subject = "disk/state_dir",
        .project = {},
        .message = fmt::format(
            "the disk of the daemon's state folder is full: {} MiB are free, and {} are kept for "
            "the ledger (ledger.ballast_bytes); results are refused (507) until there is room: "
            "remove what else lies on that disk, or lower ledger.content_max_bytes",
            free_bytes / mib,
            needed_bytes / mib)};
    set_trouble(db, trouble, is_full, now_s);
    note_disk_day(db, {now_s / 86'400, free_bytes});
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
                   "; the next check tries again"};
    set_trouble(db, trouble, why.has_value(), now_s);
}

void note_incomplete(
    Database& db,
    ProjectId project,
    const std::string& name,
    const std::string& version,
    const std::vector<std::string>& missing,
    std::int64_t now_s) {
    const Trouble trouble{
        .kind = "source.incomplete",
        .subject = "project/" + name,
        .project = project,
        .message = without_paths(
            name + ": nightly " + version + " is measured without " +
            fmt::format("{}", fmt::join(missing, "; ")) +
            ". When it is whole, trigger it again, or wait for the next one")};
    set_trouble(db, trouble, !missing.empty(), now_s);
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

std::string submodule_words(const std::vector<MissingSubmodule>& missing) {
    std::string words;
    for (const auto& one : missing) {
        words += fmt::format(
            "{}submodule \"{}\" cannot be had: {}",
            words.empty() ? "" : "; ",
            one.path,
            without_paths(one.why));
    }
    return text::one_line(words, 2000);
}

void note_submodules(
    Database& db,
    ProjectId project,
    const std::string& name,
    const SourceTree& tree,
    std::int64_t now_s) {
    const std::string kind = "submodule.missing";
    const std::string subject = "project/" + name + "/";
    std::set<std::string> missing;
    for (const auto& one : tree.missing) {
        missing.insert(subject + one.path);
        const Trouble trouble{
            .kind = kind,
            .subject = subject + one.path,
            .project = project,
            .message =
                name + ": " + submodule_words({one}) + "; no revision that needs it can be built"};
        note_trouble(db, trouble, now_s);
    }
    const std::set<std::string> there(tree.submodules.begin(), tree.submodules.end());
    for (const auto& open : list_troubles(db, kind)) {
        if (!open.subject.starts_with(subject) || missing.contains(open.subject)) continue;
        const bool old = open.seen_s + forgotten_after_s < now_s;
        if (old || there.contains(open.subject.substr(subject.size()))) {
            end_trouble(db, kind, open.subject, now_s);
        }
    }
}

void note_build(Database& db, const NightlyRow& nightly, std::int64_t now_s) {
    const auto facts = load_build_facts(db, nightly.build);
    if (!facts.built && facts.failures == 0) return;
    const auto name = load_project_name(db, nightly.project);
    const Trouble trouble{
        .kind = "nightly.unbuildable",
        .subject = "project/" + name,
        .project = nightly.project,
        .message = fmt::format(
            "{}: the newest nightly, {}, does not build: {}",
            name,
            load_revision(db, nightly.build).brief(),
            find_build_failure(db, nightly.build).value_or("no message"))};
    set_trouble(db, trouble, !facts.built, now_s);
}

std::optional<std::string> why_nobody(
    const std::vector<ClassWorker>& workers, std::int64_t seen_since_s) {
    std::string words;
    for (const auto& worker : workers) {
        const bool is_here = worker.last_seen_at_s >= seen_since_s || worker.has_lease;
        if (worker.is_active() && is_here) return std::nullopt;
        words += (words.empty() ? "worker " : ", worker ") + worker.name;
        words += worker.is_active() ? " has not been seen since " + utc_words(worker.last_seen_at_s)
                                    : " is " + worker.state +
                                          (worker.reason.empty() ? "" : " (" + worker.reason + ")");
    }
    return words.empty() ? "it has no worker yet" : words;
}

bool left_config(const TroubleOwner& trouble, const Config& config) {
    constexpr std::string_view target = "target/";
    if (trouble.subject.starts_with(target)) {
        return !trouble.owes_reports &&
               !config.report_targets.contains(trouble.subject.substr(target.size()));
    }
    if (trouble.kind == no_workers) return false;
    if (trouble.kind == counts_nothing && !counts_instructions(trouble, config)) return true;
    return (trouble.project && !config.projects.contains(*trouble.project)) ||
           (trouble.worker && find_worker_class(config, *trouble.worker) == nullptr);
}

}  // namespace vigil::service
