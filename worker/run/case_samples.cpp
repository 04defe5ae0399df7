#include "worker/run/case_samples.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "schema/harness/collector.hpp"
#include "schema/harness/console/recognize.hpp"
#include "schema/model/case_run.hpp"
#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/case_json.hpp"
#include "schema/wire/job_json.hpp"

namespace vigil::worker {

namespace {

constexpr std::size_t longest_reason = 400;  // in bytes

/// What tells a quantity from the others of its case.
std::string quantity_of(const harness::Reading& reading) {
    if (reading.definition.empty()) return reading.quantity;
    return fmt::format("{} ({})", reading.quantity, reading.definition);
}

class CaseReader {
  public:
    explicit CaseReader(const CasePlan& cases) : cases_(cases) {}

    void take(const harness::Reading& reading) {
        if (cases_.only.empty() ? !is_wanted(reading.benchmark) : reading.benchmark != cases_.only)
            return;
        if (reading.failed > 0) {
            failures_.try_emplace(
                reading.benchmark, text::one_line(reading.failure, longest_reason));
            return;
        }
        auto samples = samples_of(reading);
        if (samples.values.empty()) return;
        const bool fits = std::ranges::all_of(
            samples.values, [](double value) { return std::isfinite(value) && value >= 0; });
        if (!fits || samples.values.size() > wire::max_samples) return;
        if (++metrics_[reading.benchmark] > wire::max_metrics) return;
        result_.samples.push_back(std::move(samples));
    }

    RunSamples finish() {
        for (auto& [name, why] : failures_) result_.case_failures.push_back({name, why});
        std::erase_if(
            result_.samples, [&](const auto& one) { return failures_.contains(one.case_name); });
        return std::move(result_);
    }

  private:
    bool is_wanted(const std::string& name) {
        const auto [known, is_new] = wanted_.try_emplace(name, false);
        if (!is_new) return known->second;
        known->second = is_measured_case(cases_, name);
        if (known->second && ++count_ > wire::max_cases) {
            throw Error(
                Errc::invalid_argument,
                fmt::format(
                    "reading the benchmark's output: it holds more than {} cases; say in \"cases\" "
                    "which are measured",
                    wire::max_cases));
        }
        return known->second;
    }

    /// The first of a case's wall times is its time, and so of CPU times and GPU times.
    Samples samples_of(const harness::Reading& reading) {
        Samples samples{reading.metric, reading.samples, reading.benchmark};
        const bool is_time = kind_of(reading.metric) == MetricKind::time;
        const bool is_first = times_.emplace(reading.benchmark, reading.metric).second;
        if (!is_time || !is_first) samples.quantity = quantity_of(reading);
        if (kind_of(reading.metric) != MetricKind::other) {
            for (double& value : samples.values) value *= reading.factor;
            return samples;
        }
        samples.unit = text::one_line(reading.unit, wire::max_name_bytes);
        samples.direction = reading.direction;
        return samples;
    }

    const CasePlan& cases_;
    std::map<std::string, bool> wanted_ = {};
    std::size_t count_ = 0;
    std::set<std::pair<std::string, Metric>> times_ = {};
    std::map<std::string, std::size_t> metrics_ = {};
    std::map<std::string, std::string> failures_ = {};
    RunSamples result_ = {};
};

/// Neither a measurement nor a breakage: the arguments do not name the case as the program knows
/// it.
RunSamples not_printed(const CasePlan& cases) {
    RunSamples run;
    run.outcome = Outcome::unsupported;
    run.message = fmt::format(
        "it did not print the case \"{}\" that it was asked for",
        text::one_line(cases.only, longest_reason));
    run.facts.push_back({.name = wire::case_not_printed, .text = run.message});
    return run;
}

}  // namespace

RunSamples read_cases(const SampleRule& rule, const CasePlan& cases, std::string_view output) {
    harness::Report report;
    try {
        report = harness::read_output(output);
    } catch (const Error&) {  // a program may print nothing at all of a case that it does not know
        if (!cases.only.empty()) return not_printed(cases);
        throw;
    }
    if (rule.ignore_exit_code) harness::take_failed(report);
    CaseReader reader(cases);
    for (const auto& reading : report.readings) reader.take(reading);
    auto run = reader.finish();
    if (!run.samples.empty()) return run;
    if (!run.case_failures.empty()) {
        const auto& first = run.case_failures.front();
        run.outcome = Outcome::failed;
        run.message = fmt::format(
            "{} failed: {}", text::one_line(first.case_name, longest_reason), first.message);
        run.case_failures.clear();
        return run;
    }
    if (!cases.only.empty()) return not_printed(cases);
    throw Error(
        Errc::invalid_argument,
        "reading the benchmark's output: it holds no case that \"cases\" names");
}

}  // namespace vigil::worker
