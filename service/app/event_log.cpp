#include "service/app/event_log.hpp"

#include "schema/log/log.hpp"
#include "schema/model/told_events.hpp"
#include "service/store/events.hpp"

namespace vigil::service {

void EventLog::tell_new(Database& db) {
    constexpr int most = 1000;  // the next call goes on
    if (!last_) {
        last_ = find_newest_event(db);
        return;
    }
    for (const auto& event : list_events_after(db, *last_, most)) {
        last_ = event.id;
        if (!is_reported(event.kind)) continue;
        log_info(
            event.kind,
            {{"project", event.project.value_or("-")},
             {"subject", event.subject},
             {"message", event.message}});
    }
}

}  // namespace vigil::service
