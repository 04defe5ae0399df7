#include "service/store/findings/bisection_records.hpp"

#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "schema/wire/json_types.hpp"
#include "service/store/read_column.hpp"

namespace vigil {

template <>
struct EnumNames<MetricKind> {
    static constexpr std::string_view noun = "kind of a metric";
    static constexpr std::array names{
        std::pair{MetricKind::time, std::string_view("time")},
        std::pair{MetricKind::memory, std::string_view("memory")},
        std::pair{MetricKind::other, std::string_view("other")}};
};

template <>
struct EnumNames<search::ProbePurpose> {
    static constexpr std::string_view noun = "purpose of a probe";
    static constexpr std::array names{
        std::pair{search::ProbePurpose::search, std::string_view("search")},
        std::pair{search::ProbePurpose::verify, std::string_view("verify")}};
};

namespace search {

using nlohmann::json;

// Older rows lack noise and nights.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(
    SeriesSpec, group, direction, kind, threshold, expected_ratio, noise, nights)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProbeRequest, group, purpose, commits, series, why)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Remaining, first, last, change_ratio, probability)

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
}

}  // namespace search

namespace service {

using nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NightPrior, revision, weight)
// "{}" is an empty one; older rows lack what else was verified.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(
    BisectionConclusion, summary, endings, posterior, further)

std::string to_text(const BisectionSettings& settings) {
    const json value = {
        {"series", settings.series},
        {"groups", settings.groups},
        {"specs", settings.specs},
        {"sessions", settings.sessions},
        {"by_outcome", settings.by_outcome},
        {"max_probes", settings.budget.max_probes},
        {"max_builds", settings.budget.max_builds},
        {"build_cost", settings.costs.build},
        {"workers", settings.workers},
        {"nights", settings.nights},
        {"named", settings.named}};
    return value.dump();
}

std::string to_text(const BisectionConclusion& conclusion) {
    return json(conclusion).dump();
}

std::string to_text(const search::ProbeRequest& plan) {
    return json(plan).dump();
}

BisectionSettings parse_settings(std::string_view text) {
    return read_column(text, "bisection.settings", [](const json& value) {
        BisectionSettings settings;
        value.at("series").get_to(settings.series);
        value.at("groups").get_to(settings.groups);
        value.at("specs").get_to(settings.specs);
        value.at("sessions").get_to(settings.sessions);
        value.at("by_outcome").get_to(settings.by_outcome);
        value.at("max_probes").get_to(settings.budget.max_probes);
        value.at("max_builds").get_to(settings.budget.max_builds);
        value.at("workers").get_to(settings.workers);
        // Older rows lack these.
        settings.costs.build = value.value("build_cost", settings.costs.build);
        settings.nights = value.value("nights", settings.nights);
        settings.named = value.value("named", settings.named);
        return settings;
    });
}

BisectionConclusion parse_conclusion(std::string_view text) {
    return read_column(text, "bisection.conclusion", [](const json& value) {
        return value.get<BisectionConclusion>();
    });
}

search::ProbeRequest parse_probe_plan(std::string_view text) {
    return read_column(
        text, "probe.plan", [](const json& value) { return value.get<search::ProbeRequest>(); });
}

}  // namespace service

}  // namespace vigil
