#include <cmath>
#include <span>

#include <nlohmann/json.hpp>

#include "schema/text/rolled_up.hpp"
#include "service/api/rows/chart.hpp"
#include "service/api/rows/results.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"
#include "service/pages/common/render.hpp"
#include "service/pages/common/words.hpp"
#include "service/pages/measured/ask_form.hpp"
#include "service/pages/night_commits.hpp"
#include "service/store/nights/rolled.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr int most_night_runs = 40;
constexpr std::size_t most_shown_samples = 60;
constexpr std::size_t most_of_a_reason = 1000;
constexpr std::size_t most_commits = 500;

std::string samples_words(const std::vector<double>& samples, const std::string& unit) {
    std::string words;
    for (const double sample :
         std::span(samples).first(std::min(samples.size(), most_shown_samples))) {
        words += (words.empty() ? "" : ", ") + quantity_words(sample, unit);
    }
    return samples.size() > most_shown_samples ? words + ", ..." : words;
}

json facts_view(const std::optional<FactTexts>& facts) {
    if (!facts || facts->empty()) return nullptr;
    auto rows = json::array();
    for (const auto& [name, value] : *facts) {
        rows.push_back({{"fact", name_words(name)}, {"value", name_words(value.text)}});
    }
    return {{"facts", std::move(rows)}};
}

/// @param revision  of the night
json run_row(const WholeRun& run, const ChartFacts& series, const std::string& revision) {
    json row = {
        {"id", run.id},
        {"purpose", run.purpose},
        {"revision", short_revision(run.revision)},
        {"is_tonight", run.revision == revision},
        {"outcome", run.outcome},
        {"worker", name_words(run.worker)},
        {"message", name_words(run.message)},
        {"log", nullptr},
        {"median", ""},
        {"samples", ""}};
    if (run.log) row["log"] = {{"digest", *run.log}};
    for (const auto& one : run.measurements) {
        if (one.series != series.id) continue;
        row["median"] = quantity_words(one.median, series.unit);
        row["samples"] = samples_words(one.samples, series.unit);
    }
    return row;
}

json line_views(const std::vector<ToldLine>& lines) {
    auto views = json::array();
    for (const auto& [head, words] : lines) views.push_back({{"head", head}, {"words", words}});
    return views;
}

/// What was held against what, what was asked about it, and what its sessions said.
json loop_view(const SeriesNightWhy& why) {
    auto lines = why.loop ? why.loop->lines : std::vector<ToldLine>();
    for (const auto& one : why.asked) {
        const auto word = one.verdict.value_or("not decided yet");
        const auto reason = shown_text(one.reason, most_of_a_reason);
        lines.push_back(
            {"by the night alone", percent_words(one.change_ratio) + " against the level before"});
        if (const auto size = one.size ? sized_words(*one.size) : ""; !size.empty()) {
            lines.push_back({"its size", size + ", of all runs that measured it"});
        }
        lines.push_back(
            {one.session ? "measured again" : "its answer",
             reason.empty() ? word : word + ": " + reason});
    }
    if (lines.empty()) lines.push_back({"judged", "no run of this night is"});
    return line_views(lines);
}

json shape_view(const std::optional<ToldShape>& shape) {
    if (!shape) return nullptr;
    json view = {{"lines", line_views(shape->lines)}, {"rivals", nullptr}};
    const auto& rivals = shape->rivals;
    if (rivals.empty()) return view;
    const auto cells = [](const std::vector<std::string>& row) {
        auto all = json::array();
        for (const auto& cell : row) all.push_back({{"cell", cell}});
        return all;
    };
    auto rows = json::array();
    for (const auto& row : std::span(rivals).subspan(1)) rows.push_back({{"cells", cells(row)}});
    view["rivals"] = {{"heads", cells(rivals.front())}, {"rows", std::move(rows)}};
    return view;
}

