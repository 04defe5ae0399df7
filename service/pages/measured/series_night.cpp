#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "service/api/common/handlers.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/common/render.hpp"
#include "service/pages/common/words.hpp"
#include "service/pages/measured/ask_form.hpp"
#include "service/store/lists/lists.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr Handler runs_of = list_of<lists::runs>;
constexpr int most_night_runs = 40;
constexpr std::size_t most_shown_samples = 60;

std::string samples_words(const json& samples, const json& unit) {
    std::string words;
    for (std::size_t i = 0; i < std::min(samples.size(), most_shown_samples); ++i) {
        words += (words.empty() ? "" : ", ") + quantity_words(samples[i], unit);
    }
    return samples.size() > most_shown_samples ? words + ", ..." : words;
}

json facts_rows(const json& facts) {
    auto rows = json::array();
    if (!facts.is_object()) return rows;
    for (const auto& [name, value] : facts.items()) {
        rows.push_back({{"fact", name_words(json(name))}, {"value", name_words(value)}});
    }
    return rows;
}

json run_row(const json& run, const json& chart) {
    json row = {
        {"id", run.at("id")},
        {"purpose", run.at("purpose")},
        {"outcome", run.at("outcome")},
        {"worker", name_words(run.at("worker"))},
        {"message", name_words(run.at("message"))},
        {"median", ""},
        {"samples", ""}};
    for (const auto& one : run.at("measurements")) {
        if (one.at("series") != chart.at("id")) continue;
        row["median"] = quantity_words(one.at("median"), chart.at("unit"));
        row["samples"] = samples_words(one.at("samples"), chart.at("unit"));
    }
    return row;
}

/// Why the night says what it says, a sentence each.
json said_rows(const json& night, const json& chart) {
    auto said = json::array();
    const auto& unit = chart.at("unit");
    if (night.at("base").is_number()) {
        said.push_back(
            {{"words",
              "It was held against a baseline of " + quantity_words(night.at("base"), unit) +
                  "; worse by more than " +
                  text::share(chart.at("threshold_ratio").get<double>(), 0) + " begins at " +
                  quantity_words(night.at("limit"), unit) + "."}});
        said.push_back(
            {{"words",
              "The shape of the newest nights was suspicious by " +
                  text::rounded(night.at("score").get<double>(), 1) + " nats."}});
    } else if (night.at("value").is_number()) {
        said.push_back(
            {{"words", "It was held against nothing: no night of its level came before."}});
    }
    for (const auto& session : chart.at("sessions")) {
        if (session.at("nightly") != night.at("nightly")) continue;
        const auto& verdict = session.at("verdict");
        said.push_back(
            {{"words",
              (verdict.is_string() ? verdict.get<std::string>() : std::string("not decided")) +
                  ": " + shown_text(session.at("reason").get<std::string>(), 1000)}});
    }
    return said;
}

/// The form that has the commits since the night before searched.
json search_view(const http::Request& request, const json& chart, const json& night) {
    const auto& commits = night.at("commits");
    if (commits.is_null() || commits.at("from") == commits.at("to")) return nullptr;
    auto view = ask_key(request);
    if (view.is_null()) return nullptr;
    for (const auto* name : {"project", "benchmark", "variant", "machine_class", "metric"}) {
        view[name] = chart.at(name);
    }
    view["good"] = commits.at("from");
    view["bad"] = commits.at("to");
    return view;
}

}  // namespace

http::Response get_series_night_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const auto& nightly = request.parameters.at("nightly");
    const auto chart = read_api(
        get_series_chart,
        request,
        db,
        context,
        {{"nights", "2"}, {"nightly", nightly}},
        {{"id", request.parameters.at("id")}});
    const auto& nights = chart.at("nights");
    if (nights.empty() || nights.back().at("nightly").dump() != nightly) {
        throw Error(Errc::not_found, "the series has no night " + shown_text(nightly, 40));
    }
    const std::map<std::string, std::string> asked{
        {"nightly", nightly},
        {"project", chart.at("project").get<std::string>()},
        {"benchmark", chart.at("benchmark").get<std::string>()},
        {"variant", chart.at("variant").get<std::string>()},
        {"machine_class", chart.at("machine_class").get<std::string>()},
        {"limit", std::to_string(most_night_runs)}};
    if (wants_data(request)) {
        auto data = request;
        data.query.insert(asked.begin(), asked.end());
        data.parameters.clear();  // a list's filters are none of its path
        return data_response(runs_of, data, db, context);
    }
    const auto& night = nights.back();
    const auto runs = read_api(runs_of, request, db, context, asked, {});
    auto rows = json::array();
    json facts;
    for (const auto& one : runs.at("items")) {
        const auto run =
            read_api(one_of<lists::runs>, request, db, context, {}, {{"id", one.at("id").dump()}});
        rows.push_back(run_row(run, chart));
        if (facts.is_null()) facts = run.at("facts");
    }
    auto search = search_view(request, chart, night);
    const bool may_search = search.is_object();
    auto environment = facts_rows(facts);
    const bool has_facts = !environment.empty();
    json view = {
        {"title", series_words(chart)},
        {"id", chart.at("id")},
        {"nightly", night.at("nightly")},
        {"night", name_words(night.at("night"))},
        {"revision", short_revision(night.at("revision"))},
        {"value", quantity_words(night.at("value"), chart.at("unit"))},
        {"said", said_rows(night, chart)},
        {"runs", std::move(rows)},
        {"environment", has_facts ? json{{"facts", std::move(environment)}} : json()},
        {"search", std::move(search)},
        {"may_not", nullptr}};
    if (!may_search) view["may_not"] = {{"sign_in", sign_in_address(request)}};
    return page_response(request, "series_night.html", std::move(view), Shows::list);
}

}  // namespace vigil::service
