#pragma once

#include <chrono>
#include <optional>
#include <string>

// What a program and the manager that started it (systemd) tell each other: sd_notify's and
// sd_listen_fds' protocols. Without a manager all of this does nothing.

namespace vigil {

/// Tells the manager a state such as "READY=1", "STOPPING=1" or "WATCHDOG=1". A manager that cannot
/// be reached is no error: it will see for itself.
void notify_manager(const std::string& state);

/// How often the manager is to hear "WATCHDOG=1": half of the time after which it kills.
/// @return nothing when it does not watch this process
std::optional<std::chrono::milliseconds> watchdog_interval();

/// The listening socket that the manager opened for this process; children do not inherit it.
/// @return nothing when it opened none
/// @throws Error{invalid_argument} when it opened several: callers of the others would wait for
/// ever
std::optional<int> inherited_socket();

}  // namespace vigil
