#include "service/app/delivery_loop.hpp"

#include <chrono>
#include <type_traits>

#include <boost/asio/co_spawn.hpp>

#include "schema/log/log.hpp"
#include "service/report/deliver/commands.hpp"
#include "service/report/deliver/culprit_pulls.hpp"
#include "service/report/deliver/notices.hpp"
#include "service/report/deliver/outbox.hpp"

namespace vigil::service {

using boost::asio::awaitable;

namespace {

constexpr std::string_view delivery_failed = "delivery.failed";
constexpr int most_carried = 1000;  // on a receiver's lane: one for each of its targets

/// A notice that is looked for, for it may be there twice.
struct DueTwin {
    DueNotice notice;
};

// What is sent of each kind, on the receiver's lane, and what is recorded of it.

SendReply send_due(Deliverer& all, const DueDelivery& due, std::int64_t now_s) {
    return all.deliver(due.envelope, now_s);
}
void finish(
    Database& db, const Config&, const DueDelivery& due, const SendReply& came, const Moment& now) {
    finish_delivery(db, due, came, now);
}

SendReply send_due(Deliverer& all, const DueNotice& due, std::int64_t now_s) {
    return send_notice(all.session(), due, now_s);
}
void finish(
    Database& db,
    const Config& config,
    const DueNotice& due,
    const SendReply& came,
    const Moment& now) {
    finish_notice(db, config, due, came, now);
}

SendReply send_due(Deliverer& all, const DueTwin& due, std::int64_t now_s) {
    return end_notice_twin(all.session(), due.notice, now_s);
}
void finish(
    Database& db, const Config&, const DueTwin& due, const SendReply& came, const Moment& now) {
    finish_twin(db, due.notice, came, now);
}

CommitPull send_due(Deliverer& all, const DueCulprit& due, std::int64_t now_s) {
    return ask_commit_pull(all.session(), due.target, due.row.revision, now_s);
}
void finish(
    Database& db, const Config&, const DueCulprit& due, const CommitPull& came, const Moment& now) {
    finish_culprit(db, due, came, now);
}

CommandReply send_due(Deliverer& all, const DueCommand& due, std::int64_t now_s) {
    return ask_about(all.thread(), due, now_s);
}
void finish(
    Database& db,
    const Config& config,
    const DueCommand& due,
    const CommandReply& came,
    const Moment& now) {
    finish_command(db, config, due, came, now);
}

template <class Due>
const std::string& receiver_of_due(const Due& due) {
    if constexpr (std::is_same_v<Due, DueTwin>) {
        return due.notice.write.receiver;
    } else {
        return due.write.receiver;
    }
}

}  // namespace

DeliveryLoop::Courier::Courier(Deliverer deliverer, const Config& of)
    : lane(std::move(deliverer), most_carried), config(&of) {}

awaitable<void> DeliveryLoop::run() {
    bool resumed = false;
    while (!stopping_) {
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
            co_await take_due_now();
        } catch (const std::exception&) {
            log_failure(delivery_failed, std::current_exception());
        }
        if (!stopping_) co_await pause_.wait(std::chrono::seconds(1));
    }
}

awaitable<void> DeliveryLoop::take_due_now() {
    std::vector<DueDelivery> reports;
    std::vector<DueNotice> notices;
    std::vector<DueTwin> twins;
    std::vector<DueCulprit> culprits;
    std::vector<DueCommand> commands;
    const auto& config = config_.now();
    const auto now = clock_.moment();
    co_await writer_.run([&](Database& db) {
        reports = take_due(db, config, now);  // what we found comes before what others ask
        notices = take_due_notices(db, config, now);
        for (auto& notice : take_due_twins(db, config, now)) twins.push_back({std::move(notice)});
        culprits = take_due_culprits(db, config, now);
        commands = take_due_commands(db, config, now);
    });
    send_all(std::move(reports));
    send_all(std::move(notices));
    send_all(std::move(twins));
    send_all(std::move(culprits));
    send_all(std::move(commands));
}

template <class Due>
void DeliveryLoop::send_all(std::vector<Due> all) {
    for (auto& due : all) {
        boost::asio::co_spawn(
            io_, carry(std::move(due)), [this](const std::exception_ptr& failure) {
                pause_.wake();  // its receiver's next one may be due
                log_failure(delivery_failed, failure);
            });
    }
}

template <class Due>
awaitable<void> DeliveryLoop::carry(Due due) {
    auto& courier = courier_of(receiver_of_due(due));
    const auto* config = &config_.now();
    const bool changed = std::exchange(courier.config, config) != config;
    const auto now_s = clock_.now_s();
    const auto came = co_await courier.lane.run([&](Deliverer& all) {
        if (changed) all.set_targets(config->report_targets);
        return send_due(all, due, now_s);
    });
    const auto ended = clock_.moment();
    co_await writer_.run([&](Database& db) { finish(db, config_.now(), due, came, ended); });
}

DeliveryLoop::Courier& DeliveryLoop::courier_of(const std::string& receiver) {
    const auto known = couriers_.find(receiver);
    if (known != couriers_.end()) return known->second;
    const auto& config = config_.now();
    return couriers_.try_emplace(receiver, make_(config), config).first->second;
}

}  // namespace vigil::service
