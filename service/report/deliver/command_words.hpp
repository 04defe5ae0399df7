#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "schema/model/states.hpp"

// What people write below an issue to decide about its regression, or to have it measured. Pure
// functions.

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
/// Something is to be measured.
enum class MeasureCommand {
    rerun,     ///< what the regression is about
    bench,     ///< both of its builds, by all that the project measures
    rebisect,  ///< its range is searched
};
/// Below a pull request: its newest commit is to be measured.
struct PullCommand {
    std::string revision;  ///< a full hash: the commit that its author has looked at; or empty
};
/// What is wrong with it, in words.
struct WrongCommand {
    std::string why;
};
using CommandWish =
    std::variant<DecideCommand, MuteCommand, MeasureCommand, PullCommand, WrongCommand>;

/// @param line  as find_command gives it
CommandWish read_command(std::string_view line, std::int64_t now_s);
/// The same of a comment below a pull request.
CommandWish read_pull_command(std::string_view line);

}  // namespace vigil::service
