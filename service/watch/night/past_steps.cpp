#include "service/watch/night/past_steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "bisect/trend/past.hpp"
#include "service/store/series/drifts.hpp"
#include "service/store/series/levels.hpp"
#include "service/store/series/values.hpp"
#include "service/watch/series/series_records.hpp"

namespace vigil::service {

namespace {

constexpr int nights_looked_at = 730;
constexpr double same_step = 0.01;  // change ratio
constexpr NightlyId every_night{std::numeric_limits<std::int64_t>::max()};

class StepFinder {
  public:
    StepFinder(
        Database& db,
        const ProjectConfig& config,
        const SeriesRow& series,
        const JoinedNights& joined,
        std::int64_t now_s)
        : db_(db),
          config_(config),
          series_(series),
          joined_(joined),
          now_s_(now_s),
          nights_(load_history(db, series.id, every_night, nights_looked_at)) {}

    int find() {
        if (!has_joined_night()) return 0;
        find_certain();
        find_unsure();
        return listed_;
    }

  private:
    bool is_joined(NightlyId night) const {
        return night >= joined_.oldest && night <= joined_.newest;
    }

    bool has_joined_night() const {
        return std::any_of(nights_.begin(), nights_.end(), [&](const auto& night) {
            return is_joined(night.nightly);
        });
    }

    // Of the backfill, or where its nights meet the first one that was there before it.
    bool is_ours(std::size_t first) const {
        return is_joined(nights_[first].nightly) ||
               (first > 0 && is_joined(nights_[first - 1].nightly));
    }

    void find_certain() {
        // Where levels are known, what came before them is of no weight.
        const bool has_levels = !list_levels(db_, series_.id).empty();
        std::vector<double> values;
        for (const auto& night : nights_) values.push_back(night.value);
        for (const auto& change : trend::find_past_changes(values, series_.direction)) {
            if (!change.certain || !is_ours(change.first)) continue;
            NewDrift step = place("past", change.first, change.earliest, change.latest);
            step.before = change.before;
            step.after = change.after;
            step.change_ratio = change.change_ratio;
            step.low = change.low;
            step.high = change.high;
            list(step);
            if (has_levels) continue;
            const LevelRow level{.first_night = step.since, .after = std::nullopt};
            add_level(db_, series_.id, level, "a step found by a backfill", now_s_);
        }
    }

    // What tonight would be asked about already happened.
    void find_unsure() {
        const auto word = find_unanswered(db_, config_, series_);
        if (!word) return;
        const double threshold = threshold_of(config_, series_);
        if (word->is_optional && std::abs(word->change_ratio) <= threshold) return;
        const auto newest = nights_.size() - 1;
        const auto index = [&](const std::optional<std::int64_t>& id) {
            if (!id) return newest;
            const auto found = std::find_if(nights_.begin(), nights_.end(), [&](const auto& one) {
                return one.nightly.value >= *id;
            });
            return std::min(static_cast<std::size_t>(found - nights_.begin()), newest);
        };
        NewDrift step =
            place("unsure", index(word->since), index(word->earliest), index(word->latest));
        step.before = word->base;
        step.after = word->value;
        step.change_ratio = word->change_ratio;
        step.low = std::min(0.0, word->change_ratio);
        step.high = std::max(0.0, word->change_ratio);
        list(step);
        const LevelRow level{.first_night = step.since, .after = nights_[newest].nightly};
        add_level(db_, series_.id, level, "what the end of a backfill shows", now_s_);
    }

    NewDrift place(
        const char* kind, std::size_t since, std::size_t earliest, std::size_t latest) const {
        return {
            .series = series_.id,
            .nightly = joined_.newest,
            .kind = kind,
            .since = nights_[since].nightly,
            .earliest = nights_[earliest].nightly,
            .latest = nights_[latest].nightly,
            .suspicion = std::nullopt};
    }

    void list(const NewDrift& step) {
        if (is_listed(db_, step, same_step)) return;
        add_drift(db_, step, now_s_);
        ++listed_;
    }

    Database& db_;
    const ProjectConfig& config_;
    const SeriesRow& series_;
    JoinedNights joined_;
    std::int64_t now_s_;
    std::vector<NightValues> nights_;
    int listed_ = 0;
};

}  // namespace

int find_past_steps(
    Database& db,
    const ProjectConfig& config,
    SeriesId id,
    const JoinedNights& nights,
    std::int64_t now_s) {
    const auto series = load_series(db, id);
    if (!is_judged(config, series)) return 0;
    return StepFinder(db, config, series, nights, now_s).find();
}

}  // namespace vigil::service
