#pragma once

#include <nlohmann/json_fwd.hpp>

// What is printed where nothing can be said any more: the process crashes, or its time is up.

namespace vigil_bench {

/// Readies a result for SIGSEGV and its like (outcome `failed`; the signal then ends the process as
/// it would have), and, with a limit, for the moment the time is up (outcome `timeout`, its exit
/// code).
/// @param time_limit_s  of the process from now on; 0: none
void prepare_last_words(double time_limit_s);

/// What the process does from here on, e.g. "building the model"; part of the last words.
/// Until prepare_last_words() it does nothing.
void begin_stage(const char* stage);

/// A stage after measuring, whose want loses nothing that was measured: where the time ends in it
/// the run has passed, and its answer is not checked (`info.accuracy.unchecked` says so).
/// @param document  samples and info
void begin_later_stage(const char* stage, const nlohmann::json& document);

/// The stage that began last, for messages; empty before the first.
const char* current_stage();

/// The process has its result: no words after it, and no time limit.
void forget_last_words();

}  // namespace vigil_bench
