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

std::string heat_class(const json& change) {
    if (!change.is_number()) return "flat";
    const double ratio = change.get<double>();
    if (ratio > very_slow) return "worst";
    if (ratio > slow_change) return "worse";
    if (ratio < -very_slow / (1 + very_slow)) return "best";
    return ratio < -slow_change / (1 + slow_change) ? "better" : "flat";
}

/// What was measured again counts more than what the nights say alone.
const json& change_of(const json& item) {
    const auto& again = item.at("measured_again");
    return (again.is_object() ? again : item).at("change_ratio");
}

/// "+1.2 % [-0.3, 2.7]", or the nights' own ratio, called so; empty where there is none.
std::string change_label(const json& item) {
    const auto again = sized_words(item.at("measured_again"));
    if (!again.empty()) return again + " measured again";
    const auto raw = percent_words(item.at("change_ratio"));
    return raw.empty() ? "" : raw + " by the nights alone";
}

json cell_view(const json& item) {
    const auto state = item.at("state").get<std::string>();
    const auto where = name_words(item.at("benchmark")) + ", " + name_words(item.at("variant"));
    if (const auto* sign = sign_of(state)) {
        const auto message = name_words(item.at("message"));
        return {
            {"heat", sign->is_broken ? "broken" : "absent"},
            {"words", std::string(sign->sign) + " " + state},
            {"label", where + ": " + state + (message.empty() ? "" : ", " + message)}};
    }
    const auto value = quantity_words(item.at("value"), item.at("unit"));
    const auto change = percent_words(change_of(item));
    const auto mood = change_mood(change_of(item), slow_change);
    const bool has_change = !change.empty();
    json cell = {
        {"heat", heat_class(change_of(item))},
        {"words", has_change ? std::string(mood.sign) + change : value},
        {"label",
         where + ": " + (value.empty() ? std::string("passed") : value) +
             (has_change ? ", " + change_label(item) : "")}};
    if (cell.at("words") == "") cell["words"] = "passed";
    if (item.at("series").is_number()) {
        cell["link"] = {{"id", item.at("series")}};
    }
    return cell;
}

/// The first column of what has no place: it was neither here nor there.
json no_cell() {
    return {{"heat", "absent"}, {"words", ""}, {"label", "not measured"}};
}

json matrix_of(const json& items, const std::vector<std::string>& variants) {
    std::map<std::string, std::map<std::string, json>> cells;
    for (const auto& item : items) {
        cells[item.at("benchmark")][item.at("variant")] = cell_view(item);
    }
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
json twin_of(const json& items) {
    auto rows = json::array();
    for (const auto& item : items) {
        rows.push_back(
            {{"benchmark", name_words(item.at("benchmark"))},
             {"variant", name_words(item.at("variant"))},
             {"state", item.at("state")},
             {"value", quantity_words(item.at("value"), item.at("unit"))},
             {"base", quantity_words(item.at("base"), item.at("unit"))},
             {"change", change_label(item)},
             {"message", name_words(item.at("message"))}});
    }
    return rows;
}

std::string heat_title(const json& items) {
    std::int64_t broken = 0;
    std::int64_t slow = 0;
    for (const auto& item : items) {
        const auto* sign = sign_of(item.at("state").get<std::string>());
        broken += sign != nullptr && sign->is_broken ? 1 : 0;
        const auto& change = change_of(item);
        slow += change.is_number() && change.get<double>() > slow_change ? 1 : 0;
    }
    if (items.empty()) return "Nothing was measured";
    if (broken + slow == 0) return "Nothing is broken or slower";
    return fmt::format("{} broken, {} worse of {}", broken, slow, items.size());
}

json side_words(const json& side) {
    if (side.is_null()) return nullptr;
    return {
        {"id", side.at("nightly")},
        {"night", name_words(side.at("night"))},
        {"revision", short_revision(side.at("revision"))},
        {"machine_class", name_words(side.at("machine_class"))}};
}

}  // namespace

http::Response get_heatmap_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    auto api = request;
    api.query.erase("as");
    if (wants_data(request)) return data_response(get_heatmap, api, db, context);
    const auto asked = given_filters(request);
    const auto heat = read_api(get_heatmap, request, db, context, given_filters(api), {});
    const auto& items = heat.at("items");
    std::set<std::string> names;
    for (const auto& item : items) names.insert(item.at("variant").get<std::string>());
    const std::vector<std::string> variants(names.begin(), names.end());
    auto heads = json::array();
    for (const auto& variant : variants) {
        heads.push_back({{"variant", name_words(json(variant))}});
    }
    auto fields = suite_choices(context.config, asked, "default metric");
    fields.push_back(text_field("nightly", "Night", asked));
    fields.push_back(text_field("against", "Against the night", asked));
    fields.push_back(choice_field(
        "against_class", "Against the class", names_in(context.config.machine_classes), asked));
    fields.push_back(choice_field("as", "As", {"table"}, asked, "map"));
    const auto as = asked.find("as");
    const bool is_table = as != asked.end() && as->second == "table";
    json view = {
        {"title", heat_title(items)},
        {"tabs", suite_tabs("/heatmap", heat.at("project").get<std::string>())},
        {"metric", metric_words(heat.at("metric").get<std::string>())},
        {"here", side_words(heat.at("here"))},
        {"against", side_words(heat.at("against"))},
        {"filter_form", filter_form(std::move(fields))},
        {"none", items.empty()},
        {"matrix", nullptr},
        {"twin", nullptr}};
    if (is_table) {
        view["twin"] = {{"rows", twin_of(items)}};
    } else if (!items.empty()) {
        view["matrix"] = {{"heads", std::move(heads)}, {"rows", matrix_of(items, variants)}};
    }
    return page_response(request, "heatmap.html", std::move(view), Shows::list);
}

}  // namespace vigil::service
