#include "service/store/findings/bisection_records.hpp"

#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "service/store/read_column.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

template <class Tag>
std::vector<std::int64_t> values_of(const std::vector<Id<Tag>>& ids) {
    std::vector<std::int64_t> values;
    for (const auto id : ids) values.push_back(id.value);
    return values;
}

template <class IdType>
std::vector<IdType> ids_from(const json& values) {
    std::vector<IdType> ids;
    for (const auto& value : values) ids.push_back(IdType{value.get<std::int64_t>()});
    return ids;
}

template <NamedEnum Enum>
std::string name_of(Enum value) {
    return std::string(to_string(value));
}

constexpr std::array kind_names{
    std::pair{MetricKind::time, "time"},
    std::pair{MetricKind::memory, "memory"},
    std::pair{MetricKind::other, "other"}};

json to_json(const search::SeriesSpec& spec) {
    const char* kind = "other";
    for (const auto& [value, name] : kind_names) {
        if (value == spec.kind) kind = name;
    }
    return {
        {"group", spec.group},
        {"direction", name_of(spec.direction)},
        {"kind", kind},
        {"threshold", spec.threshold},
        {"expected_ratio", spec.expected_ratio},
        {"noise", spec.noise},
        {"nights", spec.nights}};
}

search::SeriesSpec parse_spec(const json& value) {
    search::SeriesSpec spec;
    spec.group = value.at("group").get<int>();
    spec.direction = parse_enum<Direction>(value.at("direction").get<std::string>());
    spec.kind = MetricKind::other;
    for (const auto& [kind, name] : kind_names) {
        if (value.at("kind") == name) spec.kind = kind;
    }
    spec.threshold = value.at("threshold").get<double>();
    spec.expected_ratio = value.at("expected_ratio").get<double>();
    spec.noise = value.value("noise", 0.0);    // older rows lack it
    spec.nights = value.value("nights", 0.0);  // and this
    return spec;
}

json nights_json(const std::vector<NightPrior>& nights) {
    json all = json::array();
    for (const auto& night : nights) {
        all.push_back({{"revision", night.revision.str()}, {"weight", night.weight}});
    }
    return all;
}

json named_json(const std::vector<Revision>& named) {
    json all = json::array();
    for (const auto& revision : named) all.push_back(revision.str());
    return all;
}

json to_json(const search::SeriesEnding& ending) {
    json value = {
        {"series", ending.series},
        {"ending", to_string(ending.ending)},
        {"first", ending.first},
        {"last", ending.last},
        {"parent", ending.parent},
        {"probability", ending.probability},
        {"verified", wire::to_json(ending.verified)},
        {"reason", ending.reason}};
    if (ending.stands_alone) value["stands_alone"] = true;
    if (ending.remaining) {
        value["remaining"] = {
            {"first", ending.remaining->first},
            {"last", ending.remaining->last},
            {"change_ratio", ending.remaining->change_ratio},
            {"probability", ending.remaining->probability}};
    }
    return value;
}

std::optional<search::Remaining> parse_remaining(const json& ending) {
    if (!ending.contains("remaining")) return std::nullopt;
    const json& value = ending.at("remaining");
    return search::Remaining{
        value.at("first").get<int>(),
        value.at("last").get<int>(),
        value.at("change_ratio").get<double>(),
        value.at("probability").get<double>()};
}

search::SeriesEnding parse_series_ending(const json& value) {
    return {
        .series = value.at("series").get<int>(),
        .ending = parse_enum<search::Ending>(value.at("ending").get<std::string>()),
        .first = value.at("first").get<int>(),
        .last = value.at("last").get<int>(),
        .parent = value.at("parent").get<int>(),
        .probability = value.at("probability").get<double>(),
        .stands_alone = value.value("stands_alone", false),
        .verified = wire::parse_comparison(value.at("verified")),
        .reason = value.at("reason").get<std::string>(),
        .remaining = parse_remaining(value)};
}

}  // namespace

