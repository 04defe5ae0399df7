#include "service/http/work_signal.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace vigil::service {

namespace {

/// Takes a timer off the list, however the wait ends.
class ListedTimer {
  public:
    ListedTimer(std::list<boost::asio::steady_timer*>& list, boost::asio::steady_timer& timer)
        : list_(list), at_(list.insert(list.end(), &timer)) {}
    ~ListedTimer() { list_.erase(at_); }
    ListedTimer(const ListedTimer&) = delete;
    ListedTimer& operator=(const ListedTimer&) = delete;

  private:
    std::list<boost::asio::steady_timer*>& list_;
    std::list<boost::asio::steady_timer*>::iterator at_;
};

}  // namespace

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
        const ListedTimer listed(waiting_, timer);
        patience.timer_ = &timer;
        boost::system::error_code cancelled;  // is how a notice arrives
        co_await timer.async_wait(
            boost::asio::redirect_error(boost::asio::use_awaitable, cancelled));
    }
    patience.timer_ = nullptr;
}

}  // namespace vigil::service
