#include "service/app/event_log.hpp"

#include <algorithm>
#include <iterator>

#include "schema/log/log.hpp"
#include "service/store/events.hpp"

namespace vigil::service {

bool is_told(std::string_view event_kind) {
    constexpr std::string_view beginnings[]{
        "nightly.",
        "night.",
        "regression.",
        "mute.",
        "suspicion.",
        "report.",
        "delivery.",
        "trigger.",
        "schedule.",
        "build.",
        "storm.",
        "canary.",
        "worker.",
        "series.set_aside",
        "job.parked",
        "job.unreadable",
        "bisection.breakage",
        "bisection.mending",
        "bisection.done"};
    constexpr std::string_view silent[]{
        "suspicion.opened",
        "report.stored",
        "nightly.part_failed"};  // its error's line stands already
    if (std::ranges::find(silent, event_kind) != std::end(silent)) return false;
    return std::ranges::any_of(
        beginnings, [&](std::string_view beginning) { return event_kind.starts_with(beginning); });
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
