#include "service/report/deliver/callbacks.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/wire/digest.hpp"
#include "schema/wire/json.hpp"
#include "service/report/deliver/tracker_pace.hpp"
#include "service/schedule/leases.hpp"
#include "service/store/alone.hpp"
#include "service/store/ids.hpp"
#include "service/store/troubles.hpp"
#include "service/store/work/builds.hpp"
#include "service/store/work/jobs.hpp"

namespace vigil::service {

namespace {

constexpr int leased_at_once = 100;
constexpr int failures_before_trouble = 4;
constexpr const char* failed = "callback.failed";

std::string callback_subject(const std::string& project) {
    return "project/" + project;
}

void lease(Database& db, const JobRow& job, const CallbackConfig& to, const Moment& now) {
    const auto worker = find_only_worker(db, job.id);
    move_job(
        db,
        job,
        {.to = JobState::leased,
         .worker = worker,
         .lease_expires_at_s = now.steady_s + to.answer_within_s});
    AttemptRow attempt;
    attempt.number = job.attempt + 1;
    attempt.worker = worker;
    attempt.recipe = wire::sha256("");  // nothing is built
    add_attempt(db, job.id, attempt, now.now_s);
    add_callback(db, job.id, attempt.number, now.steady_s);
    const auto words = fmt::format("attempt {} is asked for elsewhere", attempt.number);
    record_job(db, job, "job.leased", words, now.now_s);
}

/// What is asked, in full: whoever answers needs nothing else.
std::string question(
    Database& db, const JobRow& job, const std::string& project, const CallbackConfig& to) {
    const auto plan = load_plan(db, job.id);
    const auto builds = list_job_builds(db, job.id);
    auto runs = nlohmann::json::array();
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const auto build = builds.at(static_cast<std::size_t>(plan.steps[i].build));
        runs.push_back({{"run", i}, {"revision", load_revision(db, build).str()}});
    }
    const auto& benchmark = plan.benchmarks.at(0);
    const nlohmann::json body = {
        {"job", job.id.value},
        {"attempt", job.attempt},
        {"project", project},
        {"benchmark", benchmark.benchmark},
        {"variant", benchmark.variant},
        {"machine_class", load_machine_class_name(db, job.machine_class)},
        {"runs", std::move(runs)},
        {"answer", fmt::format("/api/v1/jobs/{}/answer", job.id.value)},
        {"answer_within_s", to.answer_within_s}};
    return wire::write_json(body);
}

const CallbackConfig* callback_of(const Config& config, const std::string& project) {
    const auto found = config.projects.find(project);
    if (found == config.projects.end() || !is_external(found->second)) return nullptr;
    return found->second.source.callback ? &*found->second.source.callback : nullptr;
}

/// Its scheme, name and port.
std::string receiver_of(const CallbackConfig& to) {
    const auto& url = to.kind == CallbackKind::webhook ? to.url : to.base_url;
    const auto scheme = url.find("://");
    const auto end = url.find('/', scheme == url.npos ? 0 : scheme + 3);
    return "callback " + url.substr(0, end);
}

void end(Database& db, const PendingCallback& row, const std::string& why, const Moment& now) {
    write_callback(db, row, {OutboxState::dead, row.tries, now.steady_s, why});
}

}  // namespace

int lease_external(Database& db, const Config& config, const Moment& now) {
    int count = 0;
    for (const auto& [name, project] : config.projects) {
        const auto* to = callback_of(config, name);
        if (to == nullptr) {
            end_trouble(db, failed, callback_subject(name), now.now_s);
            continue;
        }
        const auto id = find_project(db, name);
        if (!id) continue;
        for (const auto& job : list_waiting_for_own(db, *id, leased_at_once)) {
            const auto trouble = try_alone(db, [&] { lease(db, job, *to, now); });
            if (trouble) end_unreadable(db, job, *trouble, now.now_s);
            ++count;
        }
    }
    return count;
}

std::vector<DueCallback> take_due_callbacks(Database& db, const Config& config, const Moment& now) {
    std::vector<DueCallback> taken;
    for (const auto& row : list_due_callbacks(db, now.steady_s)) {
        const auto job = load_job(db, row.job);
        const auto project = load_project_name(db, job.project);
        const auto* to = callback_of(config, project);
        if (to == nullptr || job.state != JobState::leased || job.attempt != row.attempt) {
            end(db, row, "nobody waits for it any more", now);
            continue;
        }
        DueCallback due{row, job.project, *to, receiver_of(*to), {}};
        if (holds_back(find_circuit(db, due.receiver), now.steady_s)) continue;
        const auto trouble = try_alone(db, [&] {
            due.body = question(db, job, project, *to);
            OutboxRow begun;
            begun.attempts = row.tries;
            begun = begin_attempt(begun, now.steady_s);
            due.row.tries = begun.attempts;
            write_callback(
                db,
                row,
                {begun.state, begun.attempts, begun.next_attempt_at_s, "", begun.in_flight});
        });
        if (trouble) {
            end(db, row, *trouble, now);
            end_unreadable(db, job, *trouble, now.now_s);
        } else {
            taken.push_back(std::move(due));
        }
    }
    return taken;
}

int resume_callbacks(Database& db, const Moment& now) {
    const auto cut = list_cut_callbacks(db);
    for (const auto& callback : cut) {
        OutboxRow begun;
        begun.attempts = callback.tries;
        const auto row = resume_attempt(begun, now.steady_s);
        write_callback(db, callback, {row.state, row.attempts, row.next_attempt_at_s});
    }
    return static_cast<int>(cut.size());
}

void finish_callback(
    Database& db,
    const Config& config,
    const DueCallback& callback,
    const SendReply& reply,
    const Moment& now) {
    const auto steady = in_steady_time(reply, now);
    move_circuit(db, callback.receiver, reply, now.steady_s);
    OutboxRow begun;
    begun.attempts = callback.row.tries;
    const auto row = end_attempt(begun, steady, now.steady_s);
    write_callback(db, callback.row, {row.state, row.attempts, row.next_attempt_at_s, row.message});

    Trouble trouble;
    trouble.kind = failed;
    trouble.subject = callback_subject(load_project_name(db, callback.project));
    trouble.project = callback.project;
    trouble.message = "runs cannot be asked for elsewhere: " + row.message;
    if (row.state == OutboxState::sent) {
        end_trouble(db, trouble.kind, trouble.subject, now.now_s);
    } else if (row.state == OutboxState::dead || row.attempts >= failures_before_trouble) {
        note_trouble(db, trouble, now.now_s);
    }
    const auto job = load_job(db, callback.row.job);
    if (job.state != JobState::leased || job.attempt != callback.row.attempt) return;
    const auto words = std::to_string(row.attempts) + " tries: " + row.message;
    if (row.state == OutboxState::dead) {
        const AttemptEnd lost{.outcome = AttemptOutcome::failed, .message = words};
        lose_attempt(db, config.jobs, job, lost, now.now_s);
    }
}

}  // namespace vigil::service
