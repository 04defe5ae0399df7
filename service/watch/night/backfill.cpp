#include "service/watch/night/backfill.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "schema/text/numbers.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/store/alone.hpp"
#include "service/store/ids.hpp"
#include "service/store/nights/nightlies.hpp"
#include "service/store/series/records.hpp"
#include "service/store/series/series.hpp"
#include "service/store/work/builds.hpp"
#include "service/store/work/night_jobs.hpp"
#include "service/watch/night/nightlies.hpp"
#include "service/watch/night/past_steps.hpp"

namespace vigil::service {

namespace {

// The next one is built while the last runs of the one before go on.
constexpr int nights_at_once = 2;
constexpr int series_at_once = 25;

void check_bounds(const std::string& what, std::int64_t value, std::int64_t most) {
    if (value >= 1 && value <= most) return;
    throw Error(
        Errc::invalid_argument,
        fmt::format("{} is {}; it must lie between 1 and {}", what, value, most));
}

// The days that are to be measured, oldest first, and why others are not.
struct ChosenDays {
    std::vector<PastDay> days;
    std::int64_t known = 0, over_budget = 0, without_room = 0;
};

ChosenDays choose(
    Database& db,
    const BackfillRow& backfill,
    const std::vector<PastDay>& days,
    bool is_archive,
    std::int64_t night_runs,
    std::int64_t room) {
    ChosenDays chosen;
    for (const auto& day : days) {
        const bool is_known = is_archive ? is_known_version(db, backfill.project, day.version)
                                         : is_known_night(db, backfill.project, day.revision);
        if (is_known) {
            ++chosen.known;
        } else {
            chosen.days.push_back(day);
        }
    }
    // What is nearest to tonight tells most of it.
    const auto drop = [&](std::int64_t most) {
        const auto over = std::max<std::int64_t>(0, std::ssize(chosen.days) - most);
        chosen.days.erase(chosen.days.begin(), chosen.days.begin() + over);
        return over;
    };
    chosen.over_budget = drop(backfill.runs_budget / night_runs);
    chosen.without_room = drop(room);
    return chosen;
}

std::string words_of(const ChosenDays& chosen, std::int64_t night_runs) {
    auto words = text::counted(std::ssize(chosen.days), "night", "nights") +
                 fmt::format(" of {} runs each", night_runs);
    if (chosen.known > 0) words += fmt::format("; {} known already", chosen.known);
    if (chosen.over_budget > 0) {
        words += fmt::format("; {} older ones are beyond the budget", chosen.over_budget);
    }
    if (chosen.without_room > 0) {
        words +=
            fmt::format("; {} older ones have no place before the others", chosen.without_room);
    }
    return words;
}

void add_night(
    Database& db,
    const BackfillRow& backfill,
    NightlyId id,
    const PastDay& day,
    BuildId build,
    std::int64_t now_s) {
    // Asked for by name before: the version is the night's.
    if (const auto before = find_nightly_of(db, build)) {
        rename_version(db, before->id, before->version + " (beside the nights)");
    }
    const auto beside = "backfill " + to_string(backfill.id) + " measures it";
    const NewPastNight night{
        id, backfill.project, build, day.version, day.day, day.revision, beside, backfill.id};
    add_past_night(db, night, now_s);
}

void add_nights(
    Database& db,
    const BackfillRow& backfill,
    const std::vector<PastDay>& days,
    bool is_archive,
    NightlyId end,
    std::int64_t now_s) {
    NightlyId id{end.value - std::ssize(days)};
    for (const auto& day : days) {
        if (is_archive) {
            add_past_archive(db, {id, backfill.id, day.version, day.day});
        } else {
            const auto build = ensure_source_build(db, backfill.project, day.revision, now_s);
            add_night(db, backfill, id, day, build, now_s);
        }
        ++id.value;
    }
}

void begin_night(
    Database& db,
    const ProjectConfig& config,
    const BackfillRow& backfill,
    NightlyId id,
    std::int64_t now_s) {
    const auto night = load_nightly(db, id);
    const int jobs =
        plan_jobs(db, config, night.project, id, night.build, Priority::backfill, now_s);
    if (jobs == 0) {  // the config changed
        return move_nightly(db, id, NightlyState::failed, "nothing to measure", now_s);
    }
    const auto words = fmt::format(
        "nightly {} ({}): {}, {} jobs, of backfill {}",
        to_string(id),
        night.name,
        night.version,
        jobs,
        to_string(backfill.id));
    record_nightly_event(db, night, "backfill.night", words, now_s);
}

std::string measured_words(const BackfillCounts& counts) {
    auto words = text::counted(counts.measured, "night was", "nights were") + " measured";
    if (counts.failed > 0) words += fmt::format(", {} could not be", counts.failed);
    if (counts.skipped > 0) {
        words += ", " + text::counted(counts.skipped, "archive was", "archives were") + " skipped";
    }
    return words;
}

// From here on they are nights of the project.
void join(Database& db, const BackfillRow& backfill, std::int64_t now_s) {
    for (const auto night : join_nights(db, backfill.id)) mark_stale(db, night, std::nullopt);
    const auto counts = count_backfill(db, backfill.id);
    const auto words = measured_words(counts) + "; their series are looked at for steps";
    move_backfill(db, backfill.id, BackfillState::looking, words, now_s);
}

// @return  whether there is more to do at once
bool measure(
    Database& db, const ProjectConfig& config, const BackfillRow& backfill, std::int64_t now_s) {
    while (count_begun(db, backfill.id) < nights_at_once) {
        const auto next = find_next_night(db, backfill.id);
        if (!next) break;
        begin_night(db, config, backfill, *next, now_s);
    }
    if (count_begun(db, backfill.id) > 0 || find_next_archive(db, backfill.id)) return false;
    join(db, backfill, now_s);
    return true;
}

void end_looking(Database& db, const BackfillRow& backfill, std::int64_t now_s) {
    const auto counts = count_backfill(db, backfill.id);
    auto words = fmt::format(
        "{}, {} found in them",
        measured_words(counts),
        text::counted(counts.steps, "step was", "steps were"));
    if (backfill.cancelled_by.empty()) {
        move_backfill(db, backfill.id, BackfillState::done, words, now_s);
        return;
    }
    words = "cancelled by " + backfill.cancelled_by + "; " + words;
    move_backfill(db, backfill.id, BackfillState::cancelled, words, now_s);
}

bool look(
    Database& db, const ProjectConfig& config, const BackfillRow& backfill, std::int64_t now_s) {
    const auto joined = find_joined(db, backfill.id);
    auto series = joined ? list_series_after(db, backfill.project, backfill.looked, series_at_once)
                         : std::vector<SeriesId>{};
    for (const auto one : series) {
        const auto trouble =
            try_alone(db, [&] { find_past_steps(db, config, one, *joined, now_s); });
        if (!trouble) continue;
        const auto words = "steps of " + words_of(db, load_series(db, one)) + ": " + *trouble;
        record_nightly_event(
            db, load_nightly(db, joined->newest), "nightly.part_failed", words, now_s);
    }
    if (series.empty()) {
        end_looking(db, backfill, now_s);
    } else {
        note_looked(db, backfill.id, series.back());
    }
    return true;
}

}  // namespace

void check_backfill(const ProjectConfig& project, std::int64_t nights, std::int64_t runs_budget) {
    check_bounds("nights", nights, most_backfill_nights);
    check_bounds("runs_budget", runs_budget, most_backfill_runs);
    if (project.source.kind != SourceKind::elsewhere) return;
    throw Error(
        Errc::invalid_argument,
        "project " + project.name +
            " is measured elsewhere: whoever measures it sends its earlier nights (vigil import "
            "--night)");
}

BackfillId request_backfill(
    Database& db,
    const ProjectConfig& project,
    int nights,
    std::int64_t runs_budget,
    const std::string& token,
    std::int64_t now_s) {
    check_backfill(project, nights, runs_budget);
    const auto id = ensure_project(db, project.name, now_s);
    if (const auto open = find_open_backfill(db, id)) {
        if (open->nights == nights && open->runs_budget == runs_budget &&
            open->cancelled_by.empty()) {
            return open->id;
        }
        throw Error(
            Errc::conflict,
            fmt::format(
                "backfill {} of {} goes on ({}); cancel it first, or wait for its end",
                to_string(open->id),
                project.name,
                to_string(open->state)));
    }
    const auto words = fmt::format(
        "backfill of {}: {}, at most {} runs",
        project.name,
        text::counted(nights, "night", "nights"),
        runs_budget);
    return add_backfill(db, {id, nights, runs_budget, token}, words, now_s);
}

void record_days(
    Database& db,
    const Config& config,
    BackfillId id,
    const std::vector<PastDay>& days,
    std::int64_t now_s) {
    const auto backfill = load_backfill(db, id);
    if (backfill.state != BackfillState::listing) return;
    const auto project = config.projects.find(load_project_name(db, backfill.project));
    const auto night_runs = project == config.projects.end() ? 0
                                                             : count_night_jobs(project->second) *
                                                                   project->second.runs_per_night;
    if (night_runs == 0) {
        return fail_backfill(db, id, "the project has nothing to measure in its matrix", now_s);
    }
    const auto room = find_room(db, backfill.project);
    const bool is_archive = project->second.source.kind != SourceKind::git;
    const auto chosen = choose(db, backfill, days, is_archive, night_runs, room.count);
    note_night_runs(db, id, night_runs);
    if (chosen.days.empty()) {
        auto words = days.empty() ? is_archive ? "the source offers nothing of these days before "
                                                 "its nights"
                                               : "the branch has no commit on these days before "
                                                 "its nights"
                                  : "nothing to measure: " + words_of(chosen, night_runs);
        move_backfill(db, id, BackfillState::done, words, now_s);
        return;
    }
    add_nights(db, backfill, chosen.days, is_archive, room.end, now_s);
    move_backfill(db, id, BackfillState::measuring, words_of(chosen, night_runs), now_s);
}

void fail_backfill(Database& db, BackfillId id, const std::string& why, std::int64_t now_s) {
    if (load_backfill(db, id).state != BackfillState::listing) return;
    move_backfill(db, id, BackfillState::failed, why, now_s);
}

std::optional<PastArchive> find_wanted_archive(Database& db, ProjectId project) {
    const auto open = find_open_backfill(db, project);
    if (!open || open->state != BackfillState::measuring || !open->cancelled_by.empty()) {
        return std::nullopt;
    }
    // One that was fetched and has no jobs yet gets them at the next step.
    if (count_begun(db, open->id) >= nights_at_once || find_next_night(db, open->id)) {
        return std::nullopt;
    }
    return find_next_archive(db, open->id);
}

void record_archive(
    Database& db, const PastArchive& archive, const NightlyOffer& offer, std::int64_t now_s) {
    const auto backfill = load_backfill(db, archive.backfill);
    if (backfill.state != BackfillState::measuring || !backfill.cancelled_by.empty()) return;
    const auto build = ensure_offered_build(db, backfill.project, offer, now_s);
    const auto before = find_nightly_of(db, build);
    if (before && (!before->beside || before->backfill)) {
        const auto why = "it is nightly " + to_string(before->id) + ", measured already";
        return skip_past_archive(db, archive, why, now_s);
    }
    end_past_archive(db, archive.night);
    const PastDay day{offer.revision, archive.version, archive.day};
    add_night(db, backfill, archive.night, day, build, now_s);
}

bool cancel_backfill(Database& db, BackfillId id, const std::string& token, std::int64_t now_s) {
    const auto backfill = load_backfill(db, id);
    if (!backfill.cancelled_by.empty()) return false;
    if (backfill.state == BackfillState::listing) {
        note_cancelled(db, id, token);
        move_backfill(db, id, BackfillState::cancelled, "cancelled by " + token, now_s);
        return true;
    }
    if (backfill.state != BackfillState::measuring && backfill.state != BackfillState::looking) {
        return false;
    }
    note_cancelled(db, id, token);
    drop_waiting_nights(db, id);
    for (const auto job : list_open_backfill_jobs(db, id)) cancel_job(db, job, now_s);
    return true;
}

std::optional<std::int64_t> remaining_s(const BackfillPace& pace) {
    if (pace.ended <= 0) return std::nullopt;
    const auto spent_s = std::max<std::int64_t>(0, pace.newest_end_s - pace.begun_s);
    const auto of_all_s = spent_s * pace.left / pace.ended;
    // The one that is measured has not ended: the others still have their whole time.
    const auto of_others_s = spent_s * std::max<std::int64_t>(0, pace.left - 1) / pace.ended;
    const auto since_s = std::max<std::int64_t>(0, pace.now_s - pace.newest_end_s);
    return std::max(of_others_s, of_all_s - since_s);
}

bool advance_backfills(Database& db, const Config& config, std::int64_t now_s) {
    bool more = false;
    for (const auto& backfill : list_running_backfills(db)) {
        const auto project = config.projects.find(load_project_name(db, backfill.project));
        if (project == config.projects.end()) continue;  // no longer watched: it waits
        const bool looks = backfill.state == BackfillState::looking;
        more |= looks ? look(db, project->second, backfill, now_s)
                      : measure(db, project->second, backfill, now_s);
    }
    return more;
}

}  // namespace vigil::service
