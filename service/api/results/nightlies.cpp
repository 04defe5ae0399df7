#include <nlohmann/json.hpp>

#include "schema/model/states.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/fleet/hours.hpp"
#include "service/api/results/night_summary.hpp"
#include "service/api/results/ratios.hpp"
#include "service/api/results/withdrawals.hpp"
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

/// What the night's jobs cost so far, by purpose.
nlohmann::json spent_of(const NightFacts& facts) {
    auto spent = nlohmann::json::object();
    for (const auto& [purpose, work] : facts.work) {
        spent[std::string(to_string(purpose))] = {
            {"runs", work.runs}, {"machine_s", work.machine_s}};
    }
    return spent;
}

/// The same by machine class and work.
nlohmann::json machine_hours_of(const NightFacts& facts) {
    auto rows = nlohmann::json::array();
    for (const auto& one : facts.machine_time) rows.push_back(machine_time_json(one));
    return rows;
}

nlohmann::json budget_days_of(const NightFacts& facts) {
    auto days = nlohmann::json::array();
    for (const auto& one : facts.budget_days) {
        days.push_back(
            {{"day", one.day},
             {"hours", static_cast<double>(one.used_s) / 3600},
             {"limit_hours", one.limit_s / 3600},
             {"spent", one.is_spent()}});
    }
    return days;
}

/// Runs for measuring again.
nlohmann::json runs_json(const std::optional<detect::RunBudget>& budget) {
    if (!budget) return nullptr;
    return {{"limit", budget->limit()}, {"taken", budget->taken()}};
}

/// @param nightly  as `lists::nightlies` shows it
/// @param told     as `lists::summaries` does
NightSummary read_summary(
    Database& db,
    const HandlerContext& context,
    const nlohmann::json& nightly,
    const nlohmann::json& told) {
    NightSummary summary;
    const NightlyId id{nightly.at("id").get<std::int64_t>()};
    summary.facts = load_night_facts(db, id, context.config);
    for (const auto& [purpose, work] : summary.facts.work) {
        for (const auto& [state, count] : work.jobs)
            summary.jobs[std::string(to_string(state))] += count;
        for (const auto& [outcome, count] : work.outcomes)
            summary.outcomes[std::string(to_string(outcome))] += count;
    }
    summary.headline = headline_of(summary.facts);
    nightly.at("suspicions").get_to(summary.verdicts);
    if (told.at("report").is_object()) told.at("report").at("body").get_to(summary.report);
    const auto project = context.config.projects.find(summary.facts.project);
    if (project != context.config.projects.end()) {
        summary.again = load_budget(db, project->second, id);
    }
    summary.ratios = night_ratios_of(db, id, summary.facts.project);
    return summary;
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

NightSummary load_night_summary(Database& db, const HandlerContext& context, NightlyId id) {
    const Snapshot snapshot(db);
    const auto nightly = load_one(db, lists::nightlies, id.value);
    return read_summary(db, context, nightly, load_one(db, lists::summaries, id.value));
}

http::Response get_night_summary(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const Snapshot snapshot(db);
    const auto id = id_parameter(request);
    auto nightly = load_one(db, lists::nightlies, id);
    auto document = load_one(db, lists::summaries, id);
    const auto summary = read_summary(db, context, nightly, document);
    add_withdrawn(nightly, db, context);
    document.erase("id");
    for (const auto* part : {"jobs", "suspicions", "regressions"}) {
        document[part] = std::move(nightly.at(part));
        nightly.erase(part);
    }
    document["nightly"] = std::move(nightly);
    const auto& facts = summary.facts;
    document["measured"] = facts.measured_series;
    document["compared"] = or_null(facts.compared_series);
    document["first"] = facts.first_series;
    document["open"] = open_of(facts);
    document["missing"] = missing_of(facts);
    document["waiting"] = summary.headline.waiting;
    document["spent"] = spent_of(facts);
    document["machine_hours"] = machine_hours_of(facts);
    document["budget_days"] = budget_days_of(facts);
    document["confirm_runs"] = runs_json(summary.again);
    document["ratios"] = ratios_json(summary.ratios);
    document["headline"] = {
        {"standing", to_string(summary.headline.standing)},
        {"words", summary.headline.words},
        {"coverage", summary.headline.coverage}};
    document["all_clear"] = summary.headline.standing == NightStanding::all_clear;
    return object_response(std::move(document));
}

}  // namespace vigil::service
