#include "service/store/findings/published.hpp"

#include <array>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "schema/wire/json_types.hpp"
#include "service/store/findings/bisection_records.hpp"
#include "service/store/findings/requests.hpp"
#include "service/store/json_columns.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

json published(const search::SeriesSpec& spec) {
    return {
        {"group", spec.group},
        {"direction", spec.direction},
        {"kind", spec.kind},
        {"threshold", spec.threshold},
        {"expected_ratio", spec.expected_ratio},
        {"noise", spec.noise},
        {"nights", spec.nights},
        {"better", spec.better},
        {"least_ratio", spec.least_ratio}};
}

json published(const NightPrior& night) {
    return {{"revision", night.revision}, {"weight", night.weight}};
}

json published(const search::Remaining& rest) {
    return {
        {"first", rest.first},
        {"last", rest.last},
        {"change_ratio", rest.change_ratio},
        {"probability", rest.probability}};
}

json published(const search::Explained& explained) {
    return {
        {"whole_ratio", explained.whole_ratio},
        {"share", explained.share},
        {"rest_ratio", explained.rest_ratio},
        {"rest_low", explained.rest_low},
        {"rest_high", explained.rest_high}};
}

json published(const search::SeriesEnding& ending) {
    return {
        {"series", ending.series},
        {"ending", ending.ending},
        {"first", ending.first},
        {"last", ending.last},
        {"parent", ending.parent},
        {"probability", ending.probability},
        {"stands_alone", ending.stands_alone},
        {"verified", wire::to_json(ending.verified)},
        {"reason", ending.reason},
        {"remaining", ending.remaining ? published(*ending.remaining) : json()},
        {"explained", ending.explained ? published(*ending.explained) : json()},
        {"machines", ending.machines}};
}

json published(const RequestedVariant& variant) {
    return {
        {"benchmark", variant.benchmark},
        {"variant", variant.variant},
        {"machine_class", variant.machine_class}};
}

template <class Item>
json each(const std::vector<Item>& items) {
    auto all = json::array();
    for (const auto& item : items) all.push_back(published(item));
    return all;
}

json published(const BisectionSettings& settings) {
    return {
        {"series", settings.series},
        {"groups", settings.groups},
        {"specs", each(settings.specs)},
        {"sessions", settings.sessions},
        {"by_outcome", settings.by_outcome},
        {"alone", settings.alone},
        {"max_probes", settings.budget.max_probes},
        {"max_builds", settings.budget.max_builds},
        {"further", settings.budget.further},
        {"build_cost", settings.costs.build},
        {"workers", settings.workers},
        {"nights", each(settings.nights)},
        {"named", settings.named}};
}

json published(const BisectionConclusion& conclusion) {
    return {
        {"summary", conclusion.summary},
        {"endings", each(conclusion.endings)},
        {"posterior", conclusion.posterior},
        {"further", each(conclusion.further)}};
}

json published(const search::ProbeRequest& probe) {
    return {
        {"group", probe.group},
        {"purpose", probe.purpose},
        {"commits", probe.commits},
        {"series", probe.series},
        {"why", probe.why},
        {"not_on", probe.not_on.empty() ? json() : json(probe.not_on)}};
}

/// As a lease carries it.
json published(const JobPlan& plan) {
    return wire::to_json(plan);
}

json published(const RequestedMeasurement& asked) {
    return {
        {"variants", each(asked.variants)},
        {"runs", asked.runs},
        {"metric", asked.metric},
        {"series", asked.series},
        {"case", asked.case_name.empty() ? json() : json(asked.case_name)},
        {"threshold", asked.threshold},
        {"max_probes", asked.max_probes}};
}

template <class Stored>
json published_as(std::string_view text) {
    return published(TextColumn<Stored>::parse(text));
}

constexpr std::array<std::pair<std::string_view, json (*)(std::string_view)>, 5> types{
    {{"search_settings", published_as<BisectionSettings>},
     {"search_conclusion", published_as<BisectionConclusion>},
     {"probe_plan", published_as<search::ProbeRequest>},
     {"job_plan", published_as<JobPlan>},
     {"requested_measurement", published_as<RequestedMeasurement>}}};

}  // namespace

json published(std::string_view type, std::string_view text) {
    for (const auto& [name, publish] : types) {
        if (name == type) return publish(text);
    }
    throw Error(Errc::internal, "nothing publishes a column as " + std::string(type));
}

}  // namespace vigil::service
