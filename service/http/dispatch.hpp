#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/awaitable.hpp>

#include "schema/http/message.hpp"
#include "service/http/core.hpp"

namespace vigil::service {

/// Remembers who holds the tokens of the ledger, so that nobody of them is ever taken for a guess.
boost::asio::awaitable<void> remember_callers(ServerCore& core);

/// Who holds this secret; nothing when it is unknown or revoked. Those that are remembered are
/// known at once. The ledger is asked by the secret's SHA-256, so the time of the look-up tells
/// nothing of the secret. Asked is the writer, where nobody waits for long reads.
boost::asio::awaitable<std::optional<http::Caller>> find_caller(
    ServerCore& core, const std::string& secret);

/// A token is used: the ledger hears of it, at most once an hour, and nobody waits for that.
void tell_use(const std::shared_ptr<ServerCore>& core, TokenId token);

/// Carries a request out where its route says. Errors are thrown; the session turns them into
/// problems.
/// @param patience  ends a long poll when the client leaves
boost::asio::awaitable<http::Response> dispatch(
    ServerCore& core, const Route& route, http::Request& request, Patience& patience);

/// The lane on which a long body of this route is read: what may take its time keeps neither
/// webhooks nor workers waiting.
Lane<Intake>& reading_lane(ServerCore& core, const Route& route);

/// What a listener of live events asks for. @throws as read_event_wish
boost::asio::awaitable<EventWish> load_event_wish(ServerCore& core, const http::Request& request);

/// What is free on the state folder's disk; the largest number where that is not known.
std::int64_t free_bytes_of(const Config& config);

/// Whether the state folder's disk has room for `bytes` more without touching the reserve.
bool has_room(const Config& config, std::int64_t bytes);

/// Whether it has room for results of others: the last of the disk is left to what workers measure.
bool has_import_room(const Config& config, std::int64_t bytes);

}  // namespace vigil::service
