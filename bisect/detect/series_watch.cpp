#include "bisect/detect/series_watch.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bisect/stats/summary.hpp"
#include "schema/model/error.hpp"

namespace vigil::detect {

namespace {

constexpr int watched_nights = 3;
constexpr std::size_t told_nights = 8;   // so long a session's finding is about the same change
constexpr std::size_t kept_nights = 64;  // more than anything looks back

bool is_deterministic(const SeriesNoise& noise, MetricKind kind) {
    return kind == MetricKind::memory && noise.run.spread <= least_spread;
}

}  // namespace

SeriesWatch::SeriesWatch(
    const WatchRules& rules, int first_build, const std::vector<std::vector<double>>& history)
    : rules_(rules), first_build_(first_build) {
    if (history.empty()) {
        throw Error(Errc::invalid_argument, "watching a series: it needs an earlier night");
    }
    rules_.trigger.threshold = rules.threshold;
    for (const auto& night : history) add_night(night);
}

void SeriesWatch::add_night(const std::vector<double>& values) {
    if (values.empty()) throw Error(Errc::invalid_argument, "watching a series: an empty night");
    SeriesNight night;
    for (const double value : values) {
        if (!(std::isfinite(value) && value > 0)) {
            throw Error(
                Errc::invalid_argument,
                fmt::format("watching a series: value {} is not above 0", value));
        }
        night.runs.push_back(badness(value, rules_.direction));
    }
    nights_.push_back(std::move(night));
}

WatchStep SeriesWatch::take_night(const std::vector<double>& values, double score) {
    if (waits_for_runs()) {
        throw Error(Errc::invalid_argument, "watching a series: a night while runs are awaited");
    }
    add_night(values);
    const std::size_t tonight = nights_.size() - 1;
    const std::size_t from = tonight > kept_nights ? tonight - kept_nights : 0;
    auto last = last_;
    if (last && last->night < from) last.reset();
    if (last) last->night -= from;
    trigger_ = judge_trigger(std::span(nights_).subspan(from), last, rules_.trigger, score);
    for (auto& night : trigger_.old_nights) night += from;
    if (watched_) return begin_session(watched_->old_nights);
    if (trigger_.suspicious) return begin_session(trigger_.old_nights);
    NightEnding none;
    none.reason = trigger_.reason;
    return {{}, none};
}

WatchStep SeriesWatch::begin_session(std::vector<std::size_t> old_nights) {
    old_nights_ = std::move(old_nights);
    runs_.clear();
    const bool exact = is_deterministic(trigger_.noise, rules_.kind);
    if (exact) old_nights_.resize(1);
    halves_ = !exact && trigger_.noise.run.spread > 0 && !watched_;
    return ask(0);
}

WatchStep SeriesWatch::ask(int from_run) {
    asked_.clear();
    const auto is_a = [](const SessionRun& run) { return run.side == Side::a; };
    auto a_runs = static_cast<std::size_t>(std::count_if(runs_.begin(), runs_.end(), is_a));
    // One pair is often enough to see that the night was to blame, not the build.
    const bool half = halves_ && from_run < 8;
    for (int place = from_run % 4; place < 4; ++place) {
        if (half && asked_.size() == 2) break;
        const Side side = block_order(from_run / 4)[static_cast<std::size_t>(place)];
        const std::size_t old = old_nights_[a_runs % old_nights_.size()];
        asked_.push_back(side == Side::b ? newest_build() : first_build_ + static_cast<int>(old));
        a_runs += side == Side::a ? 1 : 0;
    }
    return {asked_, {}};
}

WatchStep SeriesWatch::take_runs(const std::vector<double>& values) {
    if (asked_.empty() || values.size() != asked_.size()) {
        throw Error(
            Errc::invalid_argument,
            fmt::format("watching a series: {} values for {} runs", values.size(), asked_.size()));
    }
    std::vector<SessionRun> runs = runs_;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Side side = asked_[i] == newest_build() ? Side::b : Side::a;
        runs.push_back({side, static_cast<int>(runs.size()) / 4, values[i]});
    }
    const auto judgement = judge_session(runs, session_rules());
    runs_ = std::move(runs);
    asked_.clear();
    if (!judgement.decided || is_hasty(judgement)) return ask(static_cast<int>(runs_.size()));
    return end_session(judgement);
}