std::string to_text(const BisectionSettings& settings) {
    json specs = json::array();
    for (const auto& spec : settings.specs) specs.push_back(to_json(spec));
    const json value = {
        {"series", values_of(settings.series)},
        {"groups", values_of(settings.groups)},
        {"specs", specs},
        {"sessions", values_of(settings.sessions)},
        {"by_outcome", settings.by_outcome},
        {"max_probes", settings.budget.max_probes},
        {"max_builds", settings.budget.max_builds},
        {"build_cost", settings.costs.build},
        {"workers", settings.workers},
        {"nights", nights_json(settings.nights)},
        {"named", named_json(settings.named)}};
    return value.dump();
}

std::string to_text(const BisectionConclusion& conclusion) {
    json endings = json::array();
    for (const auto& ending : conclusion.endings) endings.push_back(to_json(ending));
    json further = json::array();
    for (const auto& ending : conclusion.further) further.push_back(to_json(ending));
    const json value = {
        {"summary", conclusion.summary},
        {"endings", endings},
        {"posterior", conclusion.posterior},
        {"further", further}};
    return value.dump();
}

std::string to_text(const search::ProbeRequest& plan) {
    const json value = {
        {"group", plan.group},
        {"purpose", plan.purpose == search::ProbePurpose::verify ? "verify" : "search"},
        {"commits", plan.commits},
        {"series", plan.series},
        {"why", plan.why}};
    return value.dump();
}

BisectionSettings parse_settings(std::string_view text) {
    return read_column(text, "bisection.settings", [](const json& value) {
        BisectionSettings settings;
        settings.series = ids_from<SeriesId>(value.at("series"));
        settings.groups = ids_from<MachineClassId>(value.at("groups"));
        for (const auto& spec : value.at("specs")) settings.specs.push_back(parse_spec(spec));
        settings.sessions = ids_from<SessionId>(value.at("sessions"));
        settings.by_outcome = value.at("by_outcome").get<std::vector<int>>();
        settings.budget.max_probes = value.at("max_probes").get<int>();
        settings.budget.max_builds = value.at("max_builds").get<int>();
        settings.costs.build = value.value("build_cost", settings.costs.build);  // likewise
        settings.workers = value.at("workers").get<int>();
        for (const auto& night : value.value("nights", json::array())) {
            settings.nights.push_back(
                {Revision(night.at("revision").get<std::string>()),
                 night.at("weight").get<double>()});
        }
        for (const auto& revision : value.value("named", json::array())) {
            settings.named.emplace_back(revision.get<std::string>());
        }
        return settings;
    });
}

BisectionConclusion parse_conclusion(std::string_view text) {
    return read_column(text, "bisection.conclusion", [](const json& value) {
        BisectionConclusion conclusion;
        if (value.empty()) return conclusion;
        conclusion.summary = value.at("summary").get<std::string>();
        for (const auto& ending : value.at("endings")) {
            conclusion.endings.push_back(parse_series_ending(ending));
        }
        conclusion.posterior = value.at("posterior").get<std::vector<std::vector<double>>>();
        for (const auto& ending : value.value("further", json::array())) {  // older rows lack it
            conclusion.further.push_back(parse_series_ending(ending));
        }
        return conclusion;
    });
}

search::ProbeRequest parse_probe_plan(std::string_view text) {
    return read_column(text, "probe.plan", [](const json& value) {
        search::ProbeRequest plan;
        plan.group = value.at("group").get<int>();
        plan.purpose = value.at("purpose") == "verify" ? search::ProbePurpose::verify
                                                       : search::ProbePurpose::search;
        plan.commits = value.at("commits").get<std::vector<int>>();
        plan.series = value.at("series").get<std::vector<int>>();
        plan.why = value.at("why").get<std::string>();
        return plan;
    });
}

}  // namespace vigil::service
