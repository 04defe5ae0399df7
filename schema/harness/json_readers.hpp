#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schema/harness/collector.hpp"
#include "schema/wire/object_reader.hpp"

// A reader for each harness that writes JSON; each has a source file of its own. `file` is the
// whole document. A row that cannot be read is left out and told in the report; errors of the file
// itself are Error{invalid_argument} and begin with the place in it. What a reader does not know is
// passed over: harnesses add members. Whatever tells two rows apart is part of their names.

namespace vigil::harness {

/// Times in the unit of the file.
inline constexpr wire::NumberRange measurable{0, 1e15};

/// Every iteration is a sample of real time; aggregates count where a file has nothing else.
/// Counters are quantities. Versions before 1.4.1 tell aggregates by their names alone.
void read_google_benchmark(const nlohmann::json& file, Collector& into);
/// Numbers of "extra_info" are quantities.
void read_pytest_benchmark(const nlohmann::json& file, Collector& into);
void read_hyperfine(const nlohmann::json& file, Collector& into);
/// One message of cargo-criterion: a line of its output.
void read_criterion(const nlohmann::json& message, Collector& into);
/// Every iteration of every fork is a sample; the mode ("avgt", "thrpt") is the quantity. Threads,
/// Java and its arguments are part of the name.
void read_jmh(const nlohmann::json& file, Collector& into);
/// The job (runtime, settings) is part of the name.
void read_benchmark_dot_net(const nlohmann::json& file, Collector& into);
/// One reading for each combination of parameters in asv's environment; versions 1 and 2. asv tells
/// units in another file, so they follow from its names: time_ is seconds, mem_ and peakmem_ are
/// bytes. null failed, a text (which NaN became) was skipped.
void read_asv(const nlohmann::json& file, Collector& into);
void read_torchbench(const nlohmann::json& file, Collector& into);
void read_bmf(const nlohmann::json& file, Collector& into);
/// A list of name, unit and value is one report; a data.js has one for each push.
std::vector<Report> read_github_action_benchmark(
    const nlohmann::json& file, std::size_t most_reports, text::ReadBudget& budget);

}  // namespace vigil::harness
