#include "service/api/findings/standing.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

#include <nlohmann/json.hpp>

#include "service/api/common/handlers.hpp"
#include "service/report/facts/regression_facts.hpp"
#include "service/source/words.hpp"
#include "service/store/findings/reported_searches.hpp"
#include "service/store/lists/lists.hpp"
#include "service/watch/search/bisection_facts.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

/// What the search says, and of which series: while it goes on by its own code, afterwards as it
/// was noted.
struct Standing {
    std::string summary;
    std::vector<SeriesId> series;
    std::vector<std::vector<double>> posterior;  ///< [series][suspects]
    int suspects = 0;
    json verified = json::array();  ///< changes so far, while it goes on
};

Standing standing_of(Database& db, BisectionId id, BisectionState state, bool by_values) {
    Standing standing;
    const auto line = list_line(db, id);
    standing.suspects = std::max(0, static_cast<int>(line.size()) - 1);
    if (state == BisectionState::done || state == BisectionState::failed) {
        const auto records = find_search_records(db, id);
        if (!records) return standing;
        standing.summary = without_paths(records->conclusion.summary);
        standing.series = records->settings.series;
        standing.posterior = records->conclusion.posterior;
        return standing;
    }
    if (state == BisectionState::listing || !by_values || standing.suspects < 1) return standing;
    const auto bisection = load_bisection(db, id);
    const auto read = read_bisection(db, bisection);
    auto decision = read.driver.decide(read.problem);
    standing.summary = std::move(decision.summary);
    standing.series = bisection.settings.series;
    standing.posterior = std::move(decision.posterior);
    for (const auto& one : decision.verified) {
        standing.verified.push_back(
            {{"series", bisection.settings.series.at(static_cast<std::size_t>(one.series)).value},
             {"first", line.at(static_cast<std::size_t>(one.first)).str()},
             {"last", line.at(static_cast<std::size_t>(one.last)).str()},
             {"change_ratio", one.verified.change_ratio}});
    }
    return standing;
}

json series_standing(const Standing& standing) {
    auto all = json::array();
    const auto count = std::min(standing.series.size(), standing.posterior.size());
    for (std::size_t i = 0; i < count; ++i) {
        const auto& chances = standing.posterior[i];
        all.push_back(
            {{"series", standing.series[i].value},
             {"probabilities", chances},
             {"credible", search::credible_set(chances)}});
    }
    return all;
}

/// @param bisection  as `lists::bisections` shows one
json pace_of(const json& bisection, const CommitsLeft& left, bool verifies, std::int64_t now_s) {
    int open = 0;
    int ended = 0;
    std::int64_t last_s = 0;
    for (const auto& probe : bisection.at("probes")) {
        const auto& at_s = probe.at("ended_at_s");
        probe.at("state") == "open" ? ++open : ++ended;
        if (at_s.is_number()) last_s = std::max(last_s, at_s.get<std::int64_t>());
    }
    const int more = probes_left(left.count, verifies, open);
    const auto begun_s = bisection.at("created_at_s").get<std::int64_t>();
    const auto end_s = expected_end_s(begun_s, last_s, ended, more, now_s);
    return {
        {"open", open},
        {"ended", ended},
        {"left", more},
        {"expected_end_s", end_s ? json(*end_s) : json()}};
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

http::Response get_bisection_standing(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const Snapshot snapshot(db);
    const BisectionId id{id_parameter(request)};
    const auto bisection = load_one(db, lists::bisections, id.value);
    const auto state = parse_enum<BisectionState>(bisection.at("state").get<std::string>());
    const auto standing = standing_of(db, id, state, bisection.at("kind") != "build");
    const bool is_over = state == BisectionState::done || state == BisectionState::failed;
    const auto left = commits_left(standing.posterior, standing.suspects);
    json pace = nullptr;
    if (!is_over && state != BisectionState::listing) {
        pace = pace_of(bisection, left, state == BisectionState::verifying, context.now_s);
    }
    return object_response(
        {{"bisection", id.value},
         {"state", to_string(state)},
         {"summary", standing.summary},
         {"commits", standing.suspects},
         {"left", {{"first", left.first}, {"last", left.last}, {"count", left.count}}},
         {"series", series_standing(standing)},
         {"verified", standing.verified},
         {"probes", std::move(pace)}});
}

http::Response get_regression_levels(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const Snapshot snapshot(db);
    const RegressionId id{id_parameter(request)};
    const auto facts = load_regression_facts(db, id, context.config);
    const std::vector<search::CommitLevel> none;
    auto all = json::array();
    for (std::size_t i = 0; i < facts.series.size() && facts.suspects.size() > 1; ++i) {
        auto marks = json::array();
        for (const auto& mark : facts.levels.empty() ? none : facts.levels[i]) {
            const auto hash_of = [&](int position) {
                return facts.suspects[static_cast<std::size_t>(position)].revision.str();
            };
            marks.push_back(
                {{"position", mark.commit},
                 {"revision", hash_of(mark.commit)},
                 {"change_ratio", mark.change},
                 {"runs", mark.runs},
                 {"same_product_as", mark.same_as ? json(hash_of(*mark.same_as)) : json()}});
        }
        all.push_back({{"series", facts.series[i].id.value}, {"levels", std::move(marks)}});
    }
    return object_response(
        {{"regression", id.value},
         {"commits", facts.suspects.empty() ? 0 : facts.suspects.size() - 1},
         {"series", std::move(all)}});
}

}  // namespace vigil::service
