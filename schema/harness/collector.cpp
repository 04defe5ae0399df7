#include "schema/harness/collector.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "schema/harness/units.hpp"
#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"

namespace vigil::harness {

namespace {

std::string name_of(const std::string& said, const char* what) {
    if (said.size() > longest_name) {
        throw Error(
            Errc::invalid_argument,
            fmt::format(
                "the {} '{}' has {} bytes, at most {} are taken",
                what,
                text::one_line(said, 60),
                said.size(),
                longest_name));
    }
    return text::one_line(said);
}

}  // namespace

void take_failed(Report& report) {
    for (Reading& reading : report.readings) {
        const auto count = std::min(reading.failed, reading.of_failed.size());
        if (reading.summary && count > 0) reading.samples.clear();
        reading.samples.insert(
            reading.samples.end(), reading.of_failed.begin(), reading.of_failed.end());
        reading.summary = reading.summary && count == 0;
        reading.of_failed.clear();
        reading.failed -= count;
        report.failed -= std::min(report.failed, count);
        if (reading.failed == 0) reading.failure.clear();
    }
}

Reading& Collector::reading(const ReadingName& name, const std::string& unit) {
    const auto [place, is_new] = places_.try_emplace(name, report.readings.size());
    if (!is_new) {
        Reading& known = report.readings[place->second];
        if (known.unit == unit) return known;
        throw Error(
            Errc::invalid_argument,
            fmt::format(
                "'{}' is there in two units, '{}' and '{}'",
                known.benchmark,
                known.unit,
                text::one_line(unit, 40)));
    }
    Reading fresh;
    fresh.benchmark = name_of(name.benchmark, "name");
    fresh.quantity = name_of(name.quantity, "quantity");
    fresh.definition = name_of(name.definition, "definition");
    fresh.unit = name_of(unit, "unit");
    if (fresh.benchmark.empty()) {
        throw Error(Errc::invalid_argument, "a benchmark without a name");
    }
    if (report.readings.size() == max_readings) {
        throw Error(
            Errc::invalid_argument, fmt::format("more than {} values of names", max_readings));
    }
    const Unit known = unit_named(fresh.unit);
    if (known.kind == MetricKind::time) {
        fresh.metric = Metric::wall_time_ns;
        fresh.factor = known.factor;
    }
    fresh.direction = direction_of(fresh.quantity, fresh.unit);
    return report.readings.emplace_back(std::move(fresh));
}

void Collector::add(const ReadingName& name, const std::string& unit, double value) {
    Reading& one = reading(name, unit);
    if (!std::isfinite(value)) return;
    if (one.summary) one.samples.clear();
    one.summary = false;
    one.samples.push_back(value);
}

void Collector::add_summary(const ReadingName& name, const std::string& unit, double value) {
    Reading& one = reading(name, unit);
    if (!std::isfinite(value) || (!one.summary && !one.samples.empty())) return;
    one.summary = true;
    one.samples = {value};
}

void Collector::add_failure(
    const ReadingName& name, const std::string& unit, const std::string& why) {
    Reading& one = reading(name, unit);
    ++one.failed;
    one.failure = text::one_line(why);
    ++report.failed;
}

}  // namespace vigil::harness
