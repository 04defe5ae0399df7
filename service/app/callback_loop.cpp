#include "service/app/callback_loop.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include <boost/asio/co_spawn.hpp>

#include "schema/log/log.hpp"
#include "service/report/send/callback_sender.hpp"

namespace vigil::service {

using boost::asio::awaitable;

namespace {

constexpr std::string_view callback_failed = "callback.failed";
constexpr int most_requested = 1000;  // on a receiver's lane: one for each of its projects

bool has_any_external(const Config& config) {
    return std::any_of(config.projects.begin(), config.projects.end(), [](const auto& project) {
        return is_external(project.second);
    });
}

}  // namespace

awaitable<void> CallbackLoop::run() {
    bool resumed = false;
    while (!stopping_) {
        try {
            const auto now = clock_.moment();
            if (!resumed) co_await writer_.run([&](Database& db) { resume_callbacks(db, now); });
            resumed = true;
            if (has_any_external(config_.now())) co_await ask_due();
        } catch (const std::exception&) {
            log_failure(callback_failed, std::current_exception());
        }
        if (!stopping_) co_await pause_.wait(std::chrono::seconds(1));
    }
}

awaitable<void> CallbackLoop::ask_due() {
    std::vector<DueCallback> all;
    const auto begun = clock_.moment();
    co_await writer_.run([&](Database& db) {
        lease_external(db, config_.now(), begun);
        all = take_due_callbacks(db, config_.now(), begun);
    });
    for (auto& due : all) {
        boost::asio::co_spawn(io_, ask(std::move(due)), [this](const std::exception_ptr& failure) {
            pause_.wake();  // its project's next one may be due
            log_failure(callback_failed, failure);
        });
    }
}

awaitable<void> CallbackLoop::ask(DueCallback due) {
    auto& lane = calls_.try_emplace(due.receiver, Nothing{}, most_requested).first->second;
    const auto now_s = clock_.now_s();
    const SendReply reply =
        co_await lane.run([&](Nothing&) { return send_callback(due.to, due.body, now_s); });
    const auto ended = clock_.moment();
    co_await writer_.run(
        [&](Database& db) { finish_callback(db, config_.now(), due, reply, ended); });
}

}  // namespace vigil::service
