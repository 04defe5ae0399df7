#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schema/http/message.hpp"

namespace vigil::service {

/// The head of a reply, with its empty line. A pure function.
/// @param size  of the body; nothing: it ends with the connection
std::string head_text(
    const http::Response& response,
    std::optional<std::uint64_t> size,
    bool keep_alive,
    std::int64_t now_s);

}  // namespace vigil::service
