#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "schema/text/numbers.hpp"
#include "service/watch/doctor_rules.hpp"

namespace vigil::service {

namespace {

using Findings = std::vector<DoctorFinding>;

constexpr int few_nights_to_roll = 7;
constexpr std::size_t shown_names = 3;

DoctorFinding overdue_lease(const HeldJob& job) {
    const auto id = fmt::format("job/{}", job.job.value);
    return {
        "lease.overdue",
        id,
        Badness::failing,
        fmt::format(
            "job {} is still held by worker {}, and its lease ended {} ago: the daemon does not "
            "take leases back",
            job.job.value,
            job.worker,
            text::duration(job.overdue_s)),
        "vigil events --subject " + id + "; look for tick.failed in the daemon's log",
        job.claimed_at_s};
}

DoctorFinding endless_lease(const HeldJob& job, std::int64_t now_s) {
    return {
        "lease.endless",
        fmt::format("job/{}", job.job.value),
        Badness::will_fail,
        fmt::format(
            "worker {} has held job {} for {} and renews its lease",
            job.worker,
            job.job.value,
            text::duration(now_s - job.claimed_at_s)),
        fmt::format("vigil logs {0}; vigil job cancel {0}", job.job.value),
        job.claimed_at_s};
}

void add_jobs(const DoctorFacts& facts, Findings& found) {
    for (const auto& job : facts.held) {
        const bool is_over = job.overdue_s > lease_grace_s;
        found.push_back(is_over ? overdue_lease(job) : endless_lease(job, facts.now_s));
    }
}

void add_messages(const DoctorFacts& facts, Findings& found) {
    for (const auto& one : facts.given_up) {
        found.push_back(
            {"outbox.dead",
             "target/" + one.target,
             Badness::failing,
             fmt::format(
                 "{} to {} {} given up and can be sent again",
                 text::counted(one.count, "message"),
                 one.target,
                 one.count == 1 ? "was" : "were"),
             fmt::format("vigil outbox --given-up; vigil outbox retry {}", one.newest),
             one.since_s});
    }
}

void add_work(const DoctorFacts& facts, Findings& found) {
    for (const auto& night : facts.nights) {
        found.push_back(
            {"night.endless",
             fmt::format("nightly/{}", night.id.value),
             Badness::will_fail,
             fmt::format(
                 "night {} of {} has been {} since {}",
                 night.name,
                 night.project,
                 night.state,
                 time_words(night.created_at_s)),
             fmt::format("vigil status; vigil jobs --nightly {}", night.id.value),
             night.created_at_s});
    }
    for (const auto& search : facts.searches) {
        found.push_back(
            {"search.endless",
             fmt::format("bisection/{}", search.id.value),
             Badness::will_fail,
             fmt::format(
                 "search {} of {} has been {} since {}",
                 search.id.value,
                 search.project,
                 search.state,
                 time_words(search.created_at_s)),
             "vigil bisections --state " + search.state + "; vigil jobs --purpose probe",
             search.created_at_s});
    }
}

void add_workers(const DoctorFacts& facts, Findings& found) {
    for (const auto& worker : facts.workers) {
        found.push_back(
            {"worker.gone",
             "worker/" + worker.name,
             Badness::will_fail,
             fmt::format(
                 "worker {} of class {} has asked for no job since {}",
                 worker.name,
                 worker.machine_class,
                 time_words(worker.last_seen_at_s)),
             "systemctl status vigil-worker on its machine; take it out of workers where it is "
             "gone "
             "for good",
             worker.last_seen_at_s});
    }
    for (const auto& worker : facts.clocks) {
        found.push_back(
            {"worker.clock",
             "worker/" + worker.name,
             Badness::will_fail,
             fmt::format(
                 "the clock of worker {} is {} s or more {} the daemon's: the times of its runs "
                 "are "
                 "wrong",
                 worker.name,
                 std::abs(worker.ahead_s),
                 worker.ahead_s > 0 ? "ahead of" : "behind"),
             "timedatectl on its machine; set the clock right, and let it be kept so",
             std::nullopt});
    }
    for (const auto& token : facts.tokens) {
        found.push_back(
            {"token.ends",
             "token/" + token.name,
             Badness::will_fail,
             fmt::format("the token {} expires at {}", token.name, time_words(token.expires_at_s)),
             fmt::format("vigil token revoke {0}; vigil token add {0}", token.name),
             std::nullopt});
    }
}

std::string series_names(const std::vector<SilentSeries>& series) {
    std::string names;
    for (std::size_t i = 0; i < std::min(shown_names, series.size()); ++i) {
        const auto& one = series[i];
        names += fmt::format(
            "{}{} ({}) on {}, {}",
            i == 0 ? "" : "; ",
            one.benchmark,
            one.variant,
            one.machine_class,
            one.metric);
    }
    return names + (series.size() > shown_names ? "; ..." : "");
}

DoctorFinding silent_series(const ProjectFacts& project) {
    const auto& silent = project.silent;
    const auto oldest = std::min_element(
        silent.begin(), silent.end(), [](const SilentSeries& a, const SilentSeries& b) {
            return a.last_s < b.last_s;
        });
    return {
        "series.silent",
        "project/" + project.name,
        Badness::note,
        fmt::format(
            "{}: {} not measured in any of the last {} nights: {}",
            project.name,
            silent.size() == 1 ? "1 series was" : fmt::format("{} series were", silent.size()),
            silent_nights,
            series_names(silent)),
        fmt::format(
            "vigil series show {}; compare with suites and matrix of the config",
            silent.front().id.value),
        oldest->last_s};
}

void add_projects(const DoctorFacts& facts, Findings& found) {
    for (const auto& project : facts.projects) {
        const auto subject = "project/" + project.name;
        const bool is_silent =
            project.has_schedule && facts.now_s - project.last_night_s > source_silent_s;
        if (is_silent && !project.is_late) {
            found.push_back(
                {"source.silent",
                 subject,
                 Badness::will_fail,
                 fmt::format(
                     "{}: its source has offered no night since {}",
                     project.name,
                     time_words(project.last_night_s)),
                 fmt::format("vigil triggers --project {0}; vigil trigger {0}", project.name),
                 project.last_night_s});
        }
        if (!project.silent.empty()) found.push_back(silent_series(project));
        if (project.nights_to_roll <= few_nights_to_roll) continue;
        found.push_back(
            {"retention.behind",
             subject,
             Badness::will_fail,
             fmt::format(
                 "{}: {}{} are older than ledger.raw_nights and not rolled up yet",
                 project.name,
                 text::counted(project.nights_to_roll, "night"),
                 project.nights_to_roll == most_nights_to_roll ? " or more" : ""),
             "vigil retention; wait, or look for housekeeping.failed in the daemon's log",
             std::nullopt});
    }
}

}  // namespace

std::string time_words(std::int64_t time_s) {
    return text::utc(time_s) + " UTC";
}

std::vector<DoctorFinding> find_in_work(const DoctorFacts& facts) {
    Findings found;
    add_jobs(facts, found);
    add_messages(facts, found);
    add_work(facts, found);
    add_workers(facts, found);
    add_projects(facts, found);
    return found;
}

}  // namespace vigil::service
