#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schema/harness/collector.hpp"

// A reader for each harness that writes lines, a table or XML; each has a source file of its own.
// A row that cannot be read is left out and told in the report. Errors are Error{invalid_argument}
// and name the line.

namespace vigil::harness {

/// Whether a line is in Go's format of results: "BenchmarkSort-8  1000  123 ns/op".
bool is_go_result(std::string_view line);
/// Whether a line's object is an event of `go test -json`.
bool is_go_event(const nlohmann::json& object);
/// What `go test -bench` printed, plain or as the events of -json, which hold pieces of the lines.
/// Runs of -count are samples; lines of other kinds are passed over.
void read_go(std::string_view text, Collector& into);

/// Catch2's XML: <BenchmarkResults>, named after the test case, its sections and itself.
void read_catch2(std::string_view text, Collector& into);

/// criterion's raw.csv.
void read_criterion_csv(std::string_view text, const std::string& file, Collector& into);
/// PyTorch's benchmarks/dynamo: latency, speedup, memory and compile time of each model, or its
/// accuracy. Data type, mode and suite are part of the name, as the rows say, else the file's name.
void read_dynamo(std::string_view text, const std::string& file, Collector& into);
/// A table with the columns benchmark (or name) and value, and any of quantity (or
/// metric), unit, direction, definition, revision (or commit), time (or timestamp, date, night),
/// machine, environment; variant, device, threads and the like are part of the name. Rows of one
/// revision, time, machine and environment are one report.
std::vector<Report> read_columns(
    std::string_view text,
    const std::string& file,
    std::size_t most_reports,
    text::ReadBudget& budget);

}  // namespace vigil::harness
