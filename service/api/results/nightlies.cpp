#include <algorithm>

#include <nlohmann/json.hpp>

#include "schema/model/states.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/results/ratios.hpp"
#include "service/api/results/withdrawals.hpp"
#include "service/report/facts/night_facts.hpp"
#include "service/report/render/render_night.hpp"
#include "service/store/lists/lists.hpp"
#include "service/watch/confirm/night_budget.hpp"

namespace vigil::service {

namespace {

/// The search for the commit that broke the nightly's build; null where there was none.
nlohmann::json breakage_of(Database& db, NightlyId nightly) {
    const auto found = find_breakage(db, nightly);
    if (!found) return nullptr;
    nlohmann::json breakage = {
        {"bisection", found->bisection.value},
        {"state", to_string(found->state)},
        {"revision", nullptr},
        {"subject", nullptr},
        {"builds", found->builds},
        {"said", found->conclusion.summary},
        {"log_tail", found->log_tail}};
    if (found->culprit) {
        breakage["revision"] = found->culprit->str();
        breakage["subject"] = found->subject;
    }
    return breakage;
}

/// Regressions of the night's project that still ask somebody for something.
nlohmann::json open_of(const NightFacts& facts) {
    auto open = nlohmann::json::array();
    for (const auto& one : facts.regressions) {
        if (!is_open(one.state)) continue;
        open.push_back(
            {{"id", one.id.value},
             {"state", to_string(one.state)},
             {"title", one.title},
             {"culprit", one.culprit ? nlohmann::json(one.culprit->str()) : nlohmann::json()},
             {"new", one.tonight},
             {"found_day", one.found_night.substr(0, one.found_night.find('.'))},
             {"found_name", one.found_night}});
    }
    return open;
}

nlohmann::json missing_of(const NightFacts& facts) {
    auto missing = nlohmann::json::array();
    for (const auto& one : facts.missing) missing.push_back({{"what", one.what}, {"why", one.why}});
    return missing;
}

std::int64_t waiting_of(const NightFacts& facts) {
    return std::count_if(facts.changes.begin(), facts.changes.end(), [](const auto& change) {
        return !change.waits.empty();
    });
}

/// What the night's jobs cost so far, by purpose.
nlohmann::json spent_of(const NightFacts& facts) {
    auto spent = nlohmann::json::object();
    for (const auto& [purpose, work] : facts.work) {
        spent[std::string(to_string(purpose))] = {
            {"runs", work.runs}, {"machine_s", work.machine_s}};
    }
    return spent;
}

/// Runs for measuring again; null where the project is watched no more.
nlohmann::json confirm_runs_of(Database& db, const NightFacts& facts, const Config& config) {
    const auto project = config.projects.find(facts.project);
    if (project == config.projects.end()) return nullptr;
    const auto budget = load_budget(db, project->second, facts.id);
    return {{"limit", budget.limit()}, {"taken", budget.taken()}};
}

}  // namespace

void add_withdrawn(nlohmann::json& nightly, Database& db, const HandlerContext&) {
    nightly["withdrawn"] = withdrawals_of(db, NightlyId{nightly.at("id").get<std::int64_t>()});
}

http::Response get_nightly(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const Snapshot snapshot(db);
    const auto id = id_parameter(request);
    auto nightly = load_one(db, lists::nightlies, id);
    add_withdrawn(nightly, db, context);
    nightly["broken_by"] = breakage_of(db, NightlyId{id});
    return object_response(std::move(nightly));
}

http::Response get_night_summary(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const Snapshot snapshot(db);
    const auto id = id_parameter(request);
    auto nightly = load_one(db, lists::nightlies, id);
    add_withdrawn(nightly, db, context);
    auto summary = load_one(db, lists::summaries, id);
    summary.erase("id");
    for (const auto* part : {"jobs", "suspicions", "regressions"}) {
        summary[part] = std::move(nightly.at(part));
        nightly.erase(part);
    }
    summary["nightly"] = std::move(nightly);
    const auto facts = load_night_facts(db, NightlyId{id}, context.config);
    summary["measured"] = facts.measured_series;
    summary["compared"] = or_null(facts.compared_series);
    summary["first"] = facts.first_series;
    summary["open"] = open_of(facts);
    summary["missing"] = missing_of(facts);
    summary["waiting"] = waiting_of(facts);
    summary["spent"] = spent_of(facts);
    summary["confirm_runs"] = confirm_runs_of(db, facts, context.config);
    summary["ratios"] = night_ratios_of(db, NightlyId{id}, facts.project);
    summary["all_clear"] = is_all_clear(facts);
    return object_response(std::move(summary));
}

}  // namespace vigil::service
