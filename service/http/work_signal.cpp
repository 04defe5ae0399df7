#include "service/http/work_signal.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "service/runtime/at_end.hpp"

namespace vigil::service {

void Patience::leave() {
    gone_ = true;
    if (timer_ != nullptr) timer_->cancel();
}

void WorkSignal::notify() {
    ++generation_;
    for (auto* timer : waiting_) timer->cancel();
}

boost::asio::awaitable<void> WorkSignal::wait(
    Patience& patience, std::uint64_t seen, std::chrono::steady_clock::time_point until) {
    if (generation_ != seen || patience.gone()) co_return;
    boost::asio::steady_timer timer(io_, until);
    {
        const auto at = waiting_.insert(waiting_.end(), &timer);
        const AtEnd off_the_list([&] { waiting_.erase(at); });
        patience.timer_ = &timer;
        boost::system::error_code cancelled;  // is how a notice arrives
        co_await timer.async_wait(
            boost::asio::redirect_error(boost::asio::use_awaitable, cancelled));
    }
    patience.timer_ = nullptr;
}

}  // namespace vigil::service
