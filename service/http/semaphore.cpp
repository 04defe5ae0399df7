#include "service/http/semaphore.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "service/runtime/at_end.hpp"

namespace vigil::service {

bool FairSemaphore::has_room(const std::string& owner) const {
    if (in_use_ >= places_) return false;
    const auto found = of_owner_.find(owner);
    return found == of_owner_.end() || found->second < places_of_owner_;
}

void FairSemaphore::take(const std::string& owner) {
    ++in_use_;
    ++of_owner_[owner];
}

void FairSemaphore::release(const std::string& owner) {
    --in_use_;
    if (--of_owner_[owner] == 0) of_owner_.erase(owner);
    wake_next();
}

void FairSemaphore::wake_next() {
    for (auto* waiting : queue_) {
        if (waiting->woken || !has_room(waiting->owner)) continue;
        waiting->woken = true;
        take(waiting->owner);
        waiting->timer.cancel();
    }
}

boost::asio::awaitable<FairSemaphore::Permit> FairSemaphore::acquire(
    std::string owner, std::chrono::milliseconds patience) {
    if (has_room(owner)) {
        take(owner);
        co_return Permit(this, owner);
    }
    Waiter waiting(io_, owner);
    // However the wait ends, it leaves the queue; a permit that came too late goes to the next.
    bool taken = false;
    queue_.push_back(&waiting);
    const AtEnd out_of_queue([&] {
        queue_.remove(&waiting);
        if (waiting.woken && !taken) release(waiting.owner);
    });
    waiting.timer.expires_after(patience);
    boost::system::error_code called;  // cancelled: it is this one's turn
    co_await waiting.timer.async_wait(
        boost::asio::redirect_error(boost::asio::use_awaitable, called));
    if (!waiting.woken) co_return Permit();
    taken = true;
    co_return Permit(this, owner);
}

}  // namespace vigil::service
