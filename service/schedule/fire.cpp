#include "service/schedule/fire.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "service/config/cron.hpp"
#include "service/schedule/trigger.hpp"
#include "service/store/alone.hpp"
#include "service/store/events.hpp"
#include "service/store/ids.hpp"
#include "service/store/troubles.hpp"
#include "service/store/work/triggers.hpp"

namespace vigil::service {

namespace {

constexpr std::int64_t late_s = 120;  ///< later than this, a time was missed, not just waited for
constexpr int max_counted = 1000;
constexpr std::int64_t large_jump_s = 3600;
constexpr std::int64_t looked_back_s = 36 * 3600;  ///< after the clock went back

/// How a schedule is stored, to notice when it changes; zones hold no spaces.
std::string text_of(const ScheduleConfig& schedule) {
    return schedule.cron + " " + schedule.time_zone;
}

std::optional<Cron> parse_stored(const std::string& text) {
    const auto space = text.rfind(' ');
    if (space == text.npos) return std::nullopt;
    try {
        return Cron::parse(text.substr(0, space), text.substr(space + 1));
    } catch (const Error&) {
        return std::nullopt;  // written by another version, or the zone is gone
    }
}

struct DueTimes {
    std::int64_t latest_s = 0;
    int count = 0;  ///< at most max_counted
};

/// The scheduled times after `from_s`, up to and with `to_s`.
std::optional<DueTimes> due_times(const Cron& cron, std::int64_t from_s, std::int64_t to_s) {
    if (from_s >= to_s || cron.next_after(from_s) > to_s) return std::nullopt;
    DueTimes due;
    for (auto at = from_s; due.count < max_counted; ++due.count) {
        const auto next = cron.next_after(at);
        if (next > to_s) break;
        at = next;
        due.latest_s = next;
    }
    // The rest of a long time, without walking it: the first moment whose next time is too late.
    auto low = due.latest_s;
    auto high = to_s;
    while (low < high) {
        const auto middle = low + (high - low) / 2;
        if (cron.next_after(middle) > to_s) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    due.latest_s = low;
    return due;
}

void record(
    Database& db,
    std::int64_t now_s,
    std::string_view kind,
    ProjectId project,
    const std::string& message) {
    record_event(db, now_s, kind, project, "project/" + to_string(project), message);
}

/// @return how many triggers are new: 0 or 1
int fire_due(Database& db, ProjectId project, const DueTimes& due, std::int64_t now_s) {
    const std::string key = "schedule:" + std::to_string(due.latest_s);
    if (find_trigger(db, project, key)) return 0;  // the clock has been here before
    request_nightly(db, project, TriggerCause::schedule, key, std::nullopt, now_s);
    const auto delay_s = now_s - due.latest_s;
    if (due.count > 1 || delay_s > late_s) {
        const bool many = due.count == max_counted;
        record(
            db,
            now_s,
            "schedule.missed",
            project,
            "missed " + std::string(many ? "at least " : "") + std::to_string(due.count) +
                (due.count == 1 ? " scheduled time" : " scheduled times") + ", the last one " +
                std::to_string(delay_s) + " s ago; running once now");
    }
    return 1;
}

int fire_project(
    Database& db, ProjectId project, const ScheduleConfig& schedule, std::int64_t now_s) {
    const std::string text = text_of(schedule);
    const auto stored = find_schedule(db, project);
    if (!stored) {
        put_schedule(db, project, {.text = text, .checked_at_s = now_s, .since_s = now_s});
        record(db, now_s, "schedule.started", project, "scheduled at " + text);
        return schedule.at_start ? fire_due(db, project, {now_s, 1}, now_s) : 0;
    }
    const bool changed = text != stored->text;
    const auto back_s = stored->checked_at_s - now_s;
    // After a change, what the old schedule promised while we were down is still kept.
    const auto cron = changed ? parse_stored(stored->text)
                              : std::optional<Cron>(Cron::parse(schedule.cron, schedule.time_zone));
    // While the clock was ahead, a time may have passed unseen; one that was acted on has its key.
    const auto from_s =
        back_s > 0 ? std::max(stored->since_s, now_s - looked_back_s) : stored->checked_at_s;
    const auto due = cron ? due_times(*cron, from_s, now_s) : std::nullopt;
    if (!due && !changed && back_s <= 0) return 0;  // most ticks: nothing to write
    if (back_s > large_jump_s) {
        const auto jump = "the clock went back by " + std::to_string(back_s) + " s";
        record(db, now_s, "schedule.clock_went_back", project, jump);
    }
    const int fired = due ? fire_due(db, project, *due, now_s) : 0;
    if (changed) {
        const auto change = "scheduled at " + text + ", before at " + stored->text;
        record(db, now_s, "schedule.changed", project, change);
    }
    const auto since_s = changed ? now_s : std::min(stored->since_s, now_s);
    put_schedule(db, project, {.text = text, .checked_at_s = now_s, .since_s = since_s});
    return fired;
}

/// A project that lost its schedule, and gets one later, starts from then.
void forget_removed(Database& db, const Config& config, std::int64_t now_s) {
    for (const auto& [project, name] : list_scheduled(db)) {
        const auto found = config.projects.find(name);
        if (found != config.projects.end() && found->second.schedule) continue;
        remove_schedule(db, project);
        record(db, now_s, "schedule.removed", project, name + " has no schedule any more");
    }
}

// One project's schedule that cannot be followed stops no other.
void note_schedule(
    Database& db,
    ProjectId project,
    const std::string& name,
    const std::optional<std::string>& failure,
    std::int64_t now_s) {
    const Trouble trouble{
        .kind = "schedule.failed",
        .subject = "project/" + name,
        .project = project,
        .message = name + ": its schedule starts no night: " + failure.value_or("")};
    set_trouble(db, trouble, failure.has_value(), now_s);
}

}  // namespace

int fire_schedules(Database& db, const Config& config, std::int64_t now_s) {
    int fired = 0;
    forget_removed(db, config, now_s);
    for (const auto& [name, project] : config.projects) {
        if (!project.schedule) continue;
        const ProjectId id = ensure_project(db, name, now_s);
        int mine = 0;
        const auto trouble = try_alone(db, [&, &schedule = *project.schedule] {
            mine = fire_project(db, id, schedule, now_s);
        });
        fired += trouble ? 0 : mine;
        note_schedule(db, id, name, trouble, now_s);
    }
    return fired;
}

int fire_polls(Database& db, const Config& config, std::int64_t now_s) {
    if (!config.webhook || config.webhook->poll_s == 0) return 0;
    std::set<std::string> hooked;  // one project may be told of by several repositories
    for (const auto& [repository, project] : config.webhook->projects) hooked.insert(project);
    int fired = 0;
    for (const auto& name : hooked) {
        const auto project = config.projects.find(name);
        if (project == config.projects.end() || is_external(project->second)) continue;
        const ProjectId id = ensure_project(db, name, now_s);
        const auto newest_s = find_newest_trigger_s(db, id);
        if (!newest_s) continue;
        const auto age_s = now_s - *newest_s;  // below 0: the clock went back
        if (age_s >= 0 && age_s < config.webhook->poll_s) continue;
        const auto key = "poll:" + std::to_string(now_s);
        request_nightly(db, id, TriggerCause::schedule, key, std::nullopt, now_s);
        ++fired;
    }
    return fired;
}

}  // namespace vigil::service
