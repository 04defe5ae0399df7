#include "service/watch/night/undo_import.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/text/numbers.hpp"
#include "schema/wire/json.hpp"
#include "service/source/versions.hpp"
#include "service/store/findings/resting.hpp"
#include "service/store/ids.hpp"
#include "service/store/nights/rolled.hpp"
#include "service/store/nights/withdrawals.hpp"
#include "service/store/series/levels.hpp"
#include "service/store/series/records.hpp"
#include "service/store/series/suspicions.hpp"
#include "service/store/series/values.hpp"
#include "service/store/work/runs.hpp"
#include "service/store/workers.hpp"

namespace vigil::service {

namespace {

bool is_withdrawn(Database& db, const ImportUndo& plan) {
    return find_withdrawal(db, plan.nightly.id, std::nullopt) ||
           find_withdrawal(db, plan.nightly.id, plan.job.worker);
}

std::string refusal_of(Database& db, const ImportUndo& plan, const std::set<SeriesId>& measured) {
    if (const auto rolled = find_rolled_up(db, plan.nightly.id)) {
        return "its night was rolled up on " + day_of(rolled->at_s);
    }
    if (is_withdrawn(db, plan)) return "";
    const auto advice = fmt::format(
        "withdraw the night first (vigil night withdraw {} --reason ...)", plan.nightly.id.value);
    const auto regressions = list_regressions_on(db, plan.nightly.id, plan.job.id);
    if (!regressions.empty()) {
        const auto more = regressions.size() - 1;
        return fmt::format(
            "regression {}{} rests on it; {}",
            regressions.front().value,
            more == 0 ? "" : fmt::format(" and {} more", more),
            advice);
    }
    for (const auto& suspicion : list_unended(db, plan.nightly.id)) {
        if (!measured.contains(suspicion.series.id)) continue;
        return fmt::format(
            "suspicion {} of it is not decided yet; wait until the night is done, or {}",
            suspicion.id.value,
            advice);
    }
    return "";
}

// A level that the night's own answer began ends where nothing of the series is left in it.
void end_levels(Database& db, NightlyId nightly, const std::set<SeriesId>& measured) {
    for (const auto& level : list_answered_levels(db, nightly)) {
        if (!measured.contains(level.series)) continue;
        if (!find_night_value(db, level.series, nightly)) {
            note_level_use(db, level, LevelUse::withdrawn);
        }
    }
}

void tell(
    Database& db,
    const ImportUndo& plan,
    const std::string& reason,
    const std::string& by,
    std::int64_t now_s) {
    const nlohmann::json data = {
        {"by", by},
        {"reason", reason},
        {"import", plan.import.id.value},
        {"readings", plan.readings},
        {"series", plan.series.size()}};
    const auto words = fmt::format(
        "import {} of nightly {} ({}) is undone by {}: {} gone{}",
        plan.import.id.value,
        plan.nightly.id.value,
        plan.nightly.name,
        by,
        text::counted(plan.readings, "reading"),
        reason.empty() ? "" : ": " + reason);
    record_nightly_event(
        db, plan.nightly, "nightly.import_undone", words, now_s, wire::write_json(data));
}

}  // namespace

ImportUndo plan_undo(Database& db, const Config& config, ImportId id) {
    ImportUndo plan;
    plan.import = load_import(db, id);
    plan.nightly = load_nightly(db, plan.import.nightly);
    plan.job = load_job(db, plan.import.job);
    plan.readings = count_runs(db, plan.job.id);
    std::set<SeriesId> measured;
    for (const auto series : list_job_series(db, plan.job.id)) {
        measured.insert(series);
        if (has_values_beside(db, series, plan.job.id) || has_findings(db, series)) continue;
        plan.series.push_back(load_series(db, series));
    }
    const auto machine_class = plan.job.machine_class;
    const auto is_free = [&](std::optional<ProjectId> project) {
        return !has_series_beside(db, plan.series, machine_class, project) &&
               !has_import_beside(db, plan.job.id, machine_class, project);
    };
    const auto worker = plan.job.worker.value();
    plan.worker = is_free(plan.import.project) && !was_withdrawn(db, worker);
    plan.machine_class =
        plan.worker && is_free(std::nullopt) && !has_worker_beside(db, worker, machine_class) &&
        !config.machine_classes.contains(load_machine_class_name(db, machine_class));
    plan.refusal = refusal_of(db, plan, measured);
    return plan;
}

void undo_import(
    Database& db,
    const ImportUndo& plan,
    const std::string& reason,
    const std::string& by,
    std::int64_t now_s) {
    if (!plan.refusal.empty()) {
        throw Error(
            Errc::conflict,
            "import " + to_string(plan.import.id) + " is not undone: " + plan.refusal);
    }
    const auto nightly = plan.nightly.id;
    const auto series = list_job_series(db, plan.job.id);
    mark_stale(db, nightly, plan.job.worker);
    remove_runs(db, plan.job.id);
    remove_imports(db, plan.import);
    remove_job(db, plan.job.id);
    end_levels(db, nightly, {series.begin(), series.end()});
    for (const auto& one : plan.series) remove_series(db, one.id);
    if (plan.worker) remove_stand_in(db, plan.job.worker.value());
    if (plan.machine_class) remove_machine_class(db, plan.job.machine_class);
    if (plan.nightly.compared_series) note_unsummed(db, nightly);
    tell(db, plan, reason, by, now_s);
}

}  // namespace vigil::service
