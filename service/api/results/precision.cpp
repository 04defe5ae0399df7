#include "service/api/results/precision.hpp"

#include <nlohmann/json.hpp>

#include "service/api/common/filters.hpp"
#include "service/api/common/handlers.hpp"
#include "service/store/ids.hpp"

namespace vigil::service {

namespace {

nlohmann::json noisy_json(const NoisySeriesFact& one) {
    return {
        {"series", one.id.value},
        {"benchmark", one.benchmark},
        {"variant", one.variant},
        {"machine_class", one.machine_class},
        {"metric", to_string(one.metric)},
        {"not_reproduced", one.not_reproduced},
        {"undecided", one.undecided},
        {"runs", one.runs},
        {"spread_ratio", one.spread ? nlohmann::json(*one.spread) : nlohmann::json()}};
}

nlohmann::json precision_json(const PrecisionFacts& facts) {
    const auto seconds = [&](std::int64_t value) {
        return facts.timed > 0 ? nlohmann::json(value) : nlohmann::json();
    };
    const auto share = facts.upheld_share();
    const auto recall = facts.recall();
    auto noisiest = nlohmann::json::array();
    for (const auto& one : facts.noisiest) noisiest.push_back(noisy_json(one));
    return {
        {"since_s", facts.scope.since_s},
        {"until_s", facts.scope.until_s},
        {"nights", facts.nights},
        {"suspicions",
         {{"opened", facts.suspicions},
          {"checks", facts.checks},
          {"confirmed", facts.confirmed},
          {"drift", facts.drifts},
          {"not_reproduced", facts.not_reproduced},
          {"environment", facts.environment},
          {"improvement", facts.improvements},
          {"undecided", facts.undecided},
          {"waiting", facts.waited},
          {"open", facts.open}}},
        {"regressions",
         {{"opened", facts.regressions},
          {"upheld", facts.upheld},
          {"refuted", facts.refuted},
          {"not_found_again", facts.not_found_again},
          {"recovered", facts.recovered},
          {"upheld_share", share ? nlohmann::json(*share) : nlohmann::json()}}},
        {"recall",
         {{"found", facts.found},
          {"missed", facts.missed()},
          {"measuring", facts.told_measuring},
          {"undecided", facts.told_undecided},
          {"share", recall ? nlohmann::json(*recall) : nlohmann::json()}}},
        {"time_to_verdict",
         {{"verdicts", facts.timed},
          {"median_s", seconds(facts.median_verdict_s)},
          {"nine_of_ten_s", seconds(facts.slow_verdict_s)}}},
        {"runs",
         {{"nightly", facts.nightly_runs},
          {"confirm", facts.confirm_runs},
          {"search", facts.search_runs}}},
        {"noisiest", std::move(noisiest)}};
}

}  // namespace

PrecisionFacts load_precision(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {"project", "since", "since_s", "until", "until_s"});
    const Snapshot snapshot(db);
    PrecisionScope scope;
    const Filters filters(request, db, context.config);
    if (const auto name = filters.project()) {
        // Of a project that has no row yet there is nothing.
        scope.project = find_project(db, *name).value_or(ProjectId{0});
    }
    scope.since_s = filters.since_s().value_or(0);
    scope.until_s = filters.until_s().value_or(context.now_s + 1);
    return load_precision(db, scope);
}

http::Response get_precision(
    const http::Request& request, Database& db, const HandlerContext& context) {
    return object_response(precision_json(load_precision(request, db, context)));
}

}  // namespace vigil::service
