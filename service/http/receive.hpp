#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/awaitable.hpp>

#include "schema/http/message.hpp"
#include "service/api/route.hpp"
#include "service/http/body_memory.hpp"
#include "service/http/connection.hpp"
#include "service/http/core.hpp"
#include "service/http/request_head.hpp"
#include "service/http/semaphore.hpp"
#include "service/source/temporary_file.hpp"

// How bodies come in. What one takes of the memory and of the disk is bounded for all together:
// what is in memory counts against a share of it, deliveries and results longer than 64 KiB go to a
// file, and of long deliveries, which nobody has vouched for before their signature is checked,
// only a few come in at once.

namespace vigil::service {

/// A longer delivery or result goes to a file.
constexpr std::size_t most_in_memory = std::size_t{64} * 1024;

/// What a body holds while its request lasts.
struct BodyHold {
    BodyHolding memory;
    TemporaryFile file = {};
    FairSemaphore::Permit permit = {};
};

/// Who sends, and over what.
struct Sender {
    ServerCore& core;
    const Route& route;
    const std::string& peer;
    Connection& connection;
};

/// Receives the body into `request.body`, or into a file of the content store that is named by
/// `request.body_file` and lasts as long as the hold.
/// A body that came as gzip is unpacked within the same limit, and is where a plain one would be;
/// not a webhook's, whose signature is of what was sent, nor a file.
/// @return  a refusal: 400, 413 and 415 by the rules of the route, 503 when there is no room in
///          memory or among the long deliveries, 507 when there is none on the disk
boost::asio::awaitable<std::optional<Refusal>> receive_body(
    const Sender& sender,
    const Head& head,
    BodyReader& body,
    http::Request& request,
    BodyHold& hold);

/// A received body's text. Reads the file where there is one; not for the io thread.
/// @throws Error{unavailable}
std::string load_body(const http::Request& request);

}  // namespace vigil::service
