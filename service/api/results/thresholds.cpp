#include "service/api/results/thresholds.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <nlohmann/json.hpp>

#include "bisect/detect/series_loop.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/common/inner_call.hpp"
#include "service/store/lists/lists.hpp"
#include "service/store/series/series.hpp"
#include "service/store/series/sessions.hpp"
#include "service/watch/confirm/session.hpp"

namespace vigil::service {

namespace {

constexpr std::array requested_thresholds{0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3};
constexpr int most_suspicions = 200;

/// The runs behind one suspicion, as confirmation reads them; none where nothing was measured.
std::optional<MeasuredAgain> measured_again(Database& db, const nlohmann::json& suspicion) {
    if (suspicion.at("session").is_null()) return std::nullopt;
    const auto& asked = suspicion.at("asked");
    if (asked != "worse" && asked != "either") return std::nullopt;  // of no threshold
    const SessionId session{suspicion.at("session").get<std::int64_t>()};
    const auto series = load_series(db, SeriesId{suspicion.at("series").get<std::int64_t>()});
    MeasuredAgain found;
    found.runs =
        runs_in_blocks(list_session_jobs(db, session), list_session_values(db, session, series.id));
    const bool usable =
        std::ranges::all_of(found.runs, [](const auto& run) { return run.value >= 0; });
    if (found.runs.empty() || !usable) return std::nullopt;
    found.rules.direction = series.direction;
    found.rules.kind = kind_of(series.metric);
    found.rules.max_blocks = detect::LoopRules{}.max_blocks;
    found.rules.asked = Finding::worse;
    return found;
}

}  // namespace

ThresholdCounts count_at(const std::vector<MeasuredAgain>& measured, double threshold) {
    ThresholdCounts counts{.threshold = threshold};
    for (const auto& one : measured) {
        auto rules = one.rules;
        rules.threshold = threshold;
        rules.second_session = false;  // its runs are not there, and nothing is filed
        const auto said = detect::judge_session(one.runs, rules);
        const auto& change = said.comparison;
        const bool is_there = change.low > 0;
        const bool is_below = change.above <= detect::rule.hardly_above;
        const bool is_above = change.above >= detect::rule.filed;
        const auto said_so = [&](Verdict verdict) {
            return said.decided && said.verdict == verdict;
        };
        if (is_there && (is_above || said_so(Verdict::regression))) {
            ++counts.worse;
        } else if (is_there && (is_below || said_so(Verdict::drift))) {
            ++counts.drift;
        } else if (!is_there && (is_below || said_so(Verdict::noise))) {
            ++counts.not_there;
        } else {
            ++counts.undecided;
        }
    }
    return counts;
}

OtherThresholds load_thresholds(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {"project", "since", "since_s", "until", "until_s"});
    auto asked = request.query;
    asked["limit"] = std::to_string(most_suspicions);
    asked["state"] = "ended";
    const auto list = read_api(list_of<lists::suspicions>, request, db, context, asked, {});
    std::vector<MeasuredAgain> measured;
    for (const auto& suspicion : list.at("items")) {
        auto found = measured_again(db, suspicion);
        if (found) measured.push_back(std::move(*found));
    }
    OtherThresholds said{measured.size(), {}};
    for (const double threshold : requested_thresholds) {
        said.thresholds.push_back(count_at(measured, threshold));
    }
    return said;
}

http::Response get_thresholds(
    const http::Request& request, Database& db, const HandlerContext& context) {
    const auto said = load_thresholds(request, db, context);
    auto rows = nlohmann::json::array();
    for (const auto& counts : said.thresholds) {
        rows.push_back(
            {{"threshold", counts.threshold},
             {"worse", counts.worse},
             {"drift", counts.drift},
             {"not_there", counts.not_there},
             {"undecided", counts.undecided}});
    }
    return object_response({{"measured", said.measured}, {"thresholds", std::move(rows)}});
}

}  // namespace vigil::service
