#include "service/app/callback_loop.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include "schema/log/log.hpp"
#include "service/report/deliver/callbacks.hpp"
#include "service/report/send/callback_sender.hpp"

namespace vigil::service {

using boost::asio::awaitable;

namespace {

constexpr int most_waiting = 10;

bool has_any_elsewhere(const Config& config) {
    return std::any_of(config.projects.begin(), config.projects.end(), [](const auto& project) {
        return is_measured_elsewhere(project.second);
    });
}

}  // namespace

CallbackLoop::CallbackLoop(
    boost::asio::io_context& io, const LiveConfig& config, const Clock& clock, WriterLane& writer)
    : config_(config),
      clock_(clock),
      writer_(writer),
      calls_(Nothing{}, most_waiting),
      pause_(io) {}

void CallbackLoop::stop() {
    stopping_ = true;
    pause_.wake();
}

awaitable<void> CallbackLoop::run() {
    bool resumed = false;
    while (!stopping_) {
        bool moved = false;
        try {
            const auto now = clock_.moment();
            if (!resumed) co_await writer_.run([&](Database& db) { resume_callbacks(db, now); });
            resumed = true;
            if (has_any_elsewhere(config_.now())) moved = co_await ask_due();
        } catch (const std::exception& error) {
            log_error("callback.failed", {{"error", error.what()}});
        }
        if (!moved && !stopping_) co_await pause_.wait(std::chrono::seconds(1));
    }
}

awaitable<bool> CallbackLoop::ask_due() {
    std::vector<DueCallback> due;
    const auto begun = clock_.moment();
    co_await writer_.run([&](Database& db) {
        lease_elsewhere(db, config_.now(), begun);
        due = take_due_callbacks(db, config_.now(), begun);
    });
    for (const auto& one : due) {
        const auto now_s = clock_.now_s();
        const SendReply reply =
            co_await calls_.run([&](Nothing&) { return send_callback(one.to, one.body, now_s); });
        const auto ended = clock_.moment();
        co_await writer_.run(
            [&](Database& db) { finish_callback(db, config_.now(), one, reply, ended); });
    }
    co_return !due.empty();
}

}  // namespace vigil::service