/// Few runs, and one side is far off where it was expected: the old build off its usual level, or
/// the new one off tonight's. An outlier, or the machine moved. More runs tell.
bool SeriesWatch::is_hasty(const SessionJudgement& judgement) const {
    if (!halves_ || runs_.size() >= 8 || judgement.verdict != Verdict::noise) return false;
    const SeriesNoise& noise = trigger_.noise;
    const double old_moved = judgement.level_of_old - trigger_.baseline;
    const double new_moved = old_moved + judgement.evidence.change;
    return old_moved > 4 * noise.night || trigger_.moved - new_moved > 3 * noise.run.spread;
}

SessionRules SeriesWatch::session_rules() const {
    SessionRules rules;
    rules.direction = rules_.direction;
    rules.threshold = rules_.threshold;
    rules.kind = rules_.kind;
    rules.run_noise = trigger_.noise.run.spread;
    rules.run_skew = trigger_.noise.run.skew;
    rules.max_blocks = rules_.max_blocks;
    rules.asked = Finding::worse;
    rules.old_builds = static_cast<int>(old_nights_.size());
    // A night that is itself above the threshold speaks for more patience.
    const bool above = trigger_.moved - trigger_.expected > std::log1p(rules_.threshold);
    rules.hopeless_at_once = above ? 0.02 : 0.05;
    rules.hopeless = above ? 0.04 : 0.07;
    if (watched_) {
        rules.earlier = watched_->evidence;
    } else if (last_ && !last_->environment && nights_.size() - 1 - last_->night <= told_nights) {
        rules.told = last_->evidence;
    }
    return rules;
}

/// Old and new moved alike, by more than this series' nights do: the machine did.
Verdict SeriesWatch::named(const SessionJudgement& judgement) const {
    if (judgement.verdict == Verdict::improvement) return Verdict::noise;
    if (judgement.verdict != Verdict::noise || watched_) return judgement.verdict;
    const double moved = judgement.level_of_old - trigger_.baseline;
    const double tau = std::log1p(rules_.threshold);
    const bool alike = moved > trigger_.moved / 2 && moved > tau / 2;
    return alike && moved > 3.5 * trigger_.noise.night ? Verdict::environment : Verdict::noise;
}

void SeriesWatch::remember(const SessionJudgement& judgement, Verdict verdict) {
    LastSession last;
    last.night = nights_.size() - 1;
    last.moved = judgement.level_of_old - trigger_.baseline;
    last.environment = verdict == Verdict::environment;
    const double change = judgement.evidence.variance > 0
                              ? judgement.evidence.change
                              : std::log1p(judgement.comparison.change_ratio);
    last.change = std::max(0.0, change - std::sqrt(judgement.evidence.variance));
    last.evidence = judgement.evidence;
    last_ = last;
}

WatchStep SeriesWatch::end_session(const SessionJudgement& judgement) {
    NightEnding ending;
    Verdict verdict = named(judgement);
    ending.old_build = first_build_ + static_cast<int>(old_nights_.front());
    ending.new_build = newest_build();
    ending.comparison = judgement.comparison;
    ending.reason = trigger_.reason + "; " + judgement.reason;
    remember(judgement, verdict);
    if (verdict == Verdict::watch) {
        const int so_far = watched_ ? watched_->nights : 0;
        nights_.back().good = false;
        if (so_far + 1 < watched_nights) {
            watched_ = Watched{old_nights_, judgement.evidence, so_far + 1};
        } else {
            watched_.reset();
        }
    } else {
        watched_.reset();
        if (verdict == Verdict::regression) nights_.back().good = false;
    }
    ending.verdict = verdict;
    return {{}, ending};
}

}  // namespace vigil::detect
