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
    for (const auto& name : names) words += (words.empty() ? "" : ", ") + name_words(json(name));
    return words;
}

/// What happened in each night, by its id: tags of its row.
std::map<std::int64_t, json> tags_of(const json& facts) {
    std::map<std::int64_t, json> tags;
    const auto add = [&](const json& thing, const char* key, json tag) {
        auto& all = tags[thing.at(key).get<std::int64_t>()];
        if (all.is_null()) all = json::array();
        all.push_back(std::move(tag));
    };
    for (const auto& one : facts.at("regressions")) {
        const auto id = one.at("regression").dump();
        const auto words = "regression " + id;
        if (holds(one)) {
            add(one, "nightly", {{"link", {{"href", "/regressions/" + id}, {"words", words}}}});
        } else {
            const auto standing = state_view(standing_of(one)).at("word").get<std::string>();
            add(one, "nightly", {{"plain", {{"words", words + ": " + standing}}}});
        }
        if (one.at("recovered_nightly").is_null()) continue;
        add(one, "recovered_nightly", {{"plain", {{"words", "regression " + id + " recovered"}}}});
    }
    for (const auto& one : facts.at("sessions")) {
        const auto verdict = member(one, "verdict");
        auto words = verdict.is_string() ? verdict.get<std::string>() : "looked different";
        const auto change = sized_words(one.at("size"));
        if (!change.empty()) words += " " + change;
        add(one,
            "nightly",
            {{"plain",
              {{"words", words}, {"why", shown_text(one.at("reason").get<std::string>(), 300)}}}});
    }
    for (const auto& one : facts.at("baselines")) {
        const bool is_pinned = one.at("kind") == "pinned";
        add(one,
            "nightly",
            {{"plain",
              {{"words", is_pinned ? "pinned" : "a level begins"},
               {"why", shown_text(one.at("reason").get<std::string>(), 300)}}}});
    }
    for (const auto& one : facts.at("environments")) {
        std::string why = name_words(one.at("worker"));
        for (const auto& fact : one.at("changed")) {
            why += "; " + name_words(fact.at("fact")) + ": " + name_words(fact.at("before")) +
                   " to " + name_words(fact.at("after"));
        }
        add(one,
            "nightly",
            {{"plain", {{"words", "environment changed"}, {"why", shown_text(why, 600)}}}});
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
json over_cells(const json& facts, std::size_t at) {
    auto cells = json::array();
    for (const auto& one : facts.at("with")) {
        cells.push_back({{"value", quantity_words(one.at("values")[at], one.at("unit"))}});
    }
    return cells;
}

/// @param told  of this night
json night_row(const ChartNight& night, const ToldNight& told, std::size_t at, const json& facts) {
    const auto unit = shown_text(facts.at("unit").get<std::string>(), most_of_a_unit);
    const auto words = [&](double value) {
        return std::isfinite(value) ? text::quantity(value, unit) : std::string();
    };
    json row = {
        {"id", night.nightly.value},
        {"series", facts.at("id")},
        {"name", name_words(json(night.name))},
        {"revision", short_revision(json(told.revision))},
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
    const bool is_reported = facts.at("direction").is_string();
    if (is_reported && std::isfinite(night.value) && std::isfinite(night.base)) {
        const auto direction = parse_enum<Direction>(facts.at("direction").get<std::string>());
        row["change"] = text::change(
            change_ratio(night.base, night.value, direction),
            night.base,
            night.value,
            facts.at("unit").get<std::string>());
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

json night_table(const http::Request& request, const SeriesChart& chart) {
    const auto& facts = *chart.facts;
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
    for (const auto& one : facts.at("with")) {
        heads.push_back({{"id", one.at("id")}, {"name", series_words(one)}});
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
