#include "service/http/turnstile.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "service/runtime/at_end.hpp"

namespace vigil::service {

bool Turnstile::has_place(const std::string& owner) const {
    if (through_ >= places_) return false;
    const auto found = of_owner_.find(owner);
    return found == of_owner_.end() || found->second < places_of_owner_;
}

void Turnstile::take(const std::string& owner) {
    ++through_;
    ++of_owner_[owner];
}

void Turnstile::leave(const std::string& owner) {
    --through_;
    if (--of_owner_[owner] == 0) of_owner_.erase(owner);
    call_next();
}

void Turnstile::call_next() {
    for (auto* waiting : line_) {
        if (waiting->called || !has_place(waiting->owner)) continue;
        waiting->called = true;
        take(waiting->owner);
        waiting->timer.cancel();
    }
}

boost::asio::awaitable<Turnstile::Pass> Turnstile::enter(
    std::string owner, std::chrono::milliseconds patience) {
    if (has_place(owner)) {
        take(owner);
        co_return Pass(this, owner);
    }
    Waiter waiting(io_, owner);
    // Leaves the line however the wait ends; a place that came too late for its wait is given on.
    bool taken = false;
    line_.push_back(&waiting);
    const AtEnd out_of_line([&] {
        line_.remove(&waiting);
        if (waiting.called && !taken) leave(waiting.owner);
    });
    waiting.timer.expires_after(patience);
    boost::system::error_code called;  // cancelled: it is this one's turn
    co_await waiting.timer.async_wait(
        boost::asio::redirect_error(boost::asio::use_awaitable, called));
    if (!waiting.called) co_return Pass();
    taken = true;
    co_return Pass(this, owner);
}

}  // namespace vigil::service
