#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/wire/job_json.hpp"
#include "service/local/reading/order.hpp"
#include "worker/run/run.hpp"

namespace vigil::harness {
struct SelfSizing;
}

namespace vigil::local {

constexpr std::size_t most_cases = wire::max_cases;

/// One of the benchmarks that a run printed, as the order reads it.
struct PrintedCase {
    std::string name;
    std::string quantity;  ///< as ReadAs has it, and so the rest
    std::string unit;
    MetricKind kind = MetricKind::time;
    Direction direction = Direction::lower_is_better;
    std::optional<double> value;  ///< the run's, in `unit`
    std::string problem;          ///< why there is none, one line
};

struct PrintedCases {
    std::vector<PrintedCase>
        cases;                  ///< in the order of the output, each once, `most_cases` at most
    std::int64_t left_out = 0;  ///< further ones
};

/// The benchmarks of what a harness printed that have the quantity of the order. Linear in its
/// readings.
/// @param seen  with a report
PrintedCases cases_in(const harness::SelfSizing& seen, const Order& order);

/// What a run that exited with 0 says of each benchmark that it printed.
/// @throws Error{invalid_argument} where it gives no value at all
PrintedCases cases_of(const worker::RunReport& report, const Order& order);
/// The same by a guarded call (worker/run/guarded.hpp).
PrintedCases guarded_cases_of(const worker::RunReport& report, const Order& order);

}  // namespace vigil::local
