#include "service/api/results/heatmap.hpp"

#include <array>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/metric_words.hpp"
#include "schema/text/numbers.hpp"
#include "service/api/common/handlers.hpp"
#include "service/pages/common/filters.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/common/words.hpp"
#include "service/pages/measured/suite_filters.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr double slow_change = 0.05;
constexpr double very_slow = 0.20;

/// How a cell that has no number is told apart, by sign and not by colour alone.
struct CellSign {
    std::string_view state;
    std::string_view sign;
    bool is_broken;
};
constexpr std::array cell_signs{
    CellSign{"failed", "\u2715", true},
    CellSign{"wrong", "\u2260", true},
    CellSign{"oom", "\u2296", true},
    CellSign{"timeout", "\u00BB", true},
    CellSign{"unsupported", "\u2013", false},
    CellSign{"missing", "?", false}};

const CellSign* sign_of(std::string_view state) {
    const auto found = std::ranges::find(cell_signs, state, &CellSign::state);
    return found == cell_signs.end() ? nullptr : &*found;
}

std::string heat_class(std::optional<double> change) {
    const double ratio = change.value_or(0);
    if (ratio > very_slow) return "worst";
    if (ratio > slow_change) return "worse";
    if (ratio < -very_slow / (1 + very_slow)) return "best";
    return ratio < -slow_change / (1 + slow_change) ? "better" : "flat";
}

/// "+1.2 % [-0.3, 2.7]", or the nights' own ratio, called so; empty where there is none.
std::string change_label(const HeatCell& cell) {
    if (cell.again) return sized_words(cell.again->level) + " measured again";
    const auto raw = percent_words(cell.change_ratio);
    return raw.empty() ? "" : raw + " by the nights alone";
}

std::string value_of(const HeatCell& cell, std::optional<double> value) {
    return quantity_words(value, cell.unit.value_or(""));
}

json cell_view(const HeatCell& cell) {
    const auto where = name_words(cell.benchmark) + ", " + name_words(cell.variant);
    if (const auto* sign = sign_of(cell.state)) {
        const auto message = name_words(cell.message);
        return {
            {"heat", sign->is_broken ? "broken" : "absent"},
            {"words", std::string(sign->sign) + " " + cell.state},
            {"label", where + ": " + cell.state + (message.empty() ? "" : ", " + message)}};
    }
    const auto value = value_of(cell, cell.value);
    const auto change = percent_words(cell.change());
    const auto mood = change_mood(cell.change(), slow_change);
    const bool has_change = !change.empty();
    json view = {
        {"heat", heat_class(cell.change())},
        {"words", has_change ? std::string(mood.sign) + change : value},
        {"label",
         where + ": " + (value.empty() ? std::string("passed") : value) +
             (has_change ? ", " + change_label(cell) : "")}};
    if (view.at("words") == "") view["words"] = "passed";
    if (cell.series) view["link"] = {{"id", cell.series->value}};
    return view;
}

/// The first column of what has no place: it was neither here nor there.
json no_cell() {
    return {{"heat", "absent"}, {"words", ""}, {"label", "not measured"}};
}

/// @param variants  the columns
json matrix_of(const HeatMap& map, const std::set<std::string>& variants) {
    std::map<std::string, std::map<std::string, json>> cells;
    for (const auto& one : map.cells) cells[one.benchmark][one.variant] = cell_view(one);
    auto rows = json::array();
    for (const auto& [benchmark, of_variant] : cells) {
        auto row = json::array();
        for (const auto& variant : variants) {
            const auto found = of_variant.find(variant);
            row.push_back(found == of_variant.end() ? no_cell() : found->second);
        }
        rows.push_back({{"benchmark", name_words(benchmark)}, {"cells", std::move(row)}});
    }
    return rows;
}

/// The same as a table, a cell a row.
json twin_of(const HeatMap& map) {
    auto rows = json::array();
    for (const auto& cell : map.cells) {
        rows.push_back(
            {{"benchmark", name_words(cell.benchmark)},
             {"variant", name_words(cell.variant)},
             {"state", cell.state},
             {"value", value_of(cell, cell.value)},
             {"base", value_of(cell, cell.base)},
             {"change", change_label(cell)},
             {"message", name_words(cell.message)}});
    }
    return rows;
}

std::string heat_title(const HeatMap& map) {
    std::int64_t broken = 0;
    std::int64_t slow = 0;
    for (const auto& cell : map.cells) {
        const auto* sign = sign_of(cell.state);
        broken += sign != nullptr && sign->is_broken ? 1 : 0;
        slow += cell.change().value_or(0) > slow_change ? 1 : 0;
    }
    if (map.cells.empty()) return "Nothing was measured";
    if (broken + slow == 0) return "Nothing is broken or slower";
    return fmt::format("{} broken, {} worse of {}", broken, slow, map.cells.size());
}

json side_words(const std::optional<HeatNight>& side) {
    if (!side) return nullptr;
    return {
        {"id", side->night.nightly.value},
        {"night", name_words(side->night.name)},
        {"revision", short_revision(side->night.revision)},
        {"machine_class", name_words(side->machine_class)}};
}

}  // namespace

http::Response get_heatmap_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    auto api = request;
    api.query.erase("as");
    if (wants_data(request)) return data_response(get_heatmap, api, db, context);
    const auto asked = given_filters(request);
    const auto map = load_heatmap(api_request(request, given_filters(api), {}), db, context);
    std::set<std::string> variants;
    for (const auto& cell : map.cells) variants.insert(cell.variant);
    auto heads = json::array();
    for (const auto& variant : variants) heads.push_back({{"variant", name_words(variant)}});
    auto fields = suite_choices(context.config, asked, "default metric");
    fields.push_back(text_field("nightly", "Night", asked));
    fields.push_back(text_field("against", "Against the night", asked));
    fields.push_back(choice_field(
        "against_class", "Against the class", names_in(context.config.machine_classes), asked));
    fields.push_back(choice_field("as", "As", {"table"}, asked, "map"));
    const auto as = asked.find("as");
    const bool is_table = as != asked.end() && as->second == "table";
    json view = {
        {"title", heat_title(map)},
        {"tabs", suite_tabs("/heatmap", map.project)},
        {"metric", metric_words(map.metric)},
        {"here", side_words(map.here)},
        {"against", side_words(map.against)},
        {"filter_form", filter_form(std::move(fields))},
        {"none", map.cells.empty()},
        {"matrix", nullptr},
        {"twin", nullptr}};
    if (is_table) {
        view["twin"] = {{"rows", twin_of(map)}};
    } else if (!map.cells.empty()) {
        view["matrix"] = {{"heads", std::move(heads)}, {"rows", matrix_of(map, variants)}};
    }
    return page_response(request, "heatmap.html", std::move(view), Shows::list);
}

}  // namespace vigil::service
