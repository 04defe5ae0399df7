#pragma once

#include <string>
#include <string_view>

namespace vigil::service {

/// Sends spdlog's default logger to standard error, one event per line:
/// `time=2026-01-02T03:04:05.678Z level=info event.name key=value ...`. Called once, at start.
/// @param level  trace, debug, info, warn, error or critical
/// @throws Error{invalid_argument} on another level
void start_logging(std::string_view level);

/// `text` as a log's value: quoted when it holds spaces, quotes or control characters, which are
/// escaped, so that a stranger's text cannot forge a line or a key. Cut at 2000 bytes.
std::string log_value(std::string_view text);

}  // namespace vigil::service
