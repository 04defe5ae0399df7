#include "service/pages/measured/series_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/metric.hpp"
#include "schema/text/numbers.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/render.hpp"
#include "service/pages/common/words.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr std::size_t rows_at_once = 100;
constexpr std::size_t most_of_a_unit = 20;

std::string joined_names(const std::vector<std::string>& names) {
    std::string words;
    for (const auto& name : names) words += (words.empty() ? "" : ", ") + name_words(name);
    return words;
}

/// What happened in each night, by its id: tags of its row.
std::map<std::int64_t, json> tags_of(const ChartFacts& facts) {
    std::map<std::int64_t, json> tags;
    const auto add = [&](std::int64_t nightly, const char* kind, json tag) {
        tags.try_emplace(nightly, json::array()).first->second.push_back({{kind, std::move(tag)}});
    };
    for (const auto& one : facts.regressions) {
        const auto id = std::to_string(one.regression);
        const auto words = "regression " + id;
        if (one.holds()) {
            add(one.nightly, "link", {{"href", "/regressions/" + id}, {"words", words}});
        } else {
            const auto standing = state_view(one.standing()).at("word").get<std::string>();
            add(one.nightly, "plain", {{"words", words + ": " + standing}});
        }
        if (one.recovered_nightly) {
            add(*one.recovered_nightly, "plain", {{"words", words + " recovered"}});
        }
    }
    for (const auto& one : facts.sessions) {
        auto words = one.verdict.value_or("looked different");
        const auto change = one.size ? sized_words(*one.size) : "";
        if (!change.empty()) words += " " + change;
        add(one.nightly, "plain", {{"words", words}, {"why", shown_text(one.reason, 300)}});
    }
    for (const auto& one : facts.baselines) {
        const auto* words = one.kind == "pinned" ? "pinned" : "a level begins";
        add(one.nightly, "plain", {{"words", words}, {"why", shown_text(one.reason, 300)}});
    }
    for (const auto& one : facts.environments) {
        std::string why = name_words(one.worker);
        for (const auto& [fact, before, after] : one.changed) {
            why += "; " + name_words(fact) + ": " + name_words(before.text) + " to " +
                   name_words(after.text);
        }
        add(one.nightly,
            "plain",
            {{"words", "environment changed"}, {"why", shown_text(why, 600)}});
    }
    return tags;
}

json commits_view(const ToldNight& night) {
    if (night.before.empty()) return nullptr;
    if (night.before == night.revision) return {{"same", true}};
    if (night.commits.empty()) return nullptr;
    return {{"between", {{"href", night.commits}}}};
}

/// What the series over it measured in the night at this place.
json over_cells(const ChartFacts& facts, std::size_t at) {
    auto cells = json::array();
    for (const auto& one : facts.with) {
        cells.push_back({{"value", quantity_words(one.values.at(at), one.unit)}});
    }
    return cells;
}

/// @param told  of this night
json night_row(
    const ChartNight& night, const ToldNight& told, std::size_t at, const ChartFacts& facts) {
    const auto unit = shown_text(facts.unit, most_of_a_unit);
    const auto words = [&](double value) {
        return std::isfinite(value) ? text::quantity(value, unit) : std::string();
    };
    json row = {
        {"id", night.nightly.value},
        {"series", facts.id},
        {"name", name_words(night.name)},
        {"revision", short_revision(told.revision)},
        {"value", words(night.value)},
        {"change", ""},
        {"interval", ""},
        {"runs", told.runs.size()},
        {"left_out", night.left_out.size()},
        {"has_left_out", !night.left_out.empty()},
        {"workers", joined_names(told.workers)},
        {"over", over_cells(facts, at)},
        {"commits", commits_view(told)}};
    if (night.high > night.low) row["interval"] = words(night.low) + " to " + words(night.high);
    if (facts.direction && std::isfinite(night.value) && std::isfinite(night.base)) {
        const auto direction = parse_enum<Direction>(*facts.direction);
        row["change"] = text::change(
            change_ratio(night.base, night.value, direction), night.base, night.value, facts.unit);
    }
    return row;
}

json way_to(const http::Request& request, const std::string& newest) {
    return {{"href", address_with(request, {{"table", newest}}) + "#nights"}};
}

}  // namespace

WholeNights table_requested(const http::Request& request) {
    const auto given = request.query.find("table");
    WholeNights asked{NightlyId{std::numeric_limits<std::int64_t>::max()}, rows_at_once};
    if (given == request.query.end() || given->second.empty()) return asked;
    const auto& text = given->second;
    const auto* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, asked.until.value);
    if (error == std::errc{} && rest == end) return asked;
    throw Error(Errc::invalid_argument, "query parameter table must be the number of a night");
}

json night_table(const http::Request& request, const ToldChart& chart) {
    const auto& facts = chart.facts;
    const auto& nights = chart.nights;
    const auto is_whole = [](const ChartNight& night) { return night.told != nullptr; };
    const auto first = std::ranges::find_if(nights, is_whole);
    const auto behind = std::find_if_not(first, nights.end(), is_whole);
    const auto begin = static_cast<std::size_t>(first - nights.begin());
    const auto end = static_cast<std::size_t>(behind - nights.begin());
    const auto tags = tags_of(facts);
    auto rows = json::array();
    for (auto at = end; at-- > begin;) {
        auto& row = rows.emplace_back(night_row(nights[at], *nights[at].told, at, facts));
        const auto own = tags.find(nights[at].nightly.value);
        if (own != tags.end()) row["tags"] = own->second;
    }
    auto heads = json::array();
    for (const auto& one : facts.with) {
        heads.push_back({{"id", one.id}, {"name", series_words(one)}});
    }
    json table = {
        {"heads", std::move(heads)},
        {"none", rows.empty()},
        {"rows", std::move(rows)},
        {"part", nullptr}};
    if (begin == 0 && end == nights.size()) return table;
    const auto count = nights.size();
    table["part"] = {
        {"words", fmt::format("{} to {} of {} nights", count - end + 1, count - begin, count)},
        {"newer", nullptr},
        {"older", nullptr}};
    if (begin > 0) {
        table["part"]["older"] = way_to(request, to_string(nights[begin - 1].nightly));
    }
    if (end < count) {
        const auto newer = end + rows_at_once;
        table["part"]["newer"] =
            way_to(request, newer < count ? to_string(nights[newer - 1].nightly) : "");
    }
    return table;
}

}  // namespace vigil::service
