#include "service/app/event_log.hpp"

#include <algorithm>
#include <array>

#include "schema/log/log.hpp"
#include "service/store/events.hpp"

namespace vigil::service {

bool is_told(std::string_view event_kind) {
    constexpr std::array beginnings{
        std::string_view("nightly."),
        std::string_view("night."),
        std::string_view("regression."),
        std::string_view("suspicion."),
        std::string_view("report."),
        std::string_view("delivery."),
        std::string_view("trigger."),
        std::string_view("schedule."),
        std::string_view("build."),
        std::string_view("storm."),
        std::string_view("canary."),
        std::string_view("worker."),
        std::string_view("series.set_aside"),
        std::string_view("job.parked"),
        std::string_view("job.unreadable"),
        std::string_view("bisection.breakage"),
        std::string_view("bisection.done")};
    constexpr std::array silent{
        std::string_view("suspicion.opened"),
        std::string_view("report.stored"),
        std::string_view("nightly.part_failed")};  // an error's line stands already
    if (std::find(silent.begin(), silent.end(), event_kind) != silent.end()) return false;
    return std::any_of(beginnings.begin(), beginnings.end(), [&](std::string_view beginning) {
        return event_kind.starts_with(beginning);
    });
}

void EventLog::tell_new(Database& db) {
    constexpr int most = 1000;  // the next call goes on
    if (!last_) {
        last_ = find_newest_event(db);
        return;
    }
    for (const auto& event : list_events_after(db, *last_, most)) {
        last_ = event.id;
        if (!is_told(event.kind)) continue;
        log_info(
            event.kind,
            {{"project", event.project.value_or("-")},
             {"subject", event.subject},
             {"message", event.message}});
    }
}

}  // namespace vigil::service
