#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/ip/address.hpp>

#include "schema/http/message.hpp"
#include "schema/model/text_ids.hpp"

namespace vigil::service {

/// Whom the limits count as one: an IPv4 address, or the first 64 bits of an IPv6 address, which
/// is the least that one customer gets.
std::string peer_of(const boost::asio::ip::address& address);

/// The address that a request comes from: the peer's; where that is a trusted proxy, the last one
/// of X-Forwarded-For that is none. What it is not, or what is no address, is not believed.
/// @param trusted  addresses of proxies
boost::asio::ip::address origin_of(
    const boost::asio::ip::address& peer,
    const http::Headers& headers,
    const std::vector<std::string>& trusted);

/// Who holds the secrets that were seen to be good, by their digests: no request of theirs waits
/// for the ledger to be known. io thread only.
class Callers {
  public:
    std::optional<http::Caller> find(std::string_view secret) const;
    /// @param used_at_s  as the ledger has it
    void remember(
        const Digest& secret, http::Caller caller, std::optional<std::int64_t> used_at_s = {});
    /// A token is used now. @return  whether the ledger is to know: at most once an hour for each
    bool use(TokenId token, std::int64_t now_s);
    /// The token of this name was revoked.
    void forget(std::string_view name);

  private:
    std::map<Digest, http::Caller> known_;
    std::map<TokenId, std::int64_t> used_at_s_;  // as the ledger has it
};

/// How many unknown secrets a peer may show: twenty, and one more every five seconds. What is
/// saved is the work of looking them up; guessing 256 bits is hopeless anyway. A pure function of
/// its calls.
class GuessLimit {
  public:
    using Time = std::chrono::steady_clock::time_point;

    /// One guess. @return how long to wait instead; zero when it may be looked up
    std::chrono::seconds take(const std::string& peer, Time now);
    /// The secret was known: it was no guess.
    void give_back(const std::string& peer);

  private:
    void make_room(Time now);

    std::map<std::string, Time> paid_until_;  // each guess pays for its five seconds
};

}  // namespace vigil::service
