#pragma once

#include <nlohmann/json_fwd.hpp>

#include "schema/harness/collector.hpp"
#include "schema/wire/object_reader.hpp"

// A reader for each harness that writes JSON; each has a source file of its own. `file` is the
// whole document. Errors are Error{invalid_argument} and begin with the place in it. What a reader
// does not know is passed over: harnesses add members.

namespace vigil::harness {

/// Times in the unit of the file.
inline constexpr wire::NumberRange measurable{0, 1e15};

/// Every iteration is a sample of real time; aggregates count where a file has nothing else.
/// Counters are quantities.
void read_google_benchmark(const nlohmann::json& file, Collector& into);
void read_pytest_benchmark(const nlohmann::json& file, Collector& into);
void read_hyperfine(const nlohmann::json& file, Collector& into);
/// One message of cargo-criterion: a line of its output.
void read_criterion(const nlohmann::json& message, Collector& into);
/// Every iteration of every fork is a sample; the mode ("avgt", "thrpt") is the quantity.
void read_jmh(const nlohmann::json& file, Collector& into);
void read_benchmark_dot_net(const nlohmann::json& file, Collector& into);
/// One reading for each combination of parameters. asv tells units in another file, so they follow
/// from its names: time_ is seconds, mem_ and peakmem_ are bytes.
void read_asv(const nlohmann::json& file, Collector& into);
void read_torchbench(const nlohmann::json& file, Collector& into);
void read_bmf(const nlohmann::json& file, Collector& into);

}  // namespace vigil::harness
