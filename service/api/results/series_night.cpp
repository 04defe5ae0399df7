#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "service/api/common/filters.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/common/sizes.hpp"
#include "service/store/lists/chart.hpp"
#include "service/store/lists/lists.hpp"
#include "service/store/nights/nightlies.hpp"
#include "service/watch/series/series_records.hpp"

// One night of a series, and why it says what it says: the loop that judged it and the shape that
// `vigil detect --explain` tells of are asked again.

namespace vigil::service {

namespace {

using nlohmann::json;

std::string night_words(Database& db, const NightWhy& why, std::size_t place) {
    const auto id = why.night_at(place);
    const auto night = id ? find_nightly(db, *id) : std::nullopt;
    return night ? night->name : "a night that is remembered no more";
}

/// What was compared with what, and what came of it.
json loop_lines(const NightWhy& why, const std::string& unit, double threshold) {
    auto lines = json::array();
    const auto add = [&](const char* head, const std::string& words) {
        lines.push_back({{"head", head}, {"words", words}});
    };
    const auto& word = why.word;
    if (word.is_first) {
        add("level",
            "no earlier night is at its level now, so its own runs are compared with none");
        return lines;
    }
    add("level",
        fmt::format(
            "{}, of the newest good nights of its level; of one night the level is known to {}",
            text::quantity(word.base, unit),
            text::share(std::expm1(word.bar.noise.night))));
    add("against it",
        detect::reason_of(word.bar) +
            fmt::format("; what counts is worse by more than {}", text::share(threshold)));
    if (word.lapsed) {
        add("asked again", "no: what waited for its turn looks calm, and was let go of");
    } else if (word.asks) {
        add("asked again", (word.is_optional ? "if there is time: " : "yes: ") + word.reason);
    } else {
        add("asked again",
            fmt::format(
                "no: nothing of it lies beyond its bar, and its shape is below {:g} nats",
                trend::suspicious));
    }
    return lines;
}

json shape_json(Database& db, const NightWhy& why, const std::string& unit) {
    const trend::ExplainedNames names{
        [&](std::size_t place) { return night_words(db, why, place); },
        [&](double value) { return text::quantity(value, unit); }};
    auto lines = json::array();
    for (const auto& line : trend::explained_lines(why.shape, names)) {
        lines.push_back({{"head", line.head}, {"words", line.words}});
    }
    const auto number = [](const auto& value) { return value ? json(*value) : json(); };
    return {
        {"lines", std::move(lines)},
        {"rivals", trend::explained_table(why.shape.explanation)},
        {"suspicion", why.shape.explanation.finding.suspicion},
        {"suspicious_from", number(why.shape.suspicious_from)},
        {"change_from", number(why.shape.change_from)}};
}

}  // namespace

http::Response get_series_night(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const Snapshot snapshot(db);
    const auto id = id_parameter(request);
    const NightlyId nightly{id_parameter(request, "nightly")};
    auto answer = load_one(db, lists::series, id);
    answer.erase("baselines");
    const auto series = load_series(db, SeriesId{id});
    const auto night = find_nightly(db, nightly);
    if (!night || night->project != series.project || night->beside) {
        throw Error(Errc::not_found, fmt::format("series {} has no night {}", id, nightly.value));
    }
    answer["nightly"] = nightly.value;
    answer["night"] = night->name;
    answer["threshold_ratio"] = answer["loop"] = answer["shape"] = nullptr;
    answer["asked"] = with_sizes(load_chart_sessions(db, series.id, {nightly, nightly}));
    const auto project = context.config.projects.find(answer.at("project").get<std::string>());
    if (project == context.config.projects.end()) return object_response(std::move(answer));
    const double threshold = threshold_of(project->second, series);
    answer["threshold_ratio"] = threshold;
    const auto rules = find_loop_rules(db, project->second, series);
    const auto why = rules ? explain_series_night(db, *rules, series.id, nightly) : std::nullopt;
    if (!why) return object_response(std::move(answer));
    const auto unit = answer.at("unit").get<std::string>();
    answer["loop"] = {
        {"lines", loop_lines(*why, unit, threshold)},
        {"asks", why->word.asks},
        {"base", why->word.is_first ? json() : json(why->word.base)},
        {"value", why->value}};
    answer["shape"] = shape_json(db, *why, unit);
    return object_response(std::move(answer));
}

}  // namespace vigil::service
