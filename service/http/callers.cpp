#include "service/http/callers.hpp"

#include <algorithm>

#include "schema/wire/digest.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_peers = 4096;
constexpr std::chrono::seconds price{5};
constexpr std::chrono::seconds credit = 20 * price;

}  // namespace

std::string peer_of(const boost::asio::ip::address& address) {
    if (address.is_v4()) return address.to_string();
    const auto v6 = address.to_v6();
    if (v6.is_v4_mapped()) {
        return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, v6).to_string();
    }
    auto bytes = v6.to_bytes();
    std::fill(bytes.begin() + 8, bytes.end(), std::uint8_t{0});
    return boost::asio::ip::address_v6(bytes).to_string() + "/64";
}

std::optional<http::Caller> Callers::find(std::string_view secret) const {
    const auto found = known_.find(wire::sha256(secret));
    return found == known_.end() ? std::nullopt : std::optional(found->second);
}

void Callers::remember(const Digest& secret, http::Caller caller) {
    known_.insert_or_assign(secret, std::move(caller));
}

void Callers::forget(std::string_view name) {
    std::erase_if(known_, [&](const auto& one) { return one.second.name == name; });
}

void GuessLimit::make_room(Time now) {
    if (paid_until_.size() < max_peers) return;
    std::erase_if(paid_until_, [&](const auto& one) { return one.second <= now; });
    if (paid_until_.size() < max_peers) return;
    paid_until_.erase(
        std::min_element(paid_until_.begin(), paid_until_.end(), [](const auto& a, const auto& b) {
            return a.second < b.second;
        }));
}

std::chrono::seconds GuessLimit::take(const std::string& peer, Time now) {
    make_room(now);
    auto& paid_until = paid_until_.try_emplace(peer, now).first->second;
    paid_until = std::max(paid_until, now);
    const auto next = paid_until + price;
    if (next > now + credit) return std::chrono::ceil<std::chrono::seconds>(next - now - credit);
    paid_until = next;
    return std::chrono::seconds(0);
}

void GuessLimit::give_back(const std::string& peer) {
    const auto found = paid_until_.find(peer);
    if (found != paid_until_.end()) found->second -= price;
}

}  // namespace vigil::service
