#include "service/report/deliver/tracker_pace.hpp"

#include <algorithm>

#include "schema/http/target.hpp"
#include "service/store/reports/tracker.hpp"

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

const ReportTarget* find_tracker(const Config& config, const std::string& name) {
    const auto found = config.report_targets.find(name);
    const bool known =
        found != config.report_targets.end() && found->second.kind == TargetKind::issues;
    return known ? &found->second : nullptr;
}

bool begin_write(Database& db, const std::string& server, std::int64_t now_ms) {
    // What lies ahead of the clock was written before somebody set the clock back.
    drop_writes_outside(db, server, now_ms - hour_ms, now_ms + minute_ms);
    const auto quiet_s = find_quiet_until_s(db, server);
    const std::int64_t now_s = now_ms / 1000;
    if (quiet_s && *quiet_s > now_s && *quiet_s <= now_s + max_wait_s) return false;
    std::vector<std::int64_t> writes_ms;
    for (const auto& write : list_writes(db, server)) {
        if (write.open) return false;
        writes_ms.push_back(write.at_ms);
    }
    if (pace_wait_ms(writes_ms, now_ms) > 0) return false;
    add_write(db, server, now_ms);
    return true;
}

void end_write(Database& db, const std::string& server, bool wrote, std::int64_t now_ms) {
    wrote ? end_open_writes(db, server, now_ms) : drop_open_write(db, server);
}

void end_paced_write(
    Database& db, const std::string& server, const SendReply& reply, const Moment& now) {
    if (server.empty()) return;
    end_write(db, server, reply.wrote, now.steady_ms);
    if (reply.quiet_until_s) note_quiet(db, server, *reply.quiet_until_s - ahead_s(now));
}

OutboxRow end_paced_attempt(
    Database& db,
    const std::string& server,
    const OutboxRow& begun,
    const SendReply& reply,
    const Moment& now) {
    end_paced_write(db, server, reply, now);
    SendReply steady = reply;  // receivers tell the time of day
    if (steady.not_before_s) *steady.not_before_s -= ahead_s(now);
    return end_attempt(begun, steady, now.steady_s);
}

}  // namespace vigil::service
