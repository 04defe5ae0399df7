#include "service/http/waiting_workers.hpp"

#include <exception>
#include <utility>

#include <boost/asio/co_spawn.hpp>

#include "schema/log/log.hpp"
#include "service/runtime/at_end.hpp"
#include "service/store/work/claimers.hpp"

namespace vigil::service {

WaitingWorkers::WaitingWorkers(boost::asio::io_context& io, Lane<Database>& reader)
    : io_(io), reader_(reader) {}

WorkSignal& WaitingWorkers::of(const Config& config, const std::string& worker) {
    const auto* name = find_worker_class(config, worker);
    return waiting_->signals.try_emplace(name != nullptr ? *name : "", io_).first->second;
}

void WaitingWorkers::notify() {
    waiting_->again = true;
    if (waiting_->looks || waiting_->signals.empty()) return;
    waiting_->looks = true;
    boost::asio::co_spawn(
        io_, look(waiting_, reader_), [waiting = waiting_](const std::exception_ptr& failure) {
            if (!failure) return;
            log_warn("http.workers_not_woken", {});
            for (auto& [name, signal] : waiting->signals) signal.notify();
        });
}

void WaitingWorkers::notify_all() {
    for (auto& [name, signal] : waiting_->signals) signal.notify();
}

boost::asio::awaitable<void> WaitingWorkers::look(
    std::shared_ptr<Waiting> waiting, Lane<Database>& reader) {
    const AtEnd ended([&] { waiting->looks = false; });
    while (std::exchange(waiting->again, false)) {
        const auto classes = co_await reader.run(&list_classes_with_work);
        for (const auto& name : classes) {
            const auto found = waiting->signals.find(name);
            if (found != waiting->signals.end()) found->second.notify();
        }
    }
}

}  // namespace vigil::service
