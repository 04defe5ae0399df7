#include "service/app/delivery_loop.hpp"

#include <chrono>
#include <vector>

#include "schema/log/log.hpp"
#include "service/report/deliver/commands.hpp"
#include "service/report/deliver/culprit_pulls.hpp"
#include "service/report/deliver/notices.hpp"
#include "service/report/deliver/outbox.hpp"

namespace vigil::service {

using boost::asio::awaitable;

DeliveryLoop::DeliveryLoop(
    boost::asio::io_context& io,
    const LiveConfig& config,
    const Clock& clock,
    WriterLane& writer,
    Lane<Deliverer>& deliverer)
    : config_(config), clock_(clock), writer_(writer), deliverer_(deliverer), pause_(io) {}

void DeliveryLoop::stop() {
    stopping_ = true;
    pause_.wake();
}

awaitable<void> DeliveryLoop::run() {
    bool resumed = false;
    while (!stopping_) {
        bool moved = false;
        try {
            const auto now = clock_.moment();
            if (!resumed) {
                co_await writer_.run([&](Database& db) {
                    resume_outbox(db, now);
                    resume_commands(db, now.steady_s);
                    resume_notices(db, now.steady_s);
                });
            }
            resumed = true;
            moved = co_await deliver_due();  // what we found comes before what others ask
            moved = co_await notify_due() || moved;
            moved = co_await end_twins_due() || moved;
            moved = co_await ask_due() || moved;
            moved = co_await answer_due() || moved;
        } catch (const std::exception& error) {
            log_error("delivery.failed", {{"error", error.what()}});
        }
        if (!moved && !stopping_) co_await pause_.wait(std::chrono::seconds(1));
    }
}

awaitable<bool> DeliveryLoop::deliver_due() {
    std::vector<DueDelivery> due;
    const auto begun = clock_.moment();
    co_await writer_.run([&](Database& db) { due = take_due(db, config_.now(), begun); });
    for (const auto& delivery : due) {
        const auto now_s = clock_.now_s();
        const SendReply reply = co_await deliverer_.run(
            [&](Deliverer& all) { return all.deliver(delivery.envelope, now_s); });
        const auto ended = clock_.moment();
        co_await writer_.run([&](Database& db) { finish_delivery(db, delivery, reply, ended); });
    }
    co_return !due.empty();
}

awaitable<bool> DeliveryLoop::notify_due() {
    std::vector<DueNotice> due;
    const auto begun = clock_.moment();
    co_await writer_.run([&](Database& db) { due = take_due_notices(db, config_.now(), begun); });
    for (const auto& notice : due) {
        const auto now_s = clock_.now_s();
        const SendReply reply =
            co_await deliverer_.run([&](Deliverer&) { return send_notice(notice, now_s); });
        const auto ended = clock_.moment();
        co_await writer_.run(
            [&](Database& db) { finish_notice(db, config_.now(), notice, reply, ended); });
    }
    co_return !due.empty();
}

awaitable<bool> DeliveryLoop::end_twins_due() {
    std::vector<DueNotice> due;
    const auto begun = clock_.moment();
    co_await writer_.run([&](Database& db) { due = take_due_twins(db, config_.now(), begun); });
    for (const auto& notice : due) {
        const auto now_s = clock_.now_s();
        const SendReply reply =
            co_await deliverer_.run([&](Deliverer&) { return end_notice_twin(notice, now_s); });
        const auto ended = clock_.moment();
        co_await writer_.run([&](Database& db) { finish_twin(db, notice, reply, ended); });
    }
    co_return !due.empty();
}

awaitable<bool> DeliveryLoop::ask_due() {
    std::vector<DueCulprit> due;
    const auto begun = clock_.moment();
    co_await writer_.run([&](Database& db) { due = take_due_culprits(db, config_.now(), begun); });
    for (const auto& culprit : due) {
        const auto now_s = clock_.now_s();
        const CommitPull came = co_await deliverer_.run([&](Deliverer&) {
            return ask_commit_pull(culprit.target, culprit.row.revision, now_s);
        });
        const auto ended = clock_.moment();
        co_await writer_.run([&](Database& db) { finish_culprit(db, culprit, came, ended); });
    }
    co_return !due.empty();
}

awaitable<bool> DeliveryLoop::answer_due() {
    std::vector<DueCommand> due;
    const auto begun = clock_.moment();
    co_await writer_.run([&](Database& db) { due = take_due_commands(db, config_.now(), begun); });
    for (const auto& command : due) {
        const auto now_s = clock_.now_s();
        const CommandReply came = co_await deliverer_.run(
            [&](Deliverer& all) { return ask_about(all.thread(), command, now_s); });
        const auto ended = clock_.moment();
        co_await writer_.run(
            [&](Database& db) { finish_command(db, config_.now(), command, came, ended); });
    }
    co_return !due.empty();
}

}  // namespace vigil::service
