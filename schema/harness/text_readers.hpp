#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/harness/collector.hpp"

// A reader for each harness that writes lines, a table or XML; each has a source file of its own.
// Errors are Error{invalid_argument} and name the line.

namespace vigil::harness {

/// What `go test -bench` printed: "BenchmarkSort-8  1000  123 ns/op  16 B/op". Runs of -count are
/// samples; lines of other kinds are passed over.
void read_go(std::string_view text, Collector& into);
/// The same out of `go test -json`, whose events hold pieces of the lines.
void read_go_events(std::string_view text, const std::string& file, Collector& into);

/// Catch2's XML: <BenchmarkResults>, named after the test case, its sections and itself.
void read_catch2(std::string_view text, Collector& into);

/// criterion's raw.csv.
void read_criterion_csv(std::string_view text, const std::string& file, Collector& into);
/// PyTorch's benchmarks/dynamo: latency, speedup, memory and compile time of each model.
void read_dynamo(std::string_view text, const std::string& file, Collector& into);
/// A table with the columns benchmark (or name) and value, and any of quantity (or
/// metric), unit, direction, definition, revision (or commit), time (or timestamp, date, night),
/// machine, environment. Rows of one revision, time, machine and environment are one report.
std::vector<Report> read_columns(std::string_view text, const std::string& file);

}  // namespace vigil::harness
