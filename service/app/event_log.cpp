#include "service/app/event_log.hpp"

#include <algorithm>
#include <array>

#include "schema/log/log.hpp"

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
        last_ = db.find<std::int64_t>("SELECT MAX(id) FROM event").value_or(0);
        return;
    }
    auto rows = db.query(
        "SELECT e.id, e.kind, p.name, e.subject, e.message FROM event e "
        "LEFT JOIN project p ON p.id = e.project_id WHERE e.id > ?1 "
        "AND NOT EXISTS (SELECT 1 FROM trouble t WHERE t.kind = e.kind "
        "AND t.subject = e.subject AND t.since_s = e.at_s) ORDER BY e.id LIMIT ?2",
        *last_,
        most);
    while (rows.next()) {
        last_ = rows.get<std::int64_t>(0);
        const auto kind = rows.get<std::string>(1);
        if (!is_told(kind)) continue;
        log_info(
            kind,
            {{"project", rows.get<std::optional<std::string>>(2).value_or("-")},
             {"subject", rows.get<std::string>(3)},
             {"message", rows.get<std::string>(4)}});
    }
}

}  // namespace vigil::service