/// The commits since the night before, as far as a search or the night itself has listed them.
/// @param brought  what the night's commits are
json commits_list(
    const Asker& asker,
    const std::string& project,
    const ToldNight& night,
    const NightCommitRange& brought) {
    if (night.before.empty()) return nullptr;
    if (night.before == night.revision) return {{"same", true}};
    const bool is_listed =
        brought.is_listed() && brought.since && brought.since->revision.str() == night.before;
    json view = {{"listed", nullptr}};
    auto& span = view["span"] = {
        {"from", short_revision(night.before)},
        {"to", short_revision(night.revision)},
        {"range", nullptr},
        {"brought", brought_view(brought)},
        {"none", !is_listed}};
    if (!night.commits.empty()) span["range"] = {{"href", night.commits}};
    for (const auto& one : asker.rows<ListedSearch>(
             {{"nightly", to_string(brought.nightly)}, {"project", project}})) {
        if (one.good_revision != night.before || one.bad_revision != night.revision) continue;
        auto rows = json::array();
        for (const auto& suspect : asker.one<WholeSearch>(one.id).suspects) {
            if (suspect.position == 0 || rows.size() == most_commits) continue;
            rows.push_back(
                {{"revision", short_revision(suspect.revision)},
                 {"subject", name_words(suspect.subject)},
                 {"author", name_words(suspect.author)}});
        }
        if (rows.empty()) continue;
        span["none"] = false;
        view["listed"] = {{"bisection", one.id}, {"rows", std::move(rows)}};
        break;
    }
    return view;
}

/// The form that has the commits since the night before searched.
json search_view(const http::Request& request, const ChartFacts& series, const ToldNight& night) {
    if (night.before.empty() || night.before == night.revision) return nullptr;
    auto view = ask_key(request);
    if (view.is_null()) return nullptr;
    view["project"] = series.project;
    view["series"] = series.id;
    view["good"] = night.before;
    view["bad"] = night.revision;
    return view;
}

/// What is left of a night's own runs; null where they are here, or there were none.
json rolled_view(Database& db, NightlyId nightly, const ToldNight& told) {
    const auto rolled = find_rolled_up(db, nightly);
    if (!rolled || told.runs.empty()) return nullptr;
    return {{"words", text::rolled_up(std::ssize(told.runs), rolled->at_s)}};
}

}  // namespace

http::Response get_series_night_page(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const Asker asker{request, db, context};
    const auto& nightly = request.parameters.at("nightly");
    const auto chart = load_series_chart(
        api_request(
            request,
            {{"nights", "2"}, {"nightly", nightly}},
            {{"id", request.parameters.at("id")}}),
        db,
        context);
    if (chart.nights.empty() || to_string(chart.nights.back().nightly) != nightly) {
        throw Error(Errc::not_found, "the series has no night " + shown_text(nightly, 40));
    }
    const auto series = facts_of(chart);
    const Asker::Texts asked{
        {"nightly", nightly},
        {"project", series.project},
        {"benchmark", series.benchmark},
        {"variant", series.variant},
        {"machine_class", series.machine_class},
        {"limit", std::to_string(most_night_runs)}};
    if (wants_data(request)) {
        auto data = request;
        data.query.insert(asked.begin(), asked.end());
        data.parameters.clear();  // a list's filters are none of its path
        return data_response(ListedRun::list, data, db, context);
    }
    const auto& night = chart.nights.back();
    const auto& told = *night.told;
    auto rows = json::array();
    bool has_own = false;
    std::optional<FactTexts> facts;
    for (const auto& one : asker.rows<ListedRun>(asked)) {
        const auto run = asker.one<WholeRun>(one.id);
        rows.push_back(run_row(run, series, told.revision));
        has_own = has_own || run.purpose == to_string(Purpose::nightly);
        if (!facts) facts = run.facts;
    }
    const auto why = asker.named<SeriesNightWhy>();
    const auto brought = load_night_range(db, context, night.nightly);
    auto search = search_view(request, series, told);
    const bool may_search = search.is_object();
    const auto value = std::isfinite(night.value) ? std::optional(night.value) : std::nullopt;
    json view = {
        {"title", series_words(series)},
        {"id", series.id},
        {"nightly", night.nightly.value},
        {"night", name_words(night.name)},
        {"revision", short_revision(told.revision)},
        {"value", quantity_words(value, series.unit)},
        {"loop", loop_view(why)},
        {"shape", shape_view(why.shape)},
        {"commits", commits_list(asker, series.project, told, brought)},
        {"runs", std::move(rows)},
        {"environment", facts_view(facts)},
        {"search", std::move(search)},
        {"may_not", nullptr},
        {"rolled", nullptr}};
    if (!has_own) view["rolled"] = rolled_view(db, night.nightly, told);
    if (!may_search) view["may_not"] = {{"sign_in", sign_in_address(request)}};
    return page_response(request, "series_night.html", std::move(view), Shows::list);
}

}  // namespace vigil::service
