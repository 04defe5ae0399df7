#include "service/cli/talk/plan_talk.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bisect/stats/summary.hpp"
#include "schema/model/error.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "service/cli/common/option.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;
using wire::ObjectReader;

constexpr std::int64_t most_candidates = 100'000;
constexpr std::int64_t most_workers = 256;
constexpr double least_noise = 6e-4;

/// The spread of one run as earlier nights show it; robust, but never blind to heavy tails.
double noise_of(const std::vector<double>& history) {
    if (history.size() < 4) return 0;
    std::vector<double> logs;
    for (const double value : history) logs.push_back(std::log(value));
    const double mean = stats::mean(logs);
    double squares = 0;
    for (const double l : logs) squares += (l - mean) * (l - mean);
    const double deviation = std::sqrt(squares / static_cast<double>(logs.size() - 1));
    return std::max({stats::spread(logs), 0.5 * deviation, least_noise});
}

std::vector<double> numbers(ObjectReader& reader, std::string_view key, wire::NumberRange range) {
    std::vector<double> values;
    for (const auto& item : reader.items_or_none(key, most_candidates)) {
        values.push_back(wire::number_of(item, range));
    }
    return values;
}

constexpr wire::NumberRange above_zero{1e-300, 1e300};
constexpr wire::NumberRange any_share{0, 1e300};

json culprit_of(const search::SeriesEnding& ending) {
    return {
        {"lo", ending.first},
        {"hi", ending.last},
        {"p", ending.probability},
        {"effect", ending.verified.change_ratio},
        {"low", ending.verified.low},
        {"high", ending.verified.high}};
}

bool is_verified(const search::SeriesEnding& ending) {
    return ending.verified.runs_after > 0;
}

}  // namespace

json PlanTalk::start(const json& hello) {
    ObjectReader reader(hello, "start");
    const int candidates = reader.small("candidates", {1, most_candidates});
    search::Problem problem;
    problem.suspects = candidates;
    problem.workers = reader.small_or("workers", 1, {1, most_workers});
    problem.costs.build = reader.number_or("build_cost", 10, any_share);
    problem.costs.change = reader.number_or("switch_cost", 0.1, any_share);
    const double run = reader.number_or("run_cost", 1, above_zero);
    problem.costs.build /= run;
    problem.costs.change /= run;
    problem.budget.max_runs = reader.small_or("max_runs", 1'000'000, wire::positive);
    problem.budget.max_builds = reader.small_or("max_builds", 1'000'000, wire::not_negative);
    problem.budget.max_probes = 1'000'000;
    search::SeriesSpec series;
    const std::string metric = reader.text_or("metric", "time");
    series.kind = metric == "memory"  ? MetricKind::memory
                  : metric == "time"  ? MetricKind::time
                  : metric == "count" ? MetricKind::count
                                      : MetricKind::other;
    const std::string direction = reader.text_or("direction", "up");
    if (direction != "up" && direction != "down") {
        wire::refuse("start.direction", "must be 'up' (more is worse) or 'down'");
    }
    series.direction = direction == "up" ? Direction::lower_is_better : Direction::higher_is_better;
    series.threshold = reader.number_or("threshold", 0.07, {1e-6, 100});
    series.expected_ratio = reader.number_or("alert", series.threshold, {-0.99, 1e6});
    series.noise = noise_of(numbers(reader, "history", above_zero));
    series.nights = series.noise;
    problem.series = {series};
    problem.weights = numbers(reader, "prior", any_share);
    if (!problem.weights.empty() && static_cast<int>(problem.weights.size()) != candidates) {
        wire::refuse("start.prior", fmt::format("must have {} weights", candidates));
    }
    search::Driver driver(candidates);
    for (const auto& item : reader.items_or_none("prebuilt")) {
        driver.add(search::Built{static_cast<int>(wire::integer_of(item, {0, candidates}))});
    }
    problem_ = std::move(problem);
    driver_ = std::move(driver);
    results_ = 0;
    started_ = true;
    return {{"ready", true}, {"mode", "async"}, {"persistent", true}};
}

void PlanTalk::take_result(const json& result) {
    ObjectReader reader(result, "result");
    const auto probes = static_cast<std::int64_t>(driver_.probes().size());
    const int job = reader.small("job", {0, probes - 1});
    const int commit = reader.small("commit", {0, problem_.suspects});
    driver_.add(search::ProbeEnded{job});
    if (reader.flag_or("build_failed", false)) {
        driver_.add(search::BuildFailed{commit});
        return;
    }
    driver_.add(search::Built{commit});
    if (reader.flag_or("lost", false)) {
        driver_.add(search::RunFailed{job, results_++, commit, search::Loss::lost});
    } else {
        search::Ran run{job, results_++, commit, 0, reader.number("value", above_zero)};
        run.busy = reader.number_or("busy", 0, any_share);
        driver_.add(run);
    }
}

json PlanTalk::take_results(const json& message) {
    if (!started_) refuse("results before a start");
    ObjectReader reader(message, "message");
    PlanTalk changed = *this;
    for (const auto& item : reader.items("results")) {
        changed.take_result(*item.value);
    }
    const auto decision = changed.driver_.decide(changed.problem_);
    json answer;
    if (decision.done) {
        answer["done"] = changed.done_of(decision);
        changed.started_ = false;
    } else {
        answer["run"] = json::array();
        for (const auto& probe : decision.probes) {
            changed.driver_.add(search::Planned{probe});
            answer["run"].push_back({{"seq", probe.commits}, {"why", probe.why}});
        }
        answer["summary"] = decision.summary;
    }
    *this = std::move(changed);
    return answer;
}

json PlanTalk::done_of(const search::Decision& decision) const {
    const auto& ending = decision.endings.front();
    json done{{"reason", ending.reason}};
    if (ending.ending == search::Ending::not_reproduced) {
        done["verdict"] = "none";
        return done;
    }
    if (is_verified(ending)) {
        done["verdict"] = "culprit";
        done["culprits"] = {culprit_of(ending)};
        for (const auto& further : decision.further) {
            done["culprits"].push_back(culprit_of(further));
        }
        return done;
    }
    done["verdict"] = "inconclusive";
    auto set = search::credible_set(decision.posterior.front());
    if (ending.unchanged > 0.05) set.insert(set.begin(), 0);
    done["set"] = set;
    return done;
}

std::string PlanTalk::answer(const std::string& line) {
    const auto begin = std::chrono::steady_clock::now();
    json reply;
    try {
        const json message = wire::parse_json(line, "the line");
        const std::string type = ObjectReader(message, "message").text("type");
        if (type == "end") {
            started_ = false;
            return "";
        }
        if (type == "start") {
            reply = start(message);
        } else if (type == "results") {
            reply = take_results(message);
        } else {
            wire::refuse("message.type", "must be start, results or end");
        }
    } catch (const Error& error) {
        reply = {{"error", error.what()}};
    }
    const auto spent = std::chrono::steady_clock::now() - begin;
    reply["plan_us"] = std::chrono::duration_cast<std::chrono::microseconds>(spent).count();
    return wire::write_json(reply);
}

}  // namespace vigil::cli
