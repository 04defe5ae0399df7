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

/// The unit that limits count by: an IPv4 address, or the first 64 bits of an IPv6 address (the
/// smallest network that one customer gets).
std::string peer_of(const boost::asio::ip::address& address);

/// The address of the client: the peer's; when the peer is a trusted proxy, the last address of
/// X-Forwarded-For that is no trusted proxy. The header of other peers is ignored.
/// @param trusted  addresses of proxies
boost::asio::ip::address origin_of(
    const boost::asio::ip::address& peer,
    const http::Headers& headers,
    const std::vector<std::string>& trusted);

/// The tokens that were valid, by the digests of their secrets, so that later requests need no
/// query of the ledger. Used on the io thread only.
class KnownTokens {
  public:
    std::optional<http::Caller> find(std::string_view secret) const;
    /// @param used_at_s  as the ledger has it
    void remember(
        const Digest& secret, http::Caller caller, std::optional<std::int64_t> used_at_s = {});
    /// Records the use of a token.
    /// @return  whether the ledger records it too: at most once an hour for each token
    bool use(TokenId token, std::int64_t now_s);
    /// Drops a token that was revoked.
    void forget(std::string_view name);

  private:
    std::map<Digest, http::Caller> known_;
    std::map<TokenId, std::int64_t> used_at_s_;  // as the ledger has it
};

/// Limits a peer to twenty unknown secrets, and one more every five seconds. This saves queries;
/// guessing 256 bits is hopeless anyway. A pure function of its calls.
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
