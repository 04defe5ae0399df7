#include "service/report/deliver/tracker_pace.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "schema/http/target.hpp"
#include "service/store/troubles.hpp"

namespace vigil::service {

namespace {

constexpr std::int64_t minute_ms = 60'000;
constexpr std::int64_t hour_ms = 60 * minute_ms;

bool asks(TrackerShare share) {
    return share == TrackerShare::question || share == TrackerShare::stranger;
}

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
    if (asks(share)) return count(TrackerShare::question) < kept_writes(share).*kept;
    std::size_t written = 0;
    std::size_t promised = 0;
    for (const auto one : write_shares) {
        written += count(one);
        promised += std::max(count(one), kept_writes(one).*kept);
    }
    return written < most && (count(share) < kept_writes(share).*kept || promised < most);
}

void note_circuit(Database& db, const OpenWrite& write, const SendReply& reply, const Moment& now) {
    const auto [before, after] = move_circuit(db, write.receiver, reply, now.steady_s);
    if (!is_open(before) && !is_open(after)) return;
    Trouble trouble;
    trouble.kind = undelivered_kind;
    trouble.subject = "target/" + write.target;
    trouble.message = fmt::format(
        "{} does not answer ({} tries in a row: {}): its circuit is open, so one message is tried "
        "every {} minutes at most and the others wait; see that it runs and can be reached",
        write.receiver,
        after.failures,
        reply.message,
        longest_circuit_s / 60);
    set_trouble(db, trouble, is_open(after), now.now_s);
}

}  // namespace

KeptWrites kept_writes(TrackerShare share) {
    switch (share) {
        case TrackerShare::report: return {40, 300};
        case TrackerShare::check: return {20, 100};
        case TrackerShare::answer: return {10, 50};
        case TrackerShare::question: return {30, 600};
        case TrackerShare::stranger: return {20, 400};  // of these
    }
    return {};
}

bool has_turn(const std::vector<TrackerWrite>& past, TrackerShare share, std::int64_t now_ms) {
    for (const auto& one : past) {
        if (asks(one.share) != asks(share)) continue;
        const auto blocks_ms = one.open ? in_flight_s * 1000 : asks(share) ? 0 : write_spacing_ms;
        if (one.at_ms > now_ms - blocks_ms) return false;
    }
    return has_room(past, share, now_ms - minute_ms, max_writes_a_minute, &KeptWrites::a_minute) &&
           has_room(past, share, now_ms - hour_ms, max_writes_an_hour, &KeptWrites::an_hour);
}

std::string receiver_of(const ReportTarget& target) {
    const auto server = [](const std::string& url) {
        const auto base = http::parse_base_url(url);
        return base.host + ":" + std::to_string(base.port);
    };
    switch (target.kind) {
        case TargetKind::issues: return server(target.base_url);
        case TargetKind::webhook: return server(target.url);
        case TargetKind::mail: return "mail " + target.server;
        case TargetKind::standard_output: return "standard output";
        case TargetKind::slack:
        case TargetKind::folder: break;
    }
    return "target " + target.name;
}

const ReportTarget* find_tracker(const Config& config, const std::string& name) {
    const auto found = config.report_targets.find(name);
    const bool known =
        found != config.report_targets.end() && found->second.kind == TargetKind::issues;
    return known ? &found->second : nullptr;
}

std::optional<OpenWrite> begin_write(
    Database& db, const ReportTarget& target, TrackerShare share, std::int64_t now_ms) {
    OpenWrite write{receiver_of(target), target.name};
    const std::int64_t now_s = now_ms / 1000;
    if (holds_back(find_circuit(db, write.receiver), now_s)) return std::nullopt;
    if (target.kind != TargetKind::issues) return write;
    // What lies ahead of the clock was written before somebody set the clock back.
    drop_writes_outside(db, write.receiver, now_ms - hour_ms, now_ms + minute_ms);
    const auto quiet_s = find_quiet_until_s(db, write.receiver);
    if (quiet_s && *quiet_s > now_s && *quiet_s <= now_s + max_wait_s) return std::nullopt;
    if (!has_turn(list_writes(db, write.receiver), share, now_ms)) return std::nullopt;
    const auto kept_as = asks(share) ? TrackerShare::question : share;
    write.id = add_write(db, write.receiver, kept_as, now_ms);
    return write;
}

void cancel_write(Database& db, const OpenWrite& write) {
    if (write.id != 0) drop_write(db, write.id);
}

void end_paced_write(
    Database& db, const OpenWrite& write, const SendReply& reply, const Moment& now) {
    note_circuit(db, write, reply, now);
    if (write.id == 0) return;
    reply.wrote ? end_write(db, write.id, now.steady_ms) : drop_write(db, write.id);
    if (reply.quiet_until_s) note_quiet(db, write.receiver, *reply.quiet_until_s - ahead_s(now));
}

CircuitMove move_circuit(
    Database& db, const std::string& receiver, const SendReply& reply, std::int64_t steady_s) {
    const auto before = find_circuit(db, receiver);
    const auto after = next_circuit(before, reply, steady_s);
    if (before.failures > 0 || after.failures > 0) write_circuit(db, receiver, after);
    return {before, after};
}

SendReply in_steady_time(const SendReply& reply, const Moment& now) {
    SendReply steady = reply;
    if (steady.not_before_s) *steady.not_before_s -= ahead_s(now);
    return steady;
}

OutboxRow end_paced_attempt(
    Database& db,
    const OpenWrite& write,
    const OutboxRow& begun,
    const SendReply& reply,
    const Moment& now) {
    end_paced_write(db, write, reply, now);
    return end_attempt(begun, in_steady_time(reply, now), now.steady_s);
}

}  // namespace vigil::service
