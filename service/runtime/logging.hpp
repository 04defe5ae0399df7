#pragma once

#include <exception>
#include <string_view>

#include "schema/log/log.hpp"

namespace vigil::service {

/// Sends spdlog's default logger to standard error, one event per line:
/// `time=2026-01-02T03:04:05.678Z level=info event.name key=value ...`. Called once, at start.
/// @param level  trace, debug, info, warn, error or critical
/// @throws Error{invalid_argument} on another level
void start_logging(std::string_view level);

/// Changes the least important level that is logged, of a running program.
/// @throws Error{invalid_argument} on another level
void set_log_level(std::string_view level);

/// Logs what ended a coroutine that nobody waits for; nothing where it ended well.
void log_failure(std::string_view event, const std::exception_ptr& failure);

}  // namespace vigil::service
