#include "service/pages/measured/series_table.hpp"

#include <algorithm>
#include <charconv>
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

std::string joined_names(const json& names) {
    std::string words;
    for (const auto& name : names) words += (words.empty() ? "" : ", ") + name_words(name);
    return words;
}

/// What happened in each night, by its id: tags of its row.
std::map<std::int64_t, json> tags_of(const json& chart) {
    std::map<std::int64_t, json> tags;
    const auto add = [&](const json& thing, const char* key, json tag) {
        auto& all = tags[thing.at(key).get<std::int64_t>()];
        if (all.is_null()) all = json::array();
        all.push_back(std::move(tag));
    };
    for (const auto& one : chart.at("regressions")) {
        const auto id = one.at("regression").dump();
        add(one,
            "nightly",
            {{"bad", true},
             {"link", {{"href", "/regressions/" + id}, {"words", "regression " + id}}}});
        if (one.at("recovered_nightly").is_null()) continue;
        add(one, "recovered_nightly", {{"plain", {{"words", "regression " + id + " recovered"}}}});
    }
    for (const auto& one : chart.at("sessions")) {
        const auto verdict = member(one, "verdict");
        auto words = verdict.is_string() ? verdict.get<std::string>() : "looked different";
        const auto change = percent_words(member(one.at("confirmed"), "change_ratio"));
        const bool is_measured = member(one.at("confirmed"), "runs_before").is_number();
        if (is_measured && !change.empty()) words += " " + change;
        add(one,
            "nightly",
            {{"plain",
              {{"words", words}, {"why", shown_text(one.at("reason").get<std::string>(), 300)}}}});
    }
    for (const auto& one : chart.at("baselines")) {
        const bool is_pinned = one.at("kind") == "pinned";
        add(one,
            "nightly",
            {{"plain",
              {{"words", is_pinned ? "pinned" : "a level begins"},
               {"why", shown_text(one.at("reason").get<std::string>(), 300)}}}});
    }
    for (const auto& one : chart.at("environments")) {
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

json commits_view(const json& commits) {
    if (commits.is_null()) return nullptr;
    if (commits.at("from") == commits.at("to")) return {{"same", true}};
    if (commits.at("range").is_null()) return nullptr;
    return {{"between", {{"href", commits.at("range")}}}};
}

/// What the series over it measured in the night at this place.
json over_cells(const json& chart, std::size_t at) {
    auto cells = json::array();
    for (const auto& one : chart.at("with")) {
        cells.push_back({{"value", quantity_words(one.at("values")[at], one.at("unit"))}});
    }
    return cells;
}

json night_row(const json& night, std::size_t at, const json& chart) {
    const auto& unit = chart.at("unit");
    json row = {
        {"id", night.at("nightly")},
        {"series", chart.at("id")},
        {"name", name_words(night.at("night"))},
        {"revision", short_revision(night.at("revision"))},
        {"value", quantity_words(night.at("value"), unit)},
        {"change", ""},
        {"interval", ""},
        {"runs", night.at("runs").size()},
        {"left_out", night.at("left_out").size()},
        {"has_left_out", !night.at("left_out").empty()},
        {"workers", joined_names(night.at("workers"))},
        {"over", over_cells(chart, at)},
        {"commits", commits_view(night.at("commits"))}};
    if (!night.at("value").is_number()) return row;
    const auto low = night.at("low").get<double>();
    const auto high = night.at("high").get<double>();
    if (high > low) {
        row["interval"] = quantity_words(low, unit) + " to " + quantity_words(high, unit);
    }
    if (night.at("base").is_number()) {
        const auto direction = parse_enum<Direction>(chart.at("direction").get<std::string>());
        row["change"] = text::percent(change_ratio(
            night.at("base").get<double>(), night.at("value").get<double>(), direction));
    }
    return row;
}

json way_to(const http::Request& request, const json& night) {
    const auto newest = night.is_null() ? std::string() : night.at("nightly").dump();
    return {{"href", address_with(request, {{"table", newest}}) + "#nights"}};
}

}  // namespace

WholeNights table_asked(const http::Request& request) {
    const auto given = request.query.find("table");
    WholeNights asked{NightlyId{std::numeric_limits<std::int64_t>::max()}, rows_at_once};
    if (given == request.query.end() || given->second.empty()) return asked;
    const auto& text = given->second;
    const auto* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, asked.until.value);
    if (error == std::errc{} && rest == end) return asked;
    throw Error(Errc::invalid_argument, "query parameter table must be the number of a night");
}

json night_table(const http::Request& request, const json& chart) {
    const auto& nights = chart.at("nights");
    const auto is_whole = [](const json& night) { return night.contains("workers"); };
    const auto first = std::ranges::find_if(nights, is_whole);
    const auto behind = std::find_if_not(first, nights.end(), is_whole);
    const auto begin = static_cast<std::size_t>(first - nights.begin());
    const auto end = static_cast<std::size_t>(behind - nights.begin());
    const auto tags = tags_of(chart);
    auto rows = json::array();
    for (auto at = end; at-- > begin;) {
        auto& row = rows.emplace_back(night_row(nights[at], at, chart));
        const auto own = tags.find(nights[at].at("nightly").get<std::int64_t>());
        if (own != tags.end()) row["tags"] = own->second;
    }
    auto heads = json::array();
    for (const auto& one : chart.at("with")) {
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
    if (begin > 0) table["part"]["older"] = way_to(request, nights[begin - 1]);
    if (end < count) {
        const auto newer = end + rows_at_once;
        table["part"]["newer"] = way_to(request, newer < count ? nights[newer - 1] : json());
    }
    return table;
}

}  // namespace vigil::service
