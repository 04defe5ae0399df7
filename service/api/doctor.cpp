#include "service/watch/doctor.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "service/api/common/handlers.hpp"
#include "service/api/common/listing.hpp"
#include "service/runtime/free_bytes.hpp"
#include "service/schedule/worker_state.hpp"
#include "service/store/content_store.hpp"
#include "service/store/ids.hpp"
#include "service/store/nights/rolled.hpp"
#include "service/watch/health_checks.hpp"
#include "service/watch/night/roll_up.hpp"

// What is wrong or about to be, looked for when somebody asks. Each read is short and bounded, on a
// lane for long reads; nothing here waits for the writer.

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr std::chrono::milliseconds tables_at_most{2000};
constexpr std::chrono::milliseconds content_at_most{1000};
constexpr int most_listed = 100;  // of a kind
constexpr int most_silent = 1000;
constexpr int messages_looked_at = 1000;
constexpr int runs_looked_at = 2000;
constexpr std::int64_t between_parts_s = 60;

/// Those that the config knows; machines of a cluster come and go.
std::vector<SilentWorker> workers_of(Database& db, const Config& config, std::int64_t now_s) {
    auto workers = list_silent_workers(db, now_s - worker_silent_s, most_listed);
    std::erase_if(
        workers, [&](const SilentWorker& worker) { return !config.workers.contains(worker.name); });
    return workers;
}

std::vector<SkewedWorker> clocks_of(Database& db, const Config& config) {
    auto workers = list_skewed_workers(db, clock_skew_s, runs_looked_at);
    std::erase_if(workers, [&](const SkewedWorker& worker) {
        return find_worker_class(config, worker.name) == nullptr;
    });
    return workers;
}

ProjectFacts facts_of(
    Database& db,
    const Config& config,
    const ProjectConfig& project,
    const std::vector<Trouble>& troubles) {
    ProjectFacts facts;
    facts.name = project.name;
    facts.has_schedule = project.schedule.has_value();
    const auto id = find_project(db, project.name);
    if (!id) return {.name = project.name};  // nothing of it yet
    facts.last_night_s = last_night_s(db, *id, project);
    facts.is_late = std::any_of(troubles.begin(), troubles.end(), [&](const Trouble& trouble) {
        return trouble.kind == "night.late" && trouble.subject == "project/" + project.name;
    });
    if (const auto raw = config.ledger.raw_nights; raw > 0) {
        facts.nights_to_roll =
            count_nights_to_roll(db, *id, std::max(raw, fewest_raw_nights), most_nights_to_roll);
    }
    facts.silent = list_silent_series(db, *id, silent_nights, within_nights, most_silent);
    return facts;
}

DoctorFacts load_doctor_facts(Database& db, const HandlerContext& context) {
    const auto& config = context.config;
    const auto now_s = context.now_s;
    DoctorFacts facts;
    facts.now_s = now_s;
    facts.troubles = list_troubles(db);
    facts.free_bytes = free_bytes(config.state_dir);
    facts.ballast_bytes = config.ledger.ballast_bytes;
    facts.disk_days = list_disk_days(db, disk_days_looked_at);
    facts.newest_event_s = newest_event_s(db);
    facts.ledger_since_s = ledger_since_s(db);
    facts.held = list_held_jobs(
        db, now_s - job_held_s, context.steady_s - lease_grace_s, context.steady_s, most_listed);
    facts.given_up = count_given_up(db, messages_looked_at);
    facts.workers = workers_of(db, config, now_s);
    facts.clocks = clocks_of(db, config);
    facts.nights = list_long_nights(db, now_s - night_long_s, most_listed);
    facts.searches = list_long_searches(db, now_s - search_long_s, most_listed);
    facts.tokens = list_ending_tokens(db, now_s, now_s + token_ends_s, most_listed);
    for (const auto& [name, project] : config.projects) {
        facts.projects.push_back(facts_of(db, config, project, facts.troubles));
    }
    const ContentStore content(std::filesystem::path(config.state_dir) / "content");
    const auto turn = now_s / between_parts_s;
    facts.content = check_content(db, content, now_s, content_at_most, turn);
    facts.ledger = check_tables(db, tables_at_most, turn);
    if (!config.ledger.backup_dir.empty()) {
        facts.backup = find_newest_backup(config.ledger.backup_dir);
    }
    facts.backup_due_s = config.ledger.backup_due_s;
    return facts;
}

json finding_json(const DoctorFinding& finding) {
    return {
        {"kind", finding.kind},
        {"subject", finding.subject},
        {"badness", to_string(finding.badness)},
        {"message", finding.message},
        {"remedy", finding.remedy},
        {"since_s", finding.since_s ? json(*finding.since_s) : json()}};
}

}  // namespace

http::Response get_doctor(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const auto facts = load_doctor_facts(db, context);
    const auto findings = diagnose(facts);
    auto list = json::array();
    for (const auto& finding : findings) list.push_back(finding_json(finding));
    return object_response(
        {{"healthy", std::none_of(findings.begin(), findings.end(), needs_person)},
         {"checked_at_s", facts.now_s},
         {"findings", std::move(list)},
         {"tables", facts.ledger.tables},
         {"tables_checked", facts.ledger.checked},
         {"content_parts", facts.content.parts},
         {"content_parts_checked", facts.content.checked}});
}

}  // namespace vigil::service
