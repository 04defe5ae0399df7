// What comes back from a worker: it is checked to the last number, whoever sent it.

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::wire {

using nlohmann::json;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

json to_json(const BuildOutcome& build) {
    json object = {
        {"id", build.id.value},
        {"built", build.built},
        {"message", build.message},
        {"duration_ns", build.duration_ns}};
    if (build.product) object["product"] = build.product->str();
    if (build.log) object["log"] = build.log->str();
    return object;
}

json to_json(const RunOutcome& run) {
    json samples = json::array();
    for (const auto& [metric, values] : run.samples) {
        samples.push_back({{"metric", to_string(metric)}, {"values", values}});
    }
    json object = {
        {"step", run.step},
        {"outcome", to_string(run.outcome)},
        {"message", run.message},
        {"started_at_ns", run.started_at_ns},
        {"duration_ns", run.duration_ns},
        {"samples", std::move(samples)}};
    if (run.log) object["log"] = run.log->str();
    return object;
}

BuildOutcome parse_build_outcome(const Item& item) {
    ObjectReader in(item);
    BuildOutcome build;
    build.id = in.id<BuildTag>("id");
    build.built = in.flag("built");
    build.product = in.find_digest("product");
    build.log = in.find_digest("log");
    build.message = in.text("message", max_message_bytes);
    build.duration_ns = in.integer("duration_ns", not_negative);
    in.done();
    if (build.built != build.product.has_value()) {
        refuse(in.path("product"), "goes with built, and with nothing else");
    }
    return build;
}

/// Any finite values: one that no series can be judged by, such as a negative time, must not cost
/// the other measurements of its result.
Samples parse_samples(const Item& item) {
    ObjectReader in(item);
    Samples samples;
    samples.metric = in.choice<Metric>("metric");
    for (const auto& value : in.items("values", max_samples)) {
        samples.values.push_back(number_of(value, NumberRange{}));
    }
    in.done();
    if (samples.values.empty()) refuse(in.path("values"), "is empty; leave the metric out");
    return samples;
}

RunOutcome parse_run_outcome(const Item& item) {
    ObjectReader in(item);
    RunOutcome run;
    run.step = in.small("step", {0, static_cast<std::int64_t>(max_steps) - 1});
    run.outcome = in.choice<Outcome>("outcome");
    run.message = in.text("message", max_message_bytes);
    run.log = in.find_digest("log");
    run.started_at_ns = in.integer("started_at_ns", not_negative);
    run.duration_ns = in.integer("duration_ns", not_negative);
    std::set<Metric> metrics;
    for (const auto& element : in.items("samples", max_metrics)) {
        run.samples.push_back(parse_samples(element));
        if (!metrics.insert(run.samples.back().metric).second) {
            refuse(element.path, "has a metric that this run has already");
        }
    }
    in.done();
    if (run.outcome != Outcome::passed && !run.samples.empty()) {
        refuse(in.path("samples"), "must be empty: the run did not pass");
    }
    return run;
}

EnvironmentRecord parse_record(const Item& item) {
    ObjectReader in(item);
    EnvironmentRecord record;
    record.facts = in.text_map("facts", max_variables);
    record.readings = in.text_map("readings", max_variables);
    in.done();
    return record;
}

double bound(ObjectReader& in, std::string_view key, double missing) {
    return in.number_or(key, missing);
}

json finite_or_null(double value) {
    return std::isfinite(value) ? json(value) : json(nullptr);
}

}  // namespace

json to_json(const EnvironmentRecord& record) {
    return {{"facts", record.facts}, {"readings", record.readings}};
}

json to_json(const JobResult& result) {
    json builds = json::array();
    for (const auto& build : result.builds) builds.push_back(to_json(build));
    json runs = json::array();
    for (const auto& run : result.runs) runs.push_back(to_json(run));
    json object = {
        {"builds", std::move(builds)},
        {"runs", std::move(runs)},
        {"before", to_json(result.before)},
        {"after", to_json(result.after)},
        {"failure", result.failure}};
    if (result.fault != Fault::job) object["fault"] = to_string(result.fault);
    if (!result.key.empty()) object["key"] = result.key;
    return object;
}

json to_json(const Comparison& comparison) {
    return {
        {"before", comparison.before},
        {"after", comparison.after},
        {"change_ratio", comparison.change_ratio},
        {"low", finite_or_null(comparison.low)},
        {"high", finite_or_null(comparison.high)},
        {"above", comparison.above},
        {"runs_before", comparison.runs_before},
        {"runs_after", comparison.runs_after},
        {"finding", to_string(comparison.finding)}};
}

EnvironmentRecord parse_environment_record(const json& value) {
    return parse_record({&value, "environment"});
}

JobResult parse_job_result(const json& value) {
    ObjectReader in(value, "result");
    JobResult result;
    std::set<BuildId> builds;
    for (const auto& item : in.items("builds", max_builds)) {
        result.builds.push_back(parse_build_outcome(item));
        if (!builds.insert(result.builds.back().id).second) {
            refuse(item.path, "is a build that is there already");
        }
    }
    std::set<int> steps;
    for (const auto& item : in.items("runs", max_steps)) {
        result.runs.push_back(parse_run_outcome(item));
        if (!steps.insert(result.runs.back().step).second) {
            refuse(item.path, "is a run of a step that has one already");
        }
    }
    result.before = parse_record(in.item("before"));
    result.after = parse_record(in.item("after"));
    result.failure = in.text("failure", max_message_bytes);
    result.fault = in.choice_or<Fault>("fault", Fault::job);
    result.key = in.text_or("key", "", max_name_bytes);
    in.done();
    if (result.fault == Fault::worker && result.failure.empty()) {
        refuse(in.path("fault"), "goes with a failure, and with nothing else");
    }
    return result;
}

Comparison parse_comparison(const json& value) {
    ObjectReader in(value, "comparison");
    Comparison comparison;
    if (value.empty()) return comparison;
    comparison.before = in.number("before");
    comparison.after = in.number("after");
    comparison.change_ratio = in.number("change_ratio");
    comparison.low = bound(in, "low", -infinity);
    comparison.high = bound(in, "high", infinity);
    comparison.above = in.number("above", {0, 1});
    comparison.runs_before = in.small("runs_before", not_negative);
    comparison.runs_after = in.small("runs_after", not_negative);
    comparison.finding = in.choice<Finding>("finding");
    in.done();
    return comparison;
}

void check_result(const JobResult& result, const JobPlan& plan, std::span<const BuildId> builds) {
    std::set<BuildId> failed;
    for (const auto& build : result.builds) {
        if (std::find(builds.begin(), builds.end(), build.id) == builds.end()) {
            refuse("result.builds", "speaks of build " + to_string(build.id) + ", not of this job");
        }
        if (!build.built) failed.insert(build.id);
    }
    std::set<int> made;
    for (const auto& run : result.runs) {
        if (run.step < 0 || run.step >= static_cast<int>(plan.steps.size())) {
            refuse("result.runs", "has step " + std::to_string(run.step) + ", not of this job");
        }
        made.insert(run.step);
    }
    if (!result.failure.empty()) return;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const auto position = static_cast<std::size_t>(plan.steps[i].build);
        VIGIL_ASSERT(position < builds.size());
        if (made.contains(static_cast<int>(i)) || failed.contains(builds[position])) continue;
        refuse("result.runs", "lacks step " + std::to_string(i) + ", whose build did not fail");
    }
}

}  // namespace vigil::wire
