#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <tuple>

#include "schema/harness/report.hpp"

namespace vigil::harness {

/// How the value of a reading is called.
struct ReadingName {
    std::string benchmark;
    std::string quantity = {};
    std::string definition = {};

    auto operator<=>(const ReadingName&) const = default;
};

/// Runs that ended with an error count like any other where the program measured them all the same
/// (hyperfine): the command ends so by nature, and its owner knows it.
void take_failed(Report& report);

/// Puts the readings of one report together: values of one name are samples of one reading.
class Collector {
  public:
    explicit Collector(Harness harness) { report.harness = harness; }

    /// The reading of that name, new or old. A time is wall time unless it was told otherwise.
    /// @throws Error{invalid_argument} when the name is empty or too long, or its unit another one
    Reading& reading(const ReadingName& name, const std::string& unit);

    /// @param value  in `unit`; one that is not finite was not measured
    void add(const ReadingName& name, const std::string& unit, double value);

    /// A value that the harness summed up itself, which counts where it gives no samples. Of
    /// several the last one counts.
    void add_summary(const ReadingName& name, const std::string& unit, double value);

    /// A run that ended with an error: it is known that the benchmark exists.
    /// @param why  as the harness says it
    void add_failure(
        const ReadingName& name,
        const std::string& unit,
        const std::string& why = "no reason given");

    Report report;

  private:
    std::map<ReadingName, std::size_t> places_;
};

}  // namespace vigil::harness
