#include "service/store/findings/bisection_records.hpp"

#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "service/store/json_column.hpp"

namespace vigil {

namespace search {

using nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(
    SeriesSpec,
    group,
    direction,
    kind,
    threshold,
    expected_ratio,
    noise,
    nights,
    better,
    least_ratio)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Remaining, first, last, change_ratio, probability)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Explained, whole_ratio, share, rest_ratio, rest_low, rest_high)

static void to_json(json& value, const ProbeRequest& plan) {
    value = {
        {"group", plan.group},
        {"purpose", plan.purpose},
        {"commits", plan.commits},
        {"series", plan.series},
        {"why", plan.why}};
    if (!plan.not_on.empty()) value["not_on"] = plan.not_on;
}

static void from_json(const json& value, ProbeRequest& plan) {
    value.at("group").get_to(plan.group);
    value.at("purpose").get_to(plan.purpose);
    value.at("commits").get_to(plan.commits);
    value.at("series").get_to(plan.series);
    value.at("why").get_to(plan.why);
    plan.not_on = value.value("not_on", plan.not_on);
}

static void to_json(json& value, const SeriesEnding& ending) {
    value = {
        {"series", ending.series},
        {"ending", ending.ending},
        {"first", ending.first},
        {"last", ending.last},
        {"parent", ending.parent},
        {"probability", ending.probability},
        {"verified", wire::to_json(ending.verified)},
        {"reason", ending.reason}};
    if (ending.stands_alone) value["stands_alone"] = true;
    if (ending.remaining) value["remaining"] = *ending.remaining;
    if (ending.explained) value["explained"] = *ending.explained;
    if (!ending.machines.empty()) value["machines"] = ending.machines;
}

static void from_json(const json& value, SeriesEnding& ending) {
    value.at("series").get_to(ending.series);
    value.at("ending").get_to(ending.ending);
    value.at("first").get_to(ending.first);
    value.at("last").get_to(ending.last);
    value.at("parent").get_to(ending.parent);
    value.at("probability").get_to(ending.probability);
    ending.verified = wire::parse_comparison(value.at("verified"));
    value.at("reason").get_to(ending.reason);
    ending.stands_alone = value.value("stands_alone", false);
    if (value.contains("remaining")) ending.remaining = value.at("remaining").get<Remaining>();
    if (value.contains("explained")) ending.explained = value.at("explained").get<Explained>();
    ending.machines = value.value("machines", ending.machines);
}

}  // namespace search

namespace service {

using nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NightPrior, revision, weight)
// "{}" is an empty one.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(
    BisectionConclusion, summary, endings, posterior, further)

static void to_json(json& value, const BisectionSettings& settings) {
    value = {
        {"series", settings.series},
        {"groups", settings.groups},
        {"specs", settings.specs},
        {"sessions", settings.sessions},
        {"by_outcome", settings.by_outcome},
        {"max_probes", settings.budget.max_probes},
        {"max_builds", settings.budget.max_builds},
        {"further", settings.budget.further},
        {"build_cost", settings.costs.build},
        {"workers", settings.workers},
        {"nights", settings.nights},
        {"named", settings.named}};
    if (!settings.alone.empty()) value["alone"] = settings.alone;
}

static void from_json(const json& value, BisectionSettings& settings) {
    value.at("series").get_to(settings.series);
    value.at("groups").get_to(settings.groups);
    value.at("specs").get_to(settings.specs);
    value.at("sessions").get_to(settings.sessions);
    value.at("by_outcome").get_to(settings.by_outcome);
    value.at("max_probes").get_to(settings.budget.max_probes);
    value.at("max_builds").get_to(settings.budget.max_builds);
    value.at("workers").get_to(settings.workers);
    value.at("further").get_to(settings.budget.further);
    value.at("build_cost").get_to(settings.costs.build);
    value.at("nights").get_to(settings.nights);
    value.at("named").get_to(settings.named);
    settings.alone = value.value("alone", settings.alone);
}

template <>
constexpr const char* column_of<BisectionSettings> = "bisection.settings";
template <>
constexpr const char* column_of<BisectionConclusion> = "bisection.conclusion";
template <>
constexpr const char* column_of<search::ProbeRequest> = "probe.plan";

template struct JsonColumn<BisectionSettings>;
template struct JsonColumn<BisectionConclusion>;
template struct JsonColumn<search::ProbeRequest>;

}  // namespace service

}  // namespace vigil
