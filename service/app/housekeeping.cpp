#include "service/app/housekeeping.hpp"

#include <chrono>
#include <vector>

#include "schema/log/log.hpp"
#include "service/http/once.hpp"
#include "service/store/audit.hpp"
#include "service/store/content_index.hpp"
#include "service/store/work/deliveries.hpp"
#include "service/store/work/kept_replies.hpp"

namespace vigil::service {

using boost::asio::awaitable;

namespace {

constexpr auto between = std::chrono::minutes(5);

}  // namespace

Housekeeping::Housekeeping(
    boost::asio::io_context& io,
    const LiveConfig& config,
    const Clock& clock,
    WriterLane& writer,
    Lane<ContentStore>& content,
    Ballast& ballast)
    : config_(config),
      clock_(clock),
      writer_(writer),
      content_(content),
      ballast_(ballast),
      pause_(io) {}

void Housekeeping::stop() {
    stopping_ = true;
    pause_.wake();
}

awaitable<void> Housekeeping::run() {
    while (!stopping_) {
        try {
            co_await make_room();
        } catch (const std::exception& error) {
            log_error("housekeeping.failed", {{"error", error.what()}});
        }
        if (!stopping_) co_await pause_.wait(between);
    }
}

awaitable<void> Housekeeping::make_room() {
    std::vector<Digest> gone;
    co_await writer_.run([&](Database& db) {
        forget_replies(db, clock_.now_s() - replies_kept_s);
        forget_delivery_bodies(db, clock_.now_s() - delivery_bodies_kept_s);
        forget_audit(db, clock_.now_s() - audit_kept_s);
        gone = list_evictable(db, config_.now().ledger.content_max_bytes);
        for (const auto& digest : gone) forget_content(db, digest);
    });
    for (const auto& digest : gone) {
        co_await content_.run([&](ContentStore& store) { store.remove(digest); });
    }
    if (!gone.empty()) log_info("content.evicted", {{"files", gone.size()}});
    bool held = false;
    co_await writer_.run([&](Database&) { held = ballast_.take(); });
    if (!held) log_error("disk.full", {{"state_dir", config_.now().state_dir}});
}

}  // namespace vigil::service
