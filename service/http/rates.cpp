#include "service/http/rates.hpp"

#include <algorithm>
#include <string>

namespace vigil::service {

namespace {

using std::chrono::nanoseconds;

constexpr std::size_t max_callers = 4096;
constexpr nanoseconds window = std::chrono::minutes(1);

}  // namespace

void RequestRates::make_room(Time now) {
    if (paid_until_.size() < max_callers) return;
    std::erase_if(paid_until_, [&](const auto& one) { return one.second <= now; });
    if (paid_until_.size() < max_callers) return;
    paid_until_.erase(
        std::min_element(paid_until_.begin(), paid_until_.end(), [](const auto& a, const auto& b) {
            return a.second < b.second;
        }));
}

Allowance RequestRates::take(const std::string& caller, int limit, Time now) {
    if (!paid_until_.contains(caller)) make_room(now);
    auto& paid_until = paid_until_.try_emplace(caller, now).first->second;
    paid_until = std::max(paid_until, now);
    const nanoseconds price = window / limit;
    Allowance allowance{limit, 0, {}, {}};
    if (paid_until + price > now + window) {
        allowance.wait = std::chrono::ceil<std::chrono::seconds>(paid_until + price - now - window);
    } else {
        paid_until += price;
    }
    const nanoseconds owed = paid_until - now;
    allowance.remaining = static_cast<int>((window - owed) / price);
    allowance.reset = std::chrono::ceil<std::chrono::seconds>(owed);
    return allowance;
}

void tell_allowance(http::Response& response, const Allowance& allowance) {
    response.headers["ratelimit-limit"] = std::to_string(allowance.limit);
    response.headers["ratelimit-remaining"] = std::to_string(allowance.remaining);
    response.headers["ratelimit-reset"] = std::to_string(allowance.reset.count());
}

}  // namespace vigil::service
