#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/harness/report.hpp"

// Benchmark programs that decide themselves how often they repeat ("size their own loop"): a slower
// program repeats less, so that the time of its process stays as it was, or even shrinks. What they
// print counts, never the time of their process. Pure functions.

namespace vigil::harness {

/// What is known of a run; views of any text, each may be empty.
struct SeenRun {
    std::string_view command;      ///< as a shell's line
    std::string_view output;       ///< standard output
    std::string_view errors;       ///< standard error
    bool ignores_failure = false;  ///< take_failed
};

/// A program that sizes its own loop.
struct SelfSizing {
    std::string program;           ///< "Google Benchmark"
    std::optional<Report> report;  ///< what it printed
    std::string problem;           ///< why that cannot be read, one line; empty when it can
    /// An assignment that asks it for all digits, "BENCHMARK_FORMAT=json"; empty: none is needed,
    /// or there is none.
    std::string exact_form;
};

/// Whether a run was one of a program that sizes its own loop, by what it printed: a table for
/// people, or the form of a file; else by what it says on standard error, or by its command.
/// @return nothing: nothing says so
std::optional<SelfSizing> recognize(const SeenRun& run);

/// The harness that a source file is written for, by its includes, imports or parameters: that of a
/// program that will size its own loop.
/// @param name  of the file
std::optional<Harness> harness_of_source(std::string_view name, std::string_view text);

/// As people call it: "Google Benchmark".
std::string_view name_of(Harness harness);

/// What one run printed: a table for people of a known harness, or the one document that the output
/// is or ends with, in any format that `read_reports` knows.
/// @throws Error{invalid_argument} and BudgetError as `read_reports` does, and the first for a
///         document of several nights
Report read_output(std::string_view output);

/// The benchmarks of a report, each once, in its order.
std::vector<std::string> benchmarks_of(const Report& report);

}  // namespace vigil::harness
