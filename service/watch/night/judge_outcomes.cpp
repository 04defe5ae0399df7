#include "service/watch/night/judge_outcomes.hpp"

#include <optional>
#include <string>
#include <vector>

#include "service/store/events.hpp"
#include "service/store/series/night_suspicions.hpp"
#include "service/store/series/values.hpp"
#include "service/store/series/variants.hpp"
#include "service/store/work/night_runs.hpp"

namespace vigil::service {

namespace {

// The last night before whose runs of it count must have run: what has long been broken is no news.
std::optional<NightValues> find_good(
    Database& db, SeriesId series, const std::vector<NightlyId>& newest_first) {
    for (const auto night : newest_first) {
        if (is_left_out(db, night, series)) continue;
        auto nights = load_level(db, series, night);
        if (nights.empty() || nights.back().nightly != night) return std::nullopt;
        return nights.back();
    }
    return std::nullopt;
}

struct Stopped {
    SeriesId series;
    NightValues good;  ///< the last night in which it ran
};

// The first judged series that stands for the variant; nullopt: it did not run before either.
std::optional<Stopped> find_stopped(
    Database& db,
    const ProjectConfig& config,
    ProjectId project,
    const ClassVariant& variant,
    const std::vector<NightlyId>& nights_before) {
    for (const auto metric : config.judged) {
        const auto series = find_series(db, project, variant, metric);
        if (!series) continue;
        if (auto good = find_good(db, *series, nights_before)) return Stopped{*series, *good};
    }
    return std::nullopt;
}

}  // namespace

int judge_outcomes(
    Database& db, const ProjectConfig& config, const NightlyRow& nightly, std::int64_t now_s) {
    const auto silent = list_silent_variants(db, nightly.id);
    if (silent.empty()) return 0;
    const auto nights_before = list_nights_before(db, nightly, level_window);
    int opened = 0;
    for (const auto& one : silent) {
        const auto stopped = find_stopped(db, config, nightly.project, one.variant, nights_before);
        if (!stopped) continue;
        const auto reason = "it no longer runs: " + one.outcome +
                            (one.message.empty() ? "" : " (" + one.message + ")");
        const auto& good = stopped->good;
        const NewOutcomeSuspicion suspicion{
            stopped->series, nightly.id, good.nightly, good.value, reason};
        const auto id = add_outcome_suspicion(db, suspicion, now_s);
        record_event(
            db,
            now_s,
            "suspicion.opened",
            nightly.project,
            "suspicion/" + to_string(id),
            words_of(db, load_series(db, stopped->series)) + ": " + reason);
        ++opened;
    }
    return opened;
}

}  // namespace vigil::service
