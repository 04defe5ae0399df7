#pragma once

#include <functional>
#include <optional>
#include <string>

#include "service/store/database.hpp"

namespace vigil::service {

/// Runs `work` in a savepoint: one of many rows, whose failure is its own matter. What it throws
/// undoes what it wrote and nothing else.
/// @return  why it failed; nullopt when it did not
/// @throws  what is the machine's matter and not the row's: Error{unavailable} (busy, full disk),
///          no memory, a transaction that is lost
std::optional<std::string> try_alone(Database& db, const std::function<void()>& work);

}  // namespace vigil::service
