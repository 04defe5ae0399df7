#include "service/app/housekeeping.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include "schema/log/log.hpp"
#include "service/http/dispatch.hpp"
#include "service/http/idempotency.hpp"
#include "service/store/audit.hpp"
#include "service/store/content_index.hpp"
#include "service/store/shrink.hpp"
#include "service/store/work/deliveries.hpp"
#include "service/store/work/kept_replies.hpp"
#include "service/watch/health_checks.hpp"
#include "service/watch/night/roll_up.hpp"

namespace vigil::service {

using boost::asio::awaitable;

namespace {

constexpr auto between = std::chrono::minutes(5);
constexpr auto between_looks = std::chrono::seconds(10);        // at the disk
constexpr auto between_slices = std::chrono::milliseconds(50);  // of a roll-up

ContentLimits limits_of(const LedgerConfig& ledger) {
    constexpr std::int64_t day_s = 86'400;
    ContentLimits limits{ledger.content_max_bytes};
    for (const auto& [kind, days] :
         {std::pair{ContentKind::product, ledger.product_days},
          {ContentKind::artifact, ledger.archive_days},
          {ContentKind::log, ledger.log_days}}) {
        if (days > 0) limits.unused_s[kind] = days * day_s;
    }
    return limits;
}

}  // namespace

awaitable<void> Housekeeping::run() {
    auto next_at = std::chrono::steady_clock::now();
    while (!stopping_) {
        try {
            if (std::chrono::steady_clock::now() >= next_at) {
                next_at += between;
                co_await make_room();
            }
            co_await look_at_disk();
            if (!is_full_) co_await tidy_ledger();
        } catch (const std::exception& error) {
            log_error("housekeeping.failed", {{"error", error.what()}});
        }
        if (!stopping_) co_await pause_.wait(between_looks);
    }
}

// The log says it even where the ledger can take no row.
awaitable<void> Housekeeping::look_at_disk() {
    bool is_full = false;
    std::int64_t free_bytes = 0;
    co_await writer_.run([&](Database&) {
        is_full = !ballast_.take() || !has_room(config_.now(), 0);
        free_bytes = free_bytes_of(config_.now());
    });
    if (is_full != is_full_) {
        const auto& folder = config_.now().state_dir;
        if (is_full) log_error("disk.full", {{"state_dir", folder}, {"free_bytes", free_bytes}});
        if (!is_full)
            log_info("disk.has_room", {{"state_dir", folder}, {"free_bytes", free_bytes}});
    }
    is_full_ = is_full;
    const auto needed_bytes = config_.now().ledger.ballast_bytes;
    const auto now_s = clock_.now_s();
    co_await writer_.run(
        [&](Database& db) { note_disk(db, is_full, free_bytes, needed_bytes, now_s); });
}

awaitable<void> Housekeeping::make_room() {
    std::vector<Digest> gone;
    co_await writer_.run([&](Database& db) {
        forget_replies(db, clock_.now_s() - replies_kept_s);
        forget_delivery_bodies(db, clock_.now_s() - delivery_bodies_kept_s);
        forget_audit(db, clock_.now_s() - audit_kept_s);
        gone = drop_content(db, limits_of(config_.now().ledger), clock_.now_s());
    });
    for (const auto& digest : gone) {
        co_await content_.run([&](ContentStore& store) { store.remove(digest); });
    }
    if (!gone.empty()) log_info("content.evicted", {{"files", gone.size()}});
}

// The writer has time for all others between two slices.
awaitable<void> Housekeeping::tidy_ledger() {
    const auto until = std::chrono::steady_clock::now() + between_looks;
    while (!stopping_ && std::chrono::steady_clock::now() < until) {
        bool goes_on = false;
        const auto slice = [&](Database& db) {
            goes_on = roll_up_slice(db, config_.now().ledger.raw_nights, clock_.now_s()) ||
                      shrink_slice(db);
        };
        co_await writer_.run(slice, Weight::heavy);
        if (!goes_on) co_return;
        co_await pause_.wait(between_slices);
    }
}

}  // namespace vigil::service
