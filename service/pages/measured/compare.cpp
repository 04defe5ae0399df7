#include "service/api/results/compare.hpp"

#include <algorithm>
#include <cmath>

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

/// Dots of one side's samples, from left (small) to right, as one path.
std::string dots_of(const std::vector<double>& samples, double low, double high, int y) {
    std::string path;
    const auto step = std::max<std::size_t>(1, samples.size() / most_dots);
    for (std::size_t i = 0; i < samples.size(); i += step) {
        const auto x = std::lround(4 + 112 * (samples[i] - low) / (high - low));
        path += fmt::format("M{} {}h.01", x, y);
    }
    return path;
}

/// Both sides' samples along one line; null where there are none.
json spread_view(const std::vector<double>& before, const std::vector<double>& after) {
    if (before.empty() || after.empty()) return nullptr;
    const auto [low_a, high_a] = std::ranges::minmax(before);
    const auto [low_b, high_b] = std::ranges::minmax(after);
    const double low = std::min(low_a, low_b);
    double high = std::max(high_a, high_b);
    if (!(high > low)) high = low + 1;
    return {
        {"a", dots_of(before, low, high, 7)},
        {"b", dots_of(after, low, high, 17)},
        {"label",
         fmt::format("{} samples of A above, {} of B below", before.size(), after.size())}};
}

json compare_row(const ComparedSeries& one) {
    const auto& said = one.said;
    const auto finding = one.finding;
    const auto& unit = one.row.unit;
    json row = {
        {"id", one.row.id.value},
        {"benchmark", benchmark_words(names_of(one.row))},
        {"variant", name_words(one.row.variant)},
        {"machine_class", name_words(one.row.machine_class)},
        {"metric", metric_words(one.row.metric)},
        {"before", quantity_words(said.before, unit)},
        {"after", quantity_words(said.after, unit)},
        {"change", moved_words(said.change_ratio, said.before, said.after, unit)},
        {"interval", ""},
        {"again", nullptr},
        {"finding", to_string(finding)},
        {"mood",
         finding == Finding::worse    ? "bad"
         : finding == Finding::better ? "good"
                                      : ""},
        {"sign",
         finding == Finding::worse    ? "\u25B2"
         : finding == Finding::better ? "\u25BC"
                                      : ""},
        {"spread", spread_view(one.samples_before, one.samples_after)}};
    if (said.finding != Finding::unknown) {
        row["interval"] = said.low == said.high
                              ? "exact"
                              : text::percent(said.low) + " to " + text::percent(said.high);
    }
    if (const auto& again = one.again) {
        row["again"] = {
            {"size", sized_words(again->level)},
            {"id", again->nightly.value},
            {"night", name_words(again->night)}};
    }
    return row;
}

std::int64_t count_of(const SuiteComparison& compared, Finding finding) {
    return std::ranges::count(compared.series, finding, &ComparedSeries::finding);
}

std::string compare_title(const SuiteComparison& compared) {
    const auto worse = count_of(compared, Finding::worse);
    const auto better = count_of(compared, Finding::better);
    const auto unknown = count_of(compared, Finding::unknown);
    const auto count = std::ssize(compared.series);
    if (count == 0) return "Nothing was measured in both nights";
    const auto all = text::counted(count, "series", "series");
    if (unknown == count) return "B against A: not known of any of " + all;
    const auto known = unknown == 0 ? "" : fmt::format(", {} not known", unknown);
    if (worse + better == 0) {
        return fmt::format("B against A: no significant difference in {}{}", all, known);
    }
    return fmt::format("B against A: {} worse, {} better{} of {}", worse, better, known, all);
}

json only_rows(const std::vector<ComparedVariant>& variants) {
    auto rows = json::array();
    for (const auto& one : variants) {
        rows.push_back(
            {{"words",
              name_words(one.benchmark) + ", " + name_words(one.variant) + " on " +
                  name_words(one.machine_class)}});
    }
    return rows;
}

json environment_rows(const std::vector<ComparedFact>& changes) {
    auto rows = json::array();
    for (const auto& one : changes) {
        rows.push_back(
            {{"machine_class", name_words(one.machine_class)},
             {"fact", name_words(one.fact)},
             {"before", name_words(one.before)},
             {"after", name_words(one.after)}});
    }
    return rows;
}

json compared_night(const std::optional<ChartNightRow>& night) {
    if (!night) return nullptr;
    return {
        {"id", night->nightly.value},
        {"night", name_words(night->name)},
        {"revision", short_revision(night->revision)}};
}

/// The form that has both revisions measured side by side; what is filtered is what is measured.
json ask_view(
    const http::Request& request, const SuiteComparison& compared, const GivenFilters& asked) {
    auto view = ask_key(request);
    if (view.is_null()) return nullptr;
    view["project"] = compared.project;
    view["a"] = compared.a->revision;
    view["b"] = compared.b->revision;
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
    const auto compared =
        load_comparison(api_request(request, given_filters(api), {}), db, context);
    const auto show = asked.find("show");
    const bool shows_all = show != asked.end() && show->second == "all";
    auto rows = json::array();
    for (const auto& one : compared.series) {
        if ((shows_all || one.tells()) && rows.size() < most_rows) {
            rows.push_back(compare_row(one));
        }
    }
    auto fields = suite_choices(context.config, asked, "any");
    fields.push_back(text_field("a", "A: night or revision", asked));
    fields.push_back(text_field("b", "B: night or revision", asked));
    fields.push_back(text_field("search", "Search", asked));
    fields.push_back(choice_field("show", "Show", {"all"}, asked, "what differs"));
    const bool has_both = compared.a && compared.b;
    auto ask = has_both ? ask_view(request, compared, asked) : json();
    const bool may_ask = ask.is_object();
    const bool none = rows.empty();
    const auto unknown = count_of(compared, Finding::unknown);
    json view = {
        {"unknown", unknown > 0 ? json{{"count", unknown}} : json()},
        {"title", compare_title(compared)},
        {"tabs", suite_tabs("/compare", compared.project)},
        {"a", compared_night(compared.a)},
        {"b", compared_night(compared.b)},
        {"filter_form", filter_form(std::move(fields))},
        {"rows", std::move(rows)},
        {"has_rows", !none},
        {"all", nullptr},
        {"environment", nullptr},
        {"only", nullptr},
        {"ask", std::move(ask)},
        {"may_not_ask", nullptr}};
    if (none && !compared.series.empty()) {
        view["all"] = {{"href", address_with(request, {{"show", "all"}})}};
    }
    if (auto changes = environment_rows(compared.environment); !changes.empty()) {
        view["environment"] = {{"changes", std::move(changes)}};
    }
    auto only_a = only_rows(compared.only_a);
    auto only_b = only_rows(compared.only_b);
    if (!only_a.empty() || !only_b.empty()) {
        view["only"] = {{"only_a", std::move(only_a)}, {"only_b", std::move(only_b)}};
    }
    if (has_both && !may_ask) view["may_not_ask"] = {{"sign_in", sign_in_address(request)}};
    return page_response(request, "compare.html", std::move(view), Shows::list);
}

}  // namespace vigil::service
