#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "schema/model/states.hpp"

// What people write below an issue to decide about its regression. Pure functions.

namespace vigil::service {

/// The first line of a comment, where it is a command: "/vigil accept the checks are worth it".
/// nullopt: it is none.
std::optional<std::string> find_command(std::string_view comment);

struct DecideCommand {
    RegressionState to = RegressionState::acknowledged;
    std::string reason;
};
struct MuteCommand {
    std::int64_t until_s = 0;
    std::string reason;
};
/// What is wrong with it, in words.
struct WrongCommand {
    std::string why;
};
using CommandWish = std::variant<DecideCommand, MuteCommand, WrongCommand>;

/// @param line  as find_command gives it
CommandWish read_command(std::string_view line, std::int64_t now_s);

}  // namespace vigil::service
