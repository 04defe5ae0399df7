#include "schema/wire/case_json.hpp"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include "schema/model/case_run.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/json_types.hpp"

namespace vigil {

using nlohmann::json;

void to_json(json& value, const Samples& samples) {
    value = {{"metric", samples.metric}, {"values", samples.values}};
    if (!samples.case_name.empty()) value["case"] = samples.case_name;
    if (!samples.quantity.empty()) value["quantity"] = samples.quantity;
    if (!samples.unit.empty()) value["unit"] = samples.unit;
    if (samples.direction) value["direction"] = *samples.direction;
}

void to_json(json& value, const CasePlan& cases) {
    value = {{"names", cases.names}};
    if (!cases.arguments.empty()) value["arguments"] = cases.arguments;
    if (!cases.only.empty()) value["only"] = cases.only;
}

void to_json(json& value, const CaseFailure& failure) {
    value = {{"case", failure.case_name}, {"message", failure.message}};
}

}  // namespace vigil

namespace vigil::wire {

namespace {

std::string parse_case_name(ObjectReader& in, std::string_view key) {
    return in.text_or(key, "", max_case_bytes);
}

Samples parse_samples(const Item& item) {
    ObjectReader in(item);
    Samples samples;
    samples.metric = in.choice<Metric>("metric");
    for (const auto& value : in.items("values", max_samples)) {
        samples.values.push_back(number_of(value, NumberRange{}));
    }
    samples.case_name = parse_case_name(in, "case");
    samples.quantity = parse_case_name(in, "quantity");
    samples.unit = in.text_or("unit", "", max_name_bytes);
    if (in.has("direction")) samples.direction = in.choice<Direction>("direction");
    in.done();
    if (samples.values.empty()) refuse(in.path("values"), "is empty; leave the metric out");
    const bool of_case = !samples.case_name.empty();
    if (!of_case && (!samples.quantity.empty() || !samples.unit.empty() || samples.direction)) {
        refuse(in.path("case"), "is missing; only a case has quantity, unit and direction");
    }
    return samples;
}

CaseFailure parse_case_failure(const Item& item) {
    ObjectReader in(item);
    CaseFailure failure;
    failure.case_name = in.text("case", max_case_bytes);
    if (failure.case_name.empty()) refuse(in.path("case"), "is empty");
    failure.message = in.text("message", max_message_bytes);
    in.done();
    return failure;
}

}  // namespace

CasePlan parse_case_plan(const Item& item) {
    ObjectReader in(item);
    CasePlan cases;
    cases.names = in.texts("names", max_cases);
    if (cases.names.empty()) refuse(in.path("names"), "is empty");
    if (in.has("arguments")) cases.arguments = in.texts("arguments", max_arguments);
    const auto problem = case_arguments_problem(cases.arguments);
    if (!problem.empty()) refuse(in.path("arguments"), problem);
    cases.only = parse_case_name(in, "only");
    in.done();
    return cases;
}

std::vector<Samples> parse_run_samples(ObjectReader& run) {
    std::vector<Samples> all;
    std::set<std::tuple<std::string, std::string, Metric>> names;
    std::map<std::string, std::size_t> of_case;
    for (const auto& item : run.items("samples", max_cases * max_metrics)) {
        all.push_back(parse_samples(item));
        const auto& one = all.back();
        if (!names.emplace(one.case_name, one.quantity, one.metric).second) {
            refuse(item.path, "has a metric that this run has already");
        }
        if (++of_case[one.case_name] > max_metrics) {
            refuse(item.path, "is one metric too many: a case has at most 16");
        }
        if (of_case.size() > max_cases + 1) refuse(item.path, "is of one case too many");
    }
    return all;
}

std::vector<CaseFailure> parse_case_failures(ObjectReader& run) {
    std::vector<CaseFailure> failures;
    std::set<std::string> names;
    for (const auto& item : run.items_or_none("case_failures", max_cases)) {
        failures.push_back(parse_case_failure(item));
        if (!names.insert(failures.back().case_name).second) {
            refuse(item.path, "has a case that this run has already");
        }
    }
    return failures;
}

}  // namespace vigil::wire

namespace vigil {

void from_json(const json& value, Samples& samples) {
    samples = wire::parse_samples({&value, "samples"});
}

void from_json(const json& value, CasePlan& cases) {
    cases = wire::parse_case_plan({&value, "cases"});
}

void from_json(const json& value, CaseFailure& failure) {
    failure = wire::parse_case_failure({&value, "case_failure"});
}

}  // namespace vigil
