#include <nlohmann/json.hpp>

#include "service/api/common/handlers.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/common/render.hpp"
#include "service/pages/common/words.hpp"
#include "service/pages/measured/ask_form.hpp"
#include "service/pages/night_commits.hpp"
#include "service/store/lists/lists.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr Handler runs_of = list_of<lists::runs>;
constexpr int most_night_runs = 40;
constexpr std::size_t most_shown_samples = 60;
constexpr std::size_t most_of_a_reason = 1000;
constexpr std::size_t most_commits = 500;

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
        {"revision", short_revision(run.at("revision"))},
        {"is_tonight", run.at("revision") == chart.at("nights").back().at("revision")},
        {"outcome", run.at("outcome")},
        {"worker", name_words(run.at("worker"))},
        {"message", name_words(run.at("message"))},
        {"log", nullptr},
        {"median", ""},
        {"samples", ""}};
    if (run.at("log").is_string()) row["log"] = {{"digest", run.at("log")}};
    for (const auto& one : run.at("measurements")) {
        if (one.at("series") != chart.at("id")) continue;
        row["median"] = quantity_words(one.at("median"), chart.at("unit"));
        row["samples"] = samples_words(one.at("samples"), chart.at("unit"));
    }
    return row;
}

json line_views(const json& lines) {
    auto views = json::array();
    for (const auto& line : lines) {
        views.push_back({{"head", line.at("head")}, {"words", line.at("words")}});
    }
    return views;
}

/// What was held against what, what was asked about it, and what its sessions said.
json loop_view(const json& why) {
    auto lines = json::array();
    if (why.at("loop").is_object()) lines = line_views(why.at("loop").at("lines"));
    for (const auto& one : why.at("asked")) {
        const auto& verdict = one.at("verdict");
        const auto word = verdict.is_string() ? verdict.get<std::string>() : "not decided yet";
        const auto reason = shown_text(one.at("reason").get<std::string>(), most_of_a_reason);
        lines.push_back(
            {{"head", "by the night alone"},
             {"words", percent_words(one.at("change_ratio")) + " against the level before"}});
        if (const auto size = sized_words(one.at("size")); !size.empty()) {
            lines.push_back(
                {{"head", "its size"}, {"words", size + ", of all runs that measured it"}});
        }
        lines.push_back(
            {{"head", one.at("session").is_number() ? "measured again" : "its answer"},
             {"words", reason.empty() ? word : word + ": " + reason}});
    }
    if (lines.empty()) {
        lines.push_back({{"head", "judged"}, {"words", "no run of this night is"}});
    }
    return lines;
}

json shape_view(const json& shape) {
    if (shape.is_null()) return nullptr;
    json view = {{"lines", line_views(shape.at("lines"))}, {"rivals", nullptr}};
    const auto& rivals = shape.at("rivals");
    if (rivals.empty()) return view;
    const auto cells = [](const json& row) {
        auto all = json::array();
        for (const auto& cell : row) all.push_back({{"cell", cell}});
        return all;
    };
    auto rows = json::array();
    for (std::size_t i = 1; i < rivals.size(); ++i) {
        rows.push_back({{"cells", cells(rivals[i])}});
    }
    view["rivals"] = {{"heads", cells(rivals[0])}, {"rows", std::move(rows)}};
    return view;
}

/// The commits since the night before, as far as a search or the night itself has listed them.
/// @param brought  what the night's commits are
json commits_list(
    const http::Request& request,
    Database& db,
    const HandlerContext& context,
    const json& chart,
    const json& night,
    const NightCommitRange& brought) {
    const auto& commits = night.at("commits");
    if (commits.is_null()) return nullptr;
    if (commits.at("from") == commits.at("to")) return {{"same", true}};
    json view = {{"listed", nullptr}};
    auto& span = view["span"] = {
        {"from", short_revision(commits.at("from"))},
        {"to", short_revision(commits.at("to"))},
        {"range", nullptr},
        {"brought", brought_view(brought)},
        {"none",
         !brought.is_listed() || !brought.since ||
             brought.since->revision.str() != commits.at("from")}};
    if (commits.at("range").is_string()) span["range"] = {{"href", commits.at("range")}};
    const auto searches = read_api(
        list_of<lists::bisections>,
        request,
        db,
        context,
        {{"nightly", night.at("nightly").dump()},
         {"project", chart.at("project").get<std::string>()}},
        {});
    for (const auto& one : searches.at("items")) {
        const bool is_same = one.at("good_revision") == commits.at("from") &&
                             one.at("bad_revision") == commits.at("to");
        if (!is_same) continue;
        const auto id = one.at("id").dump();
        const auto search =
            read_api(one_of<lists::bisections>, request, db, context, {}, {{"id", id}});
        auto rows = json::array();
        for (const auto& suspect : search.at("suspects")) {
            if (suspect.at("position") == 0 || rows.size() == most_commits) continue;
            rows.push_back(
                {{"revision", short_revision(suspect.at("revision"))},
                 {"subject", name_words(suspect.at("subject"))},
                 {"author", name_words(suspect.at("author"))}});
        }
        if (rows.empty()) continue;
        span["none"] = false;
        view["listed"] = {{"bisection", id}, {"rows", std::move(rows)}};
        break;
    }
    return view;
}

/// The form that has the commits since the night before searched.
json search_view(const http::Request& request, const json& chart, const json& night) {
    const auto& commits = night.at("commits");
    if (commits.is_null() || commits.at("from") == commits.at("to")) return nullptr;
    auto view = ask_key(request);
    if (view.is_null()) return nullptr;
    view["project"] = chart.at("project");
    view["series"] = chart.at("id");
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
    const auto why = read_api(get_series_night, request, db, context);
    const auto brought =
        load_night_range(db, context, NightlyId{night.at("nightly").get<std::int64_t>()});
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
        {"loop", loop_view(why)},
        {"shape", shape_view(why.at("shape"))},
        {"commits", commits_list(request, db, context, chart, night, brought)},
        {"runs", std::move(rows)},
        {"environment", has_facts ? json{{"facts", std::move(environment)}} : json()},
        {"search", std::move(search)},
        {"may_not", nullptr}};
    if (!may_search) view["may_not"] = {{"sign_in", sign_in_address(request)}};
    return page_response(request, "series_night.html", std::move(view), Shows::list);
}

}  // namespace vigil::service
