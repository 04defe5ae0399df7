#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/metric_words.hpp"
#include "schema/text/numbers.hpp"
#include "service/api/common/handlers.hpp"
#include "service/pages/common/filters.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/common/words.hpp"
#include "service/pages/measured/ask_form.hpp"
#include "service/pages/measured/suite_filters.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr std::size_t most_rows = 500;
constexpr std::size_t most_dots = 30;

bool tells(const json& item) {
    return item.at("finding") == "worse" || item.at("finding") == "better";
}

/// Dots of one side's samples, from left (small) to right, as one path.
std::string dots_of(const json& samples, double low, double high, int y) {
    std::string path;
    const auto step = std::max<std::size_t>(1, samples.size() / most_dots);
    for (std::size_t i = 0; i < samples.size(); i += step) {
        const auto x = std::lround(4 + 112 * (samples[i].get<double>() - low) / (high - low));
        path += fmt::format("M{} {}h.01", x, y);
    }
    return path;
}

/// Both sides' samples along one line; null where there are none.
json spread_view(const json& item) {
    const auto& before = item.at("samples_before");
    const auto& after = item.at("samples_after");
    if (before.empty() || after.empty()) return nullptr;
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const auto* side : {&before, &after}) {
        for (const auto& value : *side) {
            low = std::min(low, value.get<double>());
            high = std::max(high, value.get<double>());
        }
    }
    if (!(high > low)) high = low + 1;
    return {
        {"a", dots_of(before, low, high, 7)},
        {"b", dots_of(after, low, high, 17)},
        {"label",
         fmt::format("{} samples of A above, {} of B below", before.size(), after.size())}};
}

json compare_row(const json& item) {
    const auto& unit = item.at("unit");
    const auto finding = item.at("finding").get<std::string>();
    json row = {
        {"id", item.at("series")},
        {"benchmark", benchmark_words(item)},
        {"variant", name_words(item.at("variant"))},
        {"machine_class", name_words(item.at("machine_class"))},
        {"metric", metric_words(item.at("metric").get<std::string>())},
        {"before", quantity_words(item.at("before"), unit)},
        {"after", quantity_words(item.at("after"), unit)},
        {"change", moved_words(item.at("change_ratio"), item.at("before"), item.at("after"), unit)},
        {"interval", ""},
        {"again", nullptr},
        {"finding", finding},
        {"mood",
         finding == "worse"    ? "bad"
         : finding == "better" ? "good"
                               : ""},
        {"sign",
         finding == "worse"    ? "\u25B2"
         : finding == "better" ? "\u25BC"
                               : ""},
        {"spread", spread_view(item)}};
    if (item.at("low").is_number()) {
        row["interval"] =
            item.at("low") == item.at("high")
                ? "exact"
                : percent_words(item.at("low")) + " to " + percent_words(item.at("high"));
    }
    if (const auto& again = item.at("measured_again"); again.is_object()) {
        row["again"] = {
            {"size", sized_words(again)},
            {"id", again.at("nightly")},
            {"night", name_words(again.at("night"))}};
    }
    return row;
}

std::string compare_title(const json& items) {
    std::int64_t worse = 0;
    std::int64_t better = 0;
    std::int64_t unknown = 0;
    for (const auto& item : items) {
        worse += item.at("finding") == "worse" ? 1 : 0;
        better += item.at("finding") == "better" ? 1 : 0;
        unknown += item.at("finding") == "unknown" ? 1 : 0;
    }
    if (items.empty()) return "Nothing was measured in both nights";
    const auto count = static_cast<std::int64_t>(items.size());
    const auto all = text::counted(count, "series", "series");
    if (unknown == count) return "B against A: not known of any of " + all;
    const auto known = unknown == 0 ? "" : fmt::format(", {} not known", unknown);
    if (worse + better == 0) {
        return fmt::format("B against A: no significant difference in {}{}", all, known);
    }
    return fmt::format("B against A: {} worse, {} better{} of {}", worse, better, known, all);
}

