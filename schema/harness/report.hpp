#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/metric.hpp"

// What a benchmark harness wrote down, whichever it was.

namespace vigil::harness {

/// Who wrote a file.
enum class Harness {
    google_benchmark,         ///< --benchmark_out_format=json
    pytest_benchmark,         ///< --benchmark-json
    hyperfine,                ///< --export-json
    criterion,                ///< cargo criterion --message-format=json, or raw.csv
    jmh,                      ///< -rf json
    go,                       ///< go test -bench, plain or with -json
    catch2,                   ///< -r xml
    benchmark_dot_net,        ///< --exporters json
    asv,                      ///< results/MACHINE/COMMIT-ENV.json
    torchbench,               ///< a userbenchmark's metrics-*.json
    dynamo,                   ///< the CSV of PyTorch's benchmarks/dynamo
    bmf,                      ///< Bencher Metric Format
    github_action_benchmark,  ///< its list of name, unit and value, or its data.js
    csv,                      ///< any other table with named columns
};

/// One quantity of one benchmark.
struct Reading {
    std::string benchmark;   ///< with its parameters; one line of 1 to 500 bytes
    std::string quantity;    ///< empty: the time that the harness is there to measure
    std::string definition;  ///< what is measured in another way is another series; mostly empty
    std::string former;      ///< `benchmark` without what else tells it apart; mostly the same
    Metric metric = Metric::reported_value;
    std::string unit;   ///< as the harness writes it, "us/op"; may be empty
    double factor = 1;  ///< ns or bytes in one `unit`; 1 of a reported value
    /// nullopt: neither the file nor a known word says which way is better; it is not judged
    std::optional<Direction> direction = Direction::lower_is_better;
    std::vector<double> samples;  ///< in `unit`, finite; none: it failed
    bool summary = false;         ///< the one sample is the harness's own median or mean
    std::size_t failed = 0;       ///< runs of it that ended with an error
    std::string failure = {};     ///< why, of the last one; one line
    /// In `unit`, of those runs that were measured all the same; see take_failed.
    std::vector<double> of_failed = {};
    /// Of a failure whose row does not say all parameters: it is of the benchmark that was measured
    /// last among those whose names begin so. Empty: `benchmark` is whole.
    std::string family = {};
};

/// The variant of the series that it is of: the quantity, "default" where there is none, and the
/// definition.
std::string variant_of(const Reading& reading);

/// What was measured of one revision at one time on one machine.
struct Report {
    Harness harness = Harness::csv;
    std::optional<std::int64_t> time_s;  ///< when, as the file says; seconds since 1970
    std::string revision;                ///< as the file says; empty: it does not
    std::string machine;
    std::map<std::string, std::string> environment;  ///< facts that can move a number
    std::vector<Reading> readings;      ///< in the order of the file; none: nothing ran
    std::size_t failed = 0;             ///< runs that ended with an error
    std::vector<std::string> left_out;  ///< what could not be taken and why, a line each
    std::size_t left_out_count = 0;     ///< of which the first `most_left_out` are told
};

inline constexpr std::size_t longest_name = 500;
inline constexpr std::size_t max_file_bytes = std::size_t{64} << 20;
inline constexpr std::size_t max_readings = 2'000'000;
inline constexpr std::size_t most_left_out = 50;

}  // namespace vigil::harness
