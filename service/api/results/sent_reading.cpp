#include "service/api/results/sent_reading.hpp"

#include <algorithm>
#include <utility>

#include "bisect/stats/summary.hpp"
#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/nearest.hpp"

namespace vigil::service {

SentReading sent_reading(harness::Reading&& reading) {
    const bool own_unit = reading.metric == Metric::reported_value;
    SentReading sent;
    sent.variant = harness::variant_of(reading);
    sent.benchmark = std::move(reading.benchmark);
    sent.family = std::move(reading.family);
    sent.metric = reading.metric;
    sent.unit = own_unit ? std::move(reading.unit) : std::string(unit_of(reading.metric));
    sent.direction = reading.direction;
    sent.samples = std::move(reading.samples);
    for (double& sample : sent.samples) sample *= reading.factor;
    if (sent.samples.empty()) {
        sent.failure = reading.failure.empty() ? "it gave no value" : std::move(reading.failure);
        return sent;
    }
    sent.value = stats::median(sent.samples);
    sent.spread = stats::spread(sent.samples);
    return sent;
}

std::vector<SentReading> sent_readings(std::vector<harness::Reading>&& readings) {
    std::vector<SentReading> sent;
    sent.reserve(readings.size());
    for (auto& reading : readings) sent.push_back(sent_reading(std::move(reading)));
    return sent;
}

/// "google-benchmark" and "google_benchmark" are one.
std::optional<harness::Harness> format_named(std::string name, const std::string& place) {
    if (name.empty()) return std::nullopt;
    std::ranges::replace(name, '-', '_');
    if (const auto found = find_enum<harness::Harness>(name)) return found;
    std::vector<std::string> known;
    for (const auto& [harness, word] : enum_names<harness::Harness>) known.emplace_back(word);
    throw Error(
        Errc::invalid_argument,
        place + ": it must be one of " + text::joined(known) + text::did_you_mean(name, known));
}

void add_fact(MachineFacts& facts, const std::string& fact, const std::string& value) {
    if (facts.size() == max_facts) return;
    facts[text::one_line(fact, max_fact_bytes)] = text::one_line(value, max_fact_bytes);
}

void add_facts(MachineFacts& facts, const MachineFacts& more) {
    for (const auto& [fact, value] : more) add_fact(facts, fact, value);
}

void Fingerprinter::add(std::string_view text) {
    sha_.update(std::to_string(text.size()));
    sha_.update(":");
    sha_.update(text);
}

void Fingerprinter::add(const MachineFacts& facts) {
    for (const auto& [fact, value] : facts) {
        add(fact);
        add(value);
    }
}

void Fingerprinter::add(const SentReading& reading) {
    add(reading.benchmark);
    add(reading.variant);
    add(to_string(reading.metric));
    add(reading.unit);
    add(std::string_view(
        reinterpret_cast<const char*>(reading.samples.data()),
        reading.samples.size() * sizeof(double)));
    add(reading.failure);
}

void check_sender(const http::Request& request, const std::string& project) {
    const auto& caller = request.caller.value();
    if (!caller.projects) return;
    const auto& mine = *caller.projects;
    if (std::find(mine.begin(), mine.end(), project) != mine.end()) return;
    throw Error(
        Errc::denied,
        "the token " + caller.name + " sends results of " + text::joined(mine) +
            " alone; take one that may send those of " + text::one_line(project, 80));
}

}  // namespace vigil::service
