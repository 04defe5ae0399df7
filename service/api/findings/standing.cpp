#include "service/api/findings/standing.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

#include <nlohmann/json.hpp>

#include "schema/model/state_sets.hpp"
#include "service/api/common/handlers.hpp"
#include "service/source/words.hpp"
#include "service/store/findings/reported_searches.hpp"
#include "service/store/lists/lists.hpp"
#include "service/watch/search/bisection_facts.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

using Posterior = std::vector<std::vector<double>>;  ///< [series][suspects]

/// @return  posterior of all series
Posterior read_conclusion(Database& db, SearchStanding& standing, std::vector<SeriesId>& series) {
    auto records = find_search_records(db, standing.bisection);
    if (!records) return {};
    standing.summary = without_paths(records->conclusion.summary);
    series = std::move(records->settings.series);
    return std::move(records->conclusion.posterior);
}

/// What it says by now.
Posterior ask_search(
    Database& db,
    SearchStanding& standing,
    const std::vector<Revision>& line,
    std::vector<SeriesId>& series) {
    const auto bisection = load_bisection(db, standing.bisection);
    const auto read = read_bisection(db, bisection);
    auto decision = read.driver.decide(read.problem);
    standing.summary = std::move(decision.summary);
    series = bisection.settings.series;
    const auto hash_of = [&](int position) { return line.at(static_cast<std::size_t>(position)); };
    for (const auto& one : decision.verified) {
        standing.verified.push_back(
            {series.at(static_cast<std::size_t>(one.series)),
             hash_of(one.first),
             hash_of(one.last),
             one.verified.change_ratio});
    }
    return std::move(decision.posterior);
}

/// @param bisection  as `lists::bisections` shows one
SearchPace pace_of(const json& bisection, int left, bool verifies, std::int64_t now_s) {
    SearchPace pace;
    std::int64_t last_s = 0;
    for (const auto& probe : bisection.at("probes")) {
        const auto& at_s = probe.at("ended_at_s");
        probe.at("state") == "open" ? ++pace.open : ++pace.ended;
        if (at_s.is_number()) last_s = std::max(last_s, at_s.get<std::int64_t>());
    }
    pace.left = probes_left(left, verifies, pace.open);
    const auto begun_s = bisection.at("created_at_s").get<std::int64_t>();
    pace.expected_end_s = expected_end_s(begun_s, last_s, pace.ended, pace.left, now_s);
    return pace;
}

json series_json(const SearchStanding& standing) {
    auto all = json::array();
    for (const auto& [series, probabilities, credible] : standing.series) {
        all.push_back(
            {{"series", series.value}, {"probabilities", probabilities}, {"credible", credible}});
    }
    return all;
}

json verified_json(const SearchStanding& standing) {
    auto all = json::array();
    for (const auto& [series, first, last, change_ratio] : standing.verified) {
        all.push_back(
            {{"series", series.value},
             {"first", first.str()},
             {"last", last.str()},
             {"change_ratio", change_ratio}});
    }
    return all;
}

json pace_json(const std::optional<SearchPace>& pace) {
    if (!pace) return nullptr;
    return {
        {"open", pace->open},
        {"ended", pace->ended},
        {"left", pace->left},
        {"expected_end_s", or_null(pace->expected_end_s)}};
}

}  // namespace

CommitsLeft commits_left(const std::vector<std::vector<double>>& posterior, int suspects) {
    std::set<int> all;
    for (const auto& chances : posterior) {
        for (const int commit : search::credible_set(chances)) all.insert(commit);
    }
    if (all.empty()) return {std::min(1, suspects), suspects, suspects};
    return {*all.begin(), *all.rbegin(), static_cast<int>(all.size())};
}

int probes_left(int left, bool verifies, int open) {
    if (verifies) return std::max(open, 1);
    const auto halvings = std::bit_width(static_cast<unsigned>(std::max(left, 1) - 1));
    return std::max(open, static_cast<int>(halvings)) + 1;
}

std::optional<std::int64_t> expected_end_s(
    std::int64_t begun_s, std::int64_t ended_s, int ended, int left, std::int64_t now_s) {
    if (ended < 1 || ended_s <= begun_s) return std::nullopt;
    return std::max(now_s, ended_s + (ended_s - begun_s) * left / ended);
}

SearchStanding load_standing(Database& db, const HandlerContext& context, BisectionId id) {
    const Snapshot snapshot(db);
    const auto bisection = load_one(db, lists::bisections, id.value);
    SearchStanding standing;
    standing.bisection = id;
    standing.state = parse_enum<BisectionState>(bisection.at("state").get<std::string>());
    const auto line = list_line(db, id);
    standing.commits = std::max(0, static_cast<int>(line.size()) - 1);
    const bool is_listing = standing.state == BisectionState::listing;
    std::vector<SeriesId> series;
    Posterior posterior;
    if (is_over(standing.state)) {
        posterior = read_conclusion(db, standing, series);
    } else if (!is_listing && bisection.at("kind") != "build" && standing.commits > 0) {
        posterior = ask_search(db, standing, line, series);
    }
    standing.left = commits_left(posterior, standing.commits);
    for (std::size_t i = 0; i < std::min(series.size(), posterior.size()); ++i) {
        standing.series.push_back({series[i], posterior[i], search::credible_set(posterior[i])});
    }
    if (!is_over(standing.state) && !is_listing) {
        const bool verifies = standing.state == BisectionState::verifying;
        standing.pace = pace_of(bisection, standing.left.count, verifies, context.now_s);
    }
    return standing;
}

http::Response get_bisection_standing(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const auto standing = load_standing(db, context, BisectionId{id_parameter(request)});
    const auto& left = standing.left;
    return object_response(
        {{"bisection", standing.bisection.value},
         {"state", to_string(standing.state)},
         {"summary", standing.summary},
         {"commits", standing.commits},
         {"left", {{"first", left.first}, {"last", left.last}, {"count", left.count}}},
         {"series", series_json(standing)},
         {"verified", verified_json(standing)},
         {"probes", pace_json(standing.pace)}});
}

RegressionLevels load_levels(Database& db, const HandlerContext& context, RegressionId id) {
    const Snapshot snapshot(db);
    const auto facts = load_regression_facts(db, id, context.config);
    RegressionLevels levels;
    for (const auto& suspect : facts.suspects) levels.revisions.push_back(suspect.revision);
    if (levels.commits() < 1) return levels;
    for (std::size_t i = 0; i < facts.series.size(); ++i) {
        auto& one = levels.series.emplace_back();
        one.series = facts.series[i].id;
        if (!facts.levels.empty()) one.marks = facts.levels[i];
    }
    return levels;
}

http::Response get_regression_levels(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const RegressionId id{id_parameter(request)};
    const auto levels = load_levels(db, context, id);
    auto all = json::array();
    for (const auto& [series, marks] : levels.series) {
        auto told = json::array();
        for (const auto& mark : marks) {
            told.push_back(
                {{"position", mark.commit},
                 {"revision", levels.at(mark.commit).str()},
                 {"change_ratio", mark.change},
                 {"runs", mark.runs},
                 {"same_product_as",
                  mark.same_as ? json(levels.at(*mark.same_as).str()) : json()}});
        }
        all.push_back({{"series", series.value}, {"levels", std::move(told)}});
    }
    return object_response(
        {{"regression", id.value}, {"commits", levels.commits()}, {"series", std::move(all)}});
}

}  // namespace vigil::service
