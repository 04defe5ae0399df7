#include "service/api/common/sizes.hpp"

#include <nlohmann/json.hpp>

#include "bisect/stats/one_size.hpp"
#include "schema/model/error.hpp"
#include "schema/model/states.hpp"
#include "schema/wire/job_json.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

/// Without runs where nothing was measured. A row that cannot be read costs its size, not the list.
Comparison comparison_in(const json& value) {
    if (!value.is_object() || value.empty()) return {};
    try {
        return wire::parse_comparison(value);
    } catch (const Error&) {
        return {};
    }
}

Comparison one_size_of(const json& confirmed, const json& verified, bool shared) {
    const auto by_search = comparison_in(verified);
    std::optional<Comparison> known;
    if (by_search.runs_after > 0) known = by_search;
    return stats::one_size(comparison_in(confirmed), known, shared);
}

json size_json(const Comparison& size) {
    return size.runs_after > 0 ? wire::to_json(size) : json();
}

}  // namespace

void add_sizes(json& regression, Database& db) {
    const NightlyId found{regression.at("nightly").get<std::int64_t>()};
    const auto state = parse_enum<RegressionState>(regression.at("state").get<std::string>());
    for (auto& series : regression.at("series")) {
        const bool shared = series.at("shared").get<bool>();
        const auto size = one_size_of(series.at("confirmed"), series.at("verified"), shared);
        series["size"] = size_json(size);
        series["today"] = nullptr;
        if (!is_open(state) || !series.at("recovered_nightly").is_null()) continue;
        const SeriesId id{series.at("series").get<std::int64_t>()};
        series["today"] = again_json(find_level_today(db, id, size, found));
    }
}

json again_json(const std::optional<LevelToday>& again) {
    if (!again) return nullptr;
    const auto& level = again->level;  // from_zero is null when it is written
    return {
        {"nightly", again->nightly.value},
        {"night", again->night},
        {"change_ratio", level.change_ratio},
        {"low", level.low},
        {"high", level.high},
        {"runs_before", level.runs_before},
        {"runs_after", level.runs_after}};
}

const json& ratio_of(const json& series) {
    static const json above_all = from_zero;  // null when it is written
    const auto& size = series.at("size");
    if (!size.is_object()) return series.at("change_ratio");
    const auto& ratio = size.at("change_ratio");
    return ratio.is_null() ? above_all : ratio;
}

json with_sizes(json sessions) {
    for (auto& one : sessions) {
        one["size"] = size_json(one_size_of(one.at("confirmed"), one.at("verified"), false));
        one.erase("verified");
    }
    return sessions;
}

}  // namespace vigil::service
