#pragma once

#include <exception>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "worker/bench/arguments/arguments.hpp"

// How a run ends: one line of JSON, and an exit code.

namespace vigil_bench {

/// The exit codes of vigil-bench. Each but `usage` and `bad_file` is an outcome of its own; these
/// two are `failed`.
enum class ExitReason { passed, failed, usage, wrong, oom, timeout, bad_file, unsupported };

int exit_code(ExitReason ending);

/// The word of the JSON's "outcome".
const char* outcome_of(ExitReason ending);

/// What this exception of a run with these arguments means.
ExitReason ending_of(const std::exception& error, const Arguments& arguments);

/// The exception's text; where memory ran out, with what it ran out in.
std::string words_of(const std::exception& error, ExitReason ending);

/// What every line says of its run from here on, whatever the outcome: see introduction_of().
/// @param info  an object
void introduce(nlohmann::json info);

/// The one line of output, with its line feed. Without samples unless passed.
/// @param document  may hold samples and info; what was introduced is added to info
std::string result_line(ExitReason ending, const std::string& message, nlohmann::json document);

/// Prints the line, and the message to standard error. @return the exit code
int finish(ExitReason ending, const std::string& message, nlohmann::json document);

}  // namespace vigil_bench
