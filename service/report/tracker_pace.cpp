#include "service/report/tracker_pace.hpp"

#include <algorithm>

#include "schema/http/target.hpp"
#include "service/report/outbox_rules.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

namespace {

constexpr std::int64_t minute_ms = 60'000;
constexpr std::int64_t hour_ms = 60 * minute_ms;

/// How long until fewer than `most` of the writes are younger than `span_ms`.
std::int64_t wait_for_room_ms(
    const std::vector<std::int64_t>& writes_ms,
    std::size_t most,
    std::int64_t span_ms,
    std::int64_t now_ms) {
    if (writes_ms.size() < most) return 0;
    return std::max<std::int64_t>(writes_ms[writes_ms.size() - most] + span_ms - now_ms, 0);
}

}  // namespace

std::int64_t pace_wait_ms(const std::vector<std::int64_t>& writes_ms, std::int64_t now_ms) {
    return std::max(
        {wait_for_room_ms(writes_ms, 1, write_spacing_ms, now_ms),
         wait_for_room_ms(writes_ms, max_writes_a_minute, minute_ms, now_ms),
         wait_for_room_ms(writes_ms, max_writes_an_hour, hour_ms, now_ms)});
}

std::string pace_of(const ReportTarget& target) {
    if (target.kind != TargetKind::issues) return "";
    const auto base = http::parse_base_url(target.base_url);
    return base.host + ":" + std::to_string(base.port);
}

bool begin_write(Database& db, const std::string& server, std::int64_t now_ms) {
    // What lies ahead of the clock was written before somebody set the clock back.
    db.execute(
        "DELETE FROM tracker_write WHERE server = ?1 AND open = 0 AND (at_ms <= ?2 OR at_ms > ?3)",
        server,
        now_ms - hour_ms,
        now_ms + minute_ms);
    const auto quiet_s =
        db.find<std::int64_t>("SELECT until_s FROM tracker_quiet WHERE server = ?1", server);
    const std::int64_t now_s = now_ms / 1000;
    if (quiet_s && *quiet_s > now_s && *quiet_s <= now_s + max_wait_s) return false;
    std::vector<std::int64_t> writes_ms;
    {
        Query row = db.query(
            "SELECT at_ms, open FROM tracker_write WHERE server = ?1 ORDER BY at_ms, id", server);
        while (row.next()) {
            if (row.get<bool>(1)) return false;
            writes_ms.push_back(row.get<std::int64_t>(0));
        }
    }
    if (pace_wait_ms(writes_ms, now_ms) > 0) return false;
    db.execute("INSERT INTO tracker_write(server, at_ms, open) VALUES (?1, ?2, 1)", server, now_ms);
    return true;
}

void end_write(Database& db, const std::string& server, bool wrote, std::int64_t now_ms) {
    if (wrote) {
        db.execute(
            "UPDATE tracker_write SET at_ms = ?2, open = 0 WHERE server = ?1 AND open = 1",
            server,
            now_ms);
    } else {
        db.execute("DELETE FROM tracker_write WHERE server = ?1 AND open = 1", server);
    }
}

void keep_quiet(Database& db, const std::string& server, std::int64_t until_s) {
    db.execute(
        "INSERT INTO tracker_quiet(server, until_s) VALUES (?1, ?2) "
        "ON CONFLICT (server) DO UPDATE SET until_s = excluded.until_s",
        server,
        until_s);
}

void resume_writes(Database& db, std::int64_t now_ms) {
    db.execute("UPDATE tracker_write SET at_ms = ?1, open = 0 WHERE open = 1", now_ms);
}

}  // namespace vigil::service
