#include "service/http/known_tokens.hpp"

#include <algorithm>

#include "schema/wire/digest.hpp"

namespace vigil::service {

namespace {

constexpr std::int64_t use_told_every_s = 3600;
constexpr std::size_t max_peers = 4096;
constexpr std::chrono::seconds price{5};
constexpr std::chrono::seconds credit = 20 * price;

/// An IPv4 address that came as an IPv6 one is itself.
boost::asio::ip::address plain_address(const boost::asio::ip::address& address) {
    if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address;
    return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6());
}

/// The last of a list, which loses it.
std::string take_last(std::string& list) {
    const auto comma = list.rfind(',');
    auto last = list.substr(comma == list.npos ? 0 : comma + 1);
    list.resize(comma == list.npos ? 0 : comma);
    const auto begin = last.find_first_not_of(" \t");
    if (begin == last.npos) return "";
    return last.substr(begin, last.find_last_not_of(" \t") - begin + 1);
}

}  // namespace

boost::asio::ip::address origin_of(
    const boost::asio::ip::address& peer,
    const http::Headers& headers,
    const std::vector<std::string>& trusted) {
    auto origin = plain_address(peer);
    const auto is_trusted = [&](const std::string& proxy) {
        boost::system::error_code bad;  // the config holds addresses only
        return plain_address(boost::asio::ip::make_address(proxy, bad)) == origin;
    };
    const auto field = headers.find("x-forwarded-for");
    std::string rest = field == headers.end() ? "" : field->second;
    while (!rest.empty() && std::any_of(trusted.begin(), trusted.end(), is_trusted)) {
        boost::system::error_code bad;
        const auto before = boost::asio::ip::make_address(take_last(rest), bad);
        if (bad) break;
        origin = plain_address(before);
    }
    return origin;
}

std::string peer_of(const boost::asio::ip::address& address) {
    const auto plain = plain_address(address);
    if (plain.is_v4()) return plain.to_string();
    auto bytes = plain.to_v6().to_bytes();
    std::fill(bytes.begin() + 8, bytes.end(), std::uint8_t{0});
    return boost::asio::ip::address_v6(bytes).to_string() + "/64";
}

std::optional<http::Caller> KnownTokens::find(std::string_view secret) const {
    const auto found = known_.find(wire::sha256(secret));
    return found == known_.end() ? std::nullopt : std::optional(found->second);
}

void KnownTokens::remember(
    const Digest& secret, http::Caller caller, std::optional<std::int64_t> used_at_s) {
    used_at_s_[caller.id] = used_at_s.value_or(0);
    known_.insert_or_assign(secret, std::move(caller));
}

bool KnownTokens::use(TokenId token, std::int64_t now_s) {
    auto& used_at_s = used_at_s_[token];
    if (used_at_s <= now_s && now_s - used_at_s < use_told_every_s) return false;
    used_at_s = now_s;
    return true;
}

void KnownTokens::forget(std::string_view name) {
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
