#include "schema/harness/collector.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "schema/harness/units.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/digest.hpp"

namespace vigil::harness {

std::string fitting(const std::string& said) {
    constexpr std::size_t digest_digits = 16;
    auto line = text::one_line(said, said.size());
    if (line.size() <= longest_name) return line;
    const std::string end = "... " + wire::sha256(line).str().substr(0, digest_digits);
    return std::string(text::first_bytes(line, longest_name - end.size())) + end;
}

namespace {

bool is_long(const ReadingName& name) {
    const auto longest = std::max(
        {name.benchmark.size(), name.quantity.size(), name.definition.size(), name.former.size()});
    return longest > longest_name;
}

/// Gives a reading its names, and what follows from its quantity and unit.
void complete(Reading& reading, const ReadingName& name, ReadingKind kind) {
    reading.benchmark = fitting(name.benchmark);
    reading.quantity = fitting(name.quantity);
    reading.definition = fitting(name.definition);
    reading.former = fitting(name.former.empty() ? name.benchmark : name.former);
    reading.unit = fitting(reading.unit);
    if (reading.benchmark.empty()) {
        throw Error(Errc::invalid_argument, "a benchmark without a name");
    }
    const Unit known = unit_named(reading.unit);
    if (known.kind == MetricKind::time) {
        reading.metric = Metric::wall_time_ns;
        reading.factor = known.factor;
    }
    reading.metric = kind.metric.value_or(reading.metric);
    reading.direction = kind.direction || kind.is_told
                            ? kind.direction
                            : direction_of(reading.quantity, reading.unit, reading.benchmark);
}

/// Puts what a row says to what is known.
void merge(Reading& into, Reading&& more) {
    if (into.samples.empty() && !more.samples.empty() && into.unit != more.unit) {
        // A failure that came first may have said no unit of its own.
        std::swap(into.unit, more.unit);
        std::swap(into.factor, more.factor);
        std::swap(into.metric, more.metric);
        std::swap(into.direction, more.direction);
    } else if (into.unit != more.unit) {
        // One row may say it again in another unit: "900 ms", then "1.1 s".
        for (double& one : more.samples) one *= more.factor / into.factor;
    }
    const bool takes = into.samples.empty() || into.summary || !more.summary;
    if (!more.samples.empty() && takes) {
        if (into.summary) into.samples.clear();
        into.summary = more.summary;
        into.samples.insert(into.samples.end(), more.samples.begin(), more.samples.end());
    }
    into.of_failed.insert(into.of_failed.end(), more.of_failed.begin(), more.of_failed.end());
    into.failed += more.failed;
    if (!more.failure.empty()) into.failure = std::move(more.failure);
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

std::string variant_of(const Reading& reading) {
    auto variant = reading.quantity.empty() ? "default" : reading.quantity;
    if (!reading.definition.empty()) variant += " (" + reading.definition + ")";
    return variant;
}

Collector::Collector(Harness harness, std::string file_name) : file_name_(std::move(file_name)) {
    report.harness = harness;
}

Reading& Collector::draft(const ReadingName& name, const std::string& unit, ReadingKind kind) {
    // Names are kept with every value.
    if (is_long(name)) {
        const ReadingName short_name{
            fitting(name.benchmark),
            fitting(name.quantity),
            fitting(name.definition),
            fitting(name.former)};
        return draft(short_name, unit, kind);
    }
    if (!drafts_.empty() && drafts_.back().name == name) {
        Reading& known = drafts_.back().reading;
        if (known.unit == unit) return known;
    }
    auto& fresh = drafts_.emplace_back(Draft{name, kind, {}}).reading;
    fresh.unit = unit;
    return fresh;
}

void Collector::add(
    const ReadingName& name, const std::string& unit, double value, ReadingKind kind) {
    if (!std::isfinite(value)) return;
    Reading& one = draft(name, unit, kind);
    if (one.summary) one.samples.clear();
    one.summary = false;
    one.samples.push_back(value);
}

void Collector::add_summary(
    const ReadingName& name, const std::string& unit, double value, ReadingKind kind) {
    if (!std::isfinite(value)) return;
    Reading& one = draft(name, unit, kind);
    if (!one.summary && !one.samples.empty()) return;
    one.summary = true;
    one.samples = {value};
}

void Collector::add_failure(
    const ReadingName& name,
    const std::string& unit,
    const std::string& why,
    ReadingKind kind,
    const std::string& family) {
    Reading& one = draft(name, unit, kind);
    ++one.failed;
    one.failure = text::one_line(why);
    one.family = family;
}

/// Rows are many, and names few: only what is new is made fit.
void Collector::complete_drafts() {
    for (auto& [name, kind, fresh] : drafts_) {
        const auto found = places_.find(name);
        const Reading* known =
            found == places_.end() ? nullptr : &report.readings[found->second.index];
        if (known && (known->unit == fresh.unit || fresh.samples.empty())) continue;
        complete(fresh, name, kind);
        if (!known || known->samples.empty() || known->unit == fresh.unit) continue;
        throw Error(
            Errc::invalid_argument,
            fmt::format(
                "'{}' is there in two units, '{}' and '{}'",
                known->benchmark,
                known->unit,
                text::one_line(fresh.unit, 40)));
    }
}

void Collector::commit(const std::string& origin) {
    complete_drafts();
    if (report.readings.size() + drafts_.size() > max_readings) {
        throw Error(
            Errc::invalid_argument, fmt::format("more than {} values of names", max_readings));
    }
    std::set<std::size_t> seen;
    for (auto& [name, kind, fresh] : drafts_) {
        report.failed += fresh.failed;
        const auto [found, is_new] =
            places_.try_emplace(name, Place{report.readings.size(), origin});
        auto& place = found->second;
        if (is_new) {
            report.readings.push_back(std::move(fresh));
        } else if (place.origin == origin) {
            merge(report.readings[place.index], std::move(fresh));
        } else if (seen.insert(place.index).second) {
            fallen_.insert(place.index);
            ++place.rows_apart;
        }
    }
    drafts_.clear();
}

void Collector::add_of_failed(
    const ReadingName& name, const std::string& unit, double value, ReadingKind kind) {
    draft(name, unit, kind).of_failed.push_back(value);
}

void Collector::leave_out_row(const std::string& place, const std::string& why) {
    leave_out(why.starts_with(place) ? why : place + ": " + why);
}

void Collector::leave_out(const std::string& line) {
    ++report.left_out_count;
    if (report.left_out.size() < most_left_out) report.left_out.push_back(text::one_line(line));
}

Report Collector::finish() {
    for (const auto& [name, place] : places_) {
        if (!fallen_.contains(place.index)) continue;
        leave_out(fmt::format(
            "'{}'{}: {} rows of this name, and nothing in the file tells them apart",
            text::one_line(name.benchmark, 120),
            name.quantity.empty() ? "" : " (" + text::one_line(name.quantity, 60) + ")",
            place.rows_apart));
    }
    std::size_t index = 0;
    std::erase_if(report.readings, [&](const Reading&) { return fallen_.contains(index++); });
    return std::move(report);
}

std::string with_parts(
    const std::string& benchmark, const std::vector<std::pair<std::string, std::string>>& parts) {
    std::string said;
    for (const auto& [key, value] : parts) {
        if (value.empty()) continue;
        said += (said.empty() ? "" : ", ") + (key.empty() ? value : key + "=" + value);
    }
    return said.empty() ? benchmark : benchmark + " [" + said + "]";
}

}  // namespace vigil::harness
