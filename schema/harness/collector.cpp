#include "schema/harness/collector.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "schema/harness/units.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/digest.hpp"

namespace vigil::harness {

namespace {

/// Printable ASCII whose spaces stand alone and inside.
bool is_plain(std::string_view said) {
    char before = ' ';
    for (const char c : said) {
        if (c < ' ' || c > '~' || (c == ' ' && before == ' ')) return false;
        before = c;
    }
    return said.empty() || before != ' ';
}

bool is_fit(std::string_view said) {
    return said.size() <= longest_name && is_plain(said);
}

}  // namespace

std::string fitting(const std::string& said) {
    constexpr std::size_t digest_digits = 16;
    if (is_fit(said)) return said;
    auto line = text::one_line(said, said.size());
    if (line.size() <= longest_name) return line;
    const std::string end = "... " + wire::sha256(line).str().substr(0, digest_digits);
    return std::string(text::first_bytes(line, longest_name - end.size())) + end;
}

namespace {

const std::string& former_of(const ReadingName& name) {
    return name.former.empty() ? name.benchmark : name.former;
}

bool is_called(const Reading& reading, const ReadingName& name) {
    return reading.benchmark == name.benchmark && reading.quantity == name.quantity &&
           reading.definition == name.definition && reading.former == former_of(name);
}

auto names_of(const Reading& reading) {
    return std::tie(reading.benchmark, reading.quantity, reading.definition, reading.former);
}

std::size_t bytes_of(const ReadingName& name) {
    return name.benchmark.size() + name.quantity.size() + name.definition.size() +
           name.former.size();
}

std::size_t strings_of(const Reading& reading) {
    return text::heap_bytes(reading.benchmark) + text::heap_bytes(reading.quantity) +
           text::heap_bytes(reading.definition) + text::heap_bytes(reading.former) +
           text::heap_bytes(reading.unit);
}

/// What follows from a reading's quantity and unit.
void complete(Reading& reading, ReadingKind kind) {
    if (reading.benchmark.empty()) {
        throw Error(Errc::invalid_argument, "a benchmark without a name");
    }
    const Unit known = unit_named(reading.unit);
    if (known.kind == MetricKind::time) {
        reading.metric = Metric::wall_time_ns;
        reading.factor = known.factor;
    }
    reading.metric = kind.metric.value_or(reading.metric);
    reading.direction = kind.direction || kind.is_reported
                            ? kind.direction
                            : direction_of(reading.quantity, reading.unit, reading.benchmark);
}

void append(std::vector<double>& to, const std::vector<double>& more, text::ReadBudget& budget) {
    for (const double one : more) {
        text::make_room(to, budget);
        to.push_back(one);
    }
}

/// Puts what a row says to what is known.
void merge(Reading& into, Reading&& more, text::ReadBudget& budget) {
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
        append(into.samples, more.samples, budget);
    }
    append(into.of_failed, more.of_failed, budget);
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

bool Collector::ByNames::operator()(std::size_t a, std::size_t b) const {
    return names_of(readings[a]) < names_of(readings[b]);
}
bool Collector::ByNames::operator()(std::size_t a, const Reading& b) const {
    return names_of(readings[a]) < names_of(b);
}
bool Collector::ByNames::operator()(const Reading& a, std::size_t b) const {
    return names_of(a) < names_of(readings[b]);
}

Collector::Collector(Harness harness, text::ReadBudget& budget, std::string file_name)
    : budget_(budget), file_name_(std::move(file_name)), places_(ByNames{report.readings}) {
    report.harness = harness;
    budget_.make(sizeof *this);
}

ReadingName Collector::fit(const ReadingName& name) {
    const auto one = [this](const std::string& said) {
        constexpr std::size_t steps_a_byte = 6;
        budget_.step((is_fit(said) ? 1 : steps_a_byte) * said.size());
        return fitting(said);
    };
    return {one(name.benchmark), one(name.quantity), one(name.definition), one(former_of(name))};
}

Reading& Collector::draft(const ReadingName& name, const std::string& unit, ReadingKind kind) {
    constexpr std::size_t bytes_a_step = 16;  // of what is only compared
    budget_.step(1 + (bytes_of(name) + unit.size()) / bytes_a_step);
    if (!drafts_.empty()) {
        Reading& last = drafts_.back().reading;
        if (is_called(last, name) && last.unit == unit) return last;
    }
    auto fitted = fit(name);
    budget_.step(unit.size());
    auto fitted_unit = fitting(unit);
    if (!drafts_.empty()) {
        Reading& last = drafts_.back().reading;
        if (is_called(last, fitted) && last.unit == fitted_unit) return last;
    }
    text::make_room(drafts_, budget_);
    auto& fresh = drafts_.emplace_back(Draft{{}, kind});
    fresh.reading.benchmark = std::move(fitted.benchmark);
    fresh.reading.quantity = std::move(fitted.quantity);
    fresh.reading.definition = std::move(fitted.definition);
    fresh.reading.former = std::move(fitted.former);
    fresh.reading.unit = std::move(fitted_unit);
    fresh.bytes = strings_of(fresh.reading);
    budget_.make(fresh.bytes);
    return fresh.reading;
}

void Collector::add(
    const ReadingName& name, const std::string& unit, double value, ReadingKind kind) {
    if (!std::isfinite(value)) return;
    Reading& one = draft(name, unit, kind);
    if (one.summary) one.samples.clear();
    one.summary = false;
    text::make_room(one.samples, budget_);
    one.samples.push_back(value);
}

void Collector::add_summary(
    const ReadingName& name, const std::string& unit, double value, ReadingKind kind) {
    if (!std::isfinite(value)) return;
    Reading& one = draft(name, unit, kind);
    if (!one.summary && !one.samples.empty()) return;
    one.summary = true;
    one.samples.clear();
    text::make_room(one.samples, budget_);
    one.samples.push_back(value);
}

void Collector::add_failure(
    const ReadingName& name,
    const std::string& unit,
    const std::string& why,
    ReadingKind kind,
    const std::string& family) {
    Reading& one = draft(name, unit, kind);
    auto& bytes = drafts_.back().bytes;
    const auto before = text::heap_bytes(one.failure) + text::heap_bytes(one.family);
    ++one.failed;
    one.failure = text::one_line(why);
    one.family = family;
    const auto now = text::heap_bytes(one.failure) + text::heap_bytes(one.family);
    budget_.make(now);
    budget_.give_back(before);
    bytes += now - before;
}

void Collector::add_of_failed(
    const ReadingName& name, const std::string& unit, double value, ReadingKind kind) {
    Reading& one = draft(name, unit, kind);
    text::make_room(one.of_failed, budget_);
    one.of_failed.push_back(value);
}

/// Rows without an origin have numbers of their own.
std::uint64_t Collector::number_of(const std::string* origin) {
    constexpr std::uint64_t own = std::uint64_t{1} << 63;
    if (origin == nullptr) return own + ++rows_;
    const auto found = origins_.find(*origin);
    if (found != origins_.end()) return found->second;
    budget_.make(sizeof *origin + sizeof rows_ + text::tree_bytes + text::heap_bytes(*origin));
    return origins_.emplace(*origin, origins_.size()).first->second;
}

/// Rows are many, and names few: only of what is new it is asked what it means.
void Collector::complete_drafts() {
    for (auto& [fresh, kind, bytes] : drafts_) {
        const auto found = places_.find(fresh);
        const Reading* known = found == places_.end() ? nullptr : &report.readings[found->first];
        if (known && (known->unit == fresh.unit || fresh.samples.empty())) continue;
        complete(fresh, kind);
        if (!known || known->samples.empty() || known->unit == fresh.unit) continue;
        throw Error(
            Errc::invalid_argument,
            fmt::format(
                "'{}' is there in two units, '{}' and '{}'",
                known->benchmark,
                known->unit,
                text::one_line(fresh.unit, 40)));
    }
    if (report.readings.size() + drafts_.size() <= max_readings) return;
    throw Error(Errc::invalid_argument, fmt::format("more than {} values of names", max_readings));
}

void Collector::commit(const std::string* origin_name) {
    if (drafts_.empty()) return;
    const auto origin = number_of(origin_name);
    std::set<std::size_t> seen;
    for (auto& one : drafts_) {
        report.failed += one.reading.failed;
        const auto found = places_.find(one.reading);
        if (found == places_.end()) {
            keep(std::move(one), origin);
            continue;
        }
        auto& [index, place] = *found;
        if (place.origin == origin) {
            merge(report.readings[index], std::move(one.reading), budget_);
        } else if (seen.insert(index).second) {
            place.has_fallen = true;
            ++place.rows_apart;
        }
    }
    drop_drafts();
}

/// What it holds is the report's from now on.
void Collector::keep(Draft&& draft, std::uint64_t origin) {
    text::make_room(report.readings, budget_);
    report.readings.push_back(std::move(draft.reading));
    draft.bytes = 0;
    budget_.make(sizeof(std::size_t) + sizeof(Place) + text::tree_bytes);
    places_.emplace(report.readings.size() - 1, Place{origin});
}

void Collector::drop_drafts() {
    for (const auto& one : drafts_) {
        const auto& [reading, kind, bytes] = one;
        const auto values = reading.samples.capacity() + reading.of_failed.capacity();
        budget_.give_back(bytes + values * sizeof(double));
    }
    drafts_.clear();
}

void Collector::leave_out_row(const std::string& place, const std::string& why) {
    constexpr std::size_t steps_of_exception = 2000;
    budget_.step(steps_of_exception);
    drop_drafts();
    leave_out(why.starts_with(place) ? why : place + ": " + why);
}

void Collector::leave_out(const std::string& line) {
    ++report.left_out_count;
    if (report.left_out.size() < most_left_out) report.left_out.push_back(text::one_line(line));
}

Report Collector::finish() {
    std::vector<bool> fallen(report.readings.size());
    for (const auto& [index, place] : places_) {
        if (!place.has_fallen) continue;
        fallen[index] = true;
        const Reading& reading = report.readings[index];
        leave_out(fmt::format(
            "'{}'{}: {} rows of this name, and nothing in the file tells them apart",
            text::one_line(reading.benchmark, 120),
            reading.quantity.empty() ? "" : " (" + text::one_line(reading.quantity, 60) + ")",
            place.rows_apart));
    }
    places_.clear();
    std::size_t index = 0;
    std::erase_if(report.readings, [&](const Reading&) { return fallen[index++]; });
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