json only_rows(const json& variants) {
    auto rows = json::array();
    for (const auto& one : variants) {
        rows.push_back(
            {{"words",
              benchmark_words(one) + ", " + name_words(one.at("variant")) + " on " +
                  name_words(one.at("machine_class"))}});
    }
    return rows;
}

json environment_rows(const json& changes) {
    auto rows = json::array();
    for (const auto& one : changes) {
        rows.push_back(
            {{"machine_class", name_words(one.at("machine_class"))},
             {"fact", name_words(one.at("fact"))},
             {"before", name_words(one.at("before"))},
             {"after", name_words(one.at("after"))}});
    }
    return rows;
}

json compared_night(const json& night) {
    if (night.is_null()) return nullptr;
    return {
        {"id", night.at("nightly")},
        {"night", name_words(night.at("night"))},
        {"revision", short_revision(night.at("revision"))}};
}

/// The form that has both revisions measured side by side; what is filtered is what is measured.
json ask_view(const http::Request& request, const json& compared, const GivenFilters& asked) {
    auto view = ask_key(request);
    if (view.is_null()) return nullptr;
    view["project"] = compared.at("project");
    view["a"] = compared.at("a").at("revision");
    view["b"] = compared.at("b").at("revision");
    auto kept = json::array();
    for (const auto* name : {"benchmark", "variant", "machine_class", "metric"}) {
        const auto found = asked.find(name);
        if (found != asked.end()) kept.push_back({{"name", name}, {"value", found->second}});
    }
    view["kept"] = std::move(kept);
    return view;
}

}  // namespace

http::Response get_compare_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    auto api = request;
    api.query.erase("show");
    if (wants_data(request)) return data_response(get_compare, api, db, context);
    const auto asked = given_filters(request);
    const auto compared = read_api(get_compare, request, db, context, given_filters(api), {});
    const auto show = asked.find("show");
    const bool shows_all = show != asked.end() && show->second == "all";
    const auto& items = compared.at("items");
    auto rows = json::array();
    for (const auto& item : items) {
        if ((shows_all || tells(item)) && rows.size() < most_rows) {
            rows.push_back(compare_row(item));
        }
    }
    auto fields = suite_choices(context.config, asked, "any");
    fields.push_back(text_field("a", "A: night or revision", asked));
    fields.push_back(text_field("b", "B: night or revision", asked));
    fields.push_back(text_field("search", "Search", asked));
    fields.push_back(choice_field("show", "Show", {"all"}, asked, "what differs"));
    const bool has_both = compared.at("a").is_object() && compared.at("b").is_object();
    auto ask = has_both ? ask_view(request, compared, asked) : json();
    const bool may_ask = ask.is_object();
    const bool none = rows.empty();
    const auto unknown = std::ranges::count_if(
        items, [](const auto& item) { return item.at("finding") == "unknown"; });
    json view = {
        {"unknown", unknown > 0 ? json{{"count", unknown}} : json()},
        {"title", compare_title(items)},
        {"tabs", suite_tabs("/compare", compared.at("project").get<std::string>())},
        {"a", compared_night(compared.at("a"))},
        {"b", compared_night(compared.at("b"))},
        {"filter_form", filter_form(std::move(fields))},
        {"rows", std::move(rows)},
        {"has_rows", !none},
        {"all", nullptr},
        {"environment", nullptr},
        {"only", nullptr},
        {"ask", std::move(ask)},
        {"may_not_ask", nullptr}};
    if (none && !items.empty()) {
        view["all"] = {{"href", address_with(request, {{"show", "all"}})}};
    }
    if (auto changes = environment_rows(compared.at("environment")); !changes.empty()) {
        view["environment"] = {{"changes", std::move(changes)}};
    }
    auto only_a = only_rows(compared.at("only_a"));
    auto only_b = only_rows(compared.at("only_b"));
    if (!only_a.empty() || !only_b.empty()) {
        view["only"] = {{"only_a", std::move(only_a)}, {"only_b", std::move(only_b)}};
    }
    if (has_both && !may_ask) view["may_not_ask"] = {{"sign_in", sign_in_address(request)}};
    return page_response(request, "compare.html", std::move(view), Shows::list);
}

}  // namespace vigil::service
