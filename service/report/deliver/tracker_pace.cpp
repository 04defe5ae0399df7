#include "service/report/deliver/tracker_pace.hpp"

#include <algorithm>
#include <array>

#include "schema/http/target.hpp"

namespace vigil::service {

namespace {

constexpr std::int64_t minute_ms = 60'000;
constexpr std::int64_t hour_ms = 60 * minute_ms;

constexpr std::array write_shares{TrackerShare::report, TrackerShare::check, TrackerShare::answer};

/// Whether one more of `share` fits into a span: a share may always have what it is kept, and of
/// the rest what the others are not kept.
bool has_room(
    const std::vector<TrackerWrite>& past,
    TrackerShare share,
    std::int64_t after_ms,
    std::size_t most,
    std::size_t KeptWrites::*kept) {
    const auto count = [&](TrackerShare one) {
        return static_cast<std::size_t>(std::ranges::count_if(
            past, [&](const auto& write) { return write.share == one && write.at_ms > after_ms; }));
    };
    if (share == TrackerShare::question) return count(share) < kept_writes(share).*kept;
    std::size_t written = 0;
    std::size_t promised = 0;
    for (const auto one : write_shares) {
        written += count(one);
        promised += std::max(count(one), kept_writes(one).*kept);
    }
    return written < most && (count(share) < kept_writes(share).*kept || promised < most);
}

}  // namespace

KeptWrites kept_writes(TrackerShare share) {
    switch (share) {
        case TrackerShare::report: return {40, 300};
        case TrackerShare::check: return {20, 100};
        case TrackerShare::answer: return {10, 50};
        case TrackerShare::question: return {30, 600};
    }
    return {};
}

bool has_turn(const std::vector<TrackerWrite>& past, TrackerShare share, std::int64_t now_ms) {
    const bool asks = share == TrackerShare::question;
    for (const auto& one : past) {
        if ((one.share == TrackerShare::question) != asks) continue;
        const auto blocks_ms = one.open ? in_flight_s * 1000 : asks ? 0 : write_spacing_ms;
        if (one.at_ms > now_ms - blocks_ms) return false;
    }
    return has_room(past, share, now_ms - minute_ms, max_writes_a_minute, &KeptWrites::a_minute) &&
           has_room(past, share, now_ms - hour_ms, max_writes_an_hour, &KeptWrites::an_hour);
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

std::optional<OpenWrite> begin_write(
    Database& db, const ReportTarget& target, TrackerShare share, std::int64_t now_ms) {
    OpenWrite write{pace_of(target)};
    if (write.server.empty()) return write;
    // What lies ahead of the clock was written before somebody set the clock back.
    drop_writes_outside(db, write.server, now_ms - hour_ms, now_ms + minute_ms);
    const auto quiet_s = find_quiet_until_s(db, write.server);
    const std::int64_t now_s = now_ms / 1000;
    if (quiet_s && *quiet_s > now_s && *quiet_s <= now_s + max_wait_s) return std::nullopt;
    if (!has_turn(list_writes(db, write.server), share, now_ms)) return std::nullopt;
    write.id = add_write(db, write.server, share, now_ms);
    return write;
}

void cancel_write(Database& db, const OpenWrite& write) {
    if (!write.server.empty()) drop_write(db, write.id);
}

void end_paced_write(
    Database& db, const OpenWrite& write, const SendReply& reply, const Moment& now) {
    if (write.server.empty()) return;
    reply.wrote ? end_write(db, write.id, now.steady_ms) : drop_write(db, write.id);
    if (reply.quiet_until_s) note_quiet(db, write.server, *reply.quiet_until_s - ahead_s(now));
}

OutboxRow end_paced_attempt(
    Database& db,
    const OpenWrite& write,
    const OutboxRow& begun,
    const SendReply& reply,
    const Moment& now) {
    end_paced_write(db, write, reply, now);
    SendReply steady = reply;  // receivers tell the time of day
    if (steady.not_before_s) *steady.not_before_s -= ahead_s(now);
    return end_attempt(begun, steady, now.steady_s);
}

}  // namespace vigil::service
