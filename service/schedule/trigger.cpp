#include "service/schedule/trigger.hpp"

#include <algorithm>
#include <map>

#include "schema/model/error.hpp"
#include "service/store/work/deliveries.hpp"
#include "service/store/work/triggers.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_key = 200;
constexpr std::size_t max_wanted = 200;

constexpr std::string_view delivery_key = "delivery:";

// A push that nobody has looked at yet is part of a newer one.
void join_trigger(Database& db, const Trigger& older, const Trigger& newer, std::int64_t now_s) {
    const auto message = "joined with trigger " + to_string(newer.id) + ": a newer push came";
    end_trigger(db, older.id, {.message = message, .event = "trigger.joined"}, now_s);
    if (!older.cause_key.starts_with(delivery_key)) return;
    extend_delivery_message(db, older.cause_key.substr(delivery_key.size()), message);
}

}  // namespace

TriggerId request_nightly(
    Database& db,
    ProjectId project,
    TriggerCause cause,
    std::string_view cause_key,
    const std::optional<std::string>& wanted,
    std::int64_t now_s,
    const std::string& traceparent) {
    if (cause_key.empty() || cause_key.size() > max_key) {
        throw Error(Errc::invalid_argument, "a trigger's key has 1 to 200 characters");
    }
    if (wanted && (wanted->empty() || wanted->size() > max_wanted)) {
        throw Error(
            Errc::invalid_argument, "a trigger's revision or version has 1 to 200 characters");
    }
    if (const auto before = find_trigger(db, project, cause_key)) {
        if (before->wanted == wanted && before->cause == cause) return before->id;
        throw Error(
            Errc::conflict,
            "the key of trigger " + to_string(before->id) +
                " cannot ask for something else; use a new key");
    }
    return add_trigger(db, project, cause, cause_key, wanted, traceparent, now_s);
}

std::vector<Trigger> take_due_triggers(
    Database& db,
    std::int64_t settle_s,
    std::int64_t now_s,
    int limit,
    std::optional<ProjectId> project) {
    constexpr int many = 10'000;
    std::vector<Trigger> due;
    std::map<ProjectId, std::vector<Trigger>> pushes;
    for (auto& trigger : list_waiting_triggers(db, many, project)) {
        const bool settles = trigger.cause == TriggerCause::delivery;
        (settles ? pushes[trigger.project] : due).push_back(std::move(trigger));
    }
    for (auto& [whose, waiting] : pushes) {
        const auto age_s = now_s - waiting.front().created_at_s;
        if (age_s >= 0 && age_s < settle_s) continue;  // below 0: the clock was ahead when it came
        const auto newest = std::move(waiting.back());
        waiting.pop_back();
        for (const auto& one : waiting) join_trigger(db, one, newest, now_s);
        due.push_back(newest);
    }
    std::sort(due.begin(), due.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    if (due.size() > static_cast<std::size_t>(limit)) {
        due.erase(due.begin() + limit, due.end());
    }
    return due;
}

}  // namespace vigil::service
