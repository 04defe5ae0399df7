#include "bisect/detect/series_loop.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "bisect/detect/creep.hpp"
#include "bisect/detect/rules.hpp"
#include "bisect/detect/series_answer.hpp"
#include "bisect/detect/worth.hpp"
#include "bisect/stats/summary.hpp"
#include "schema/model/error.hpp"

namespace vigil::detect {

namespace {

constexpr std::size_t kept_nights = 48;  // more than anything looks back

bool is_exact(const RunNoise& run, MetricKind kind) {
    return !moves_with_layout(kind) && run.spread <= rule.least_spread;
}

double value_of(double badness_level, Direction direction) {
    return value_of_log(direction == Direction::lower_is_better ? badness_level : -badness_level);
}

std::vector<double> badness_of(std::span<const double> values, const LoopRules& rules) {
    std::vector<double> levels;
    levels.reserve(values.size());
    for (const double value : values) {
        const bool zero = value == 0 && rules.kind != MetricKind::time;
        if (!(std::isfinite(value) && (value > 0 || zero))) {
            throw Error(
                Errc::invalid_argument,
                fmt::format("watching a series: value {} is none of it", value));
        }
        levels.push_back(badness(value, rules.direction));
    }
    return levels;
}

/// Tonight, as the rules look at it.
struct Tonight {
    SeriesRecord& record;
    const LoopRules& rules;
    const LoopNight& night;
    RunNoise run;  ///< of the nights before
    trend::NightFinding finding;
    BarCheck bar_check;
    double tau = 0;

    std::span<const SeriesNight> level() const { return newest_level(record.nights); }
    double tonight() const { return record.nights.back().level; }
    bool nights_tell() const {
        return level().size() > rule.enough_nights && bar_check.noise.night <= rule.too_noisy * tau;
    }
};

bool differs(const RunNoise& known, const RunNoise& used) {
    if (known.spread == 0 || used.spread == 0) return known.spread != used.spread;
    return std::abs(std::log(known.spread / used.spread)) > rule.relevelled ||
           std::abs(known.skew - used.skew) > rule.relevelled;
}

/// Nights are levelled anew when more is known of how their runs scatter.
void level_anew(SeriesRecord& record, const RunNoise& run) {
    if (!differs(run, record.levels_by)) return;
    record.levels_by = run;
    for (auto& night : record.nights) {
        night.level = level_of(night.middle, night.scatter, run).value_or(night.level);
    }
}

/// Takes the night into the record.
Tonight remember(SeriesRecord& record, const LoopRules& rules, const LoopNight& night) {
    if (night.runs.empty()) {
        throw Error(Errc::invalid_argument, "watching a series: an empty night");
    }
    if (!record.ids.empty() && night.id <= record.ids.back()) {
        throw Error(Errc::invalid_argument, "watching a series: a night that is not the newest");
    }
    const auto runs = badness_of(night.runs, rules);
    Tonight tonight{record, rules, night, run_noise_of(record.nights), {}, {}, 0};
    tonight.tau = std::log1p(rules.threshold());
    record.question.reset();

    trend::LevelWatch shape(std::move(record.shape));
    tonight.finding = shape.append(stats::median(night.runs));
    record.shape = shape.take_state();
    record.ids.push_back(night.id);
    while (record.ids.size() > record.shape.kept.size()) record.ids.erase(record.ids.begin());

    SeriesNight own;
    own.id = night.id;
    level_anew(record, tonight.run);
    own.level = level_of(runs, tonight.run);
    own.middle = stats::median(runs);
    own.scatter = scatter_of(runs);
    own.era = record.era;
    record.nights.push_back(own);
    if (record.nights.size() > kept_nights) record.nights.erase(record.nights.begin());
    if (record.level_nights++ == 0) record.level_begin = night.id;
    if (record.level_nights <= rule.oldest_nights) record.first.push_back(own.level);
    return tonight;
}

Question ask(const Tonight& tonight, Asked asked, std::vector<std::int64_t> old_nights) {
    const auto& bar_check = tonight.bar_check;
    Question question;
    question.asked = asked;
    question.old_nights = std::move(old_nights);
    question.run = tonight.rules.nights_compare() ? tonight.run : RunNoise{};
    question.night_spread = bar_check.noise.night;
    question.baseline = bar_check.baseline;
    question.moved = bar_check.moved;
    question.expected = bar_check.expected;
    const bool exact = is_exact(tonight.run, tonight.rules.kind);
    if (exact) question.old_nights.resize(1);
    const bool in_haste = asked == Asked::worse || asked == Asked::better;
    question.in_halves = in_haste && !exact && question.run.spread > 0;
    return question;
}

std::vector<std::int64_t> usual_nights(const Tonight& tonight) {
    return choose_old_nights(tonight.level(), tonight.bar_check, tonight.rules.threshold());
}

Question ask(const Tonight& tonight, Asked asked) {
    return ask(tonight, asked, usual_nights(tonight));
}

/// What was measured and undecided is asked of tonight's build, whatever tonight says; what waited
/// for its turn only where tonight still looks like it.
std::optional<Question> go_on(const Tonight& tonight, NightWord& word) {
    if (!tonight.record.going_on) return std::nullopt;
    const auto& before = *tonight.record.going_on;
    const double moved = tonight.bar_check.moved;
    const bool same_way = (before.moved > 0) == (moved > 0);
    const bool still = same_way && std::abs(moved) > tonight.tau / 2;
    const bool raised = tonight.bar_check.suspicious && before.asked == Asked::worse;
    if (before.measured == 0 && !still && !raised) {
        word.lapsed = true;
        return std::nullopt;
    }
    auto question = ask(tonight, before.asked, before.old_nights);
    question.is_creep = before.is_creep;
    question.sum = before.sum;
    question.in_halves = question.in_halves && before.measured == 0;
    return question;
}

/// The regression whose old level tonight resembles: of several the one that is nearest.
const OpenRegression* find_recovered(const Tonight& tonight) {
    const auto& refused = tonight.record.recovery_refused;
    if (refused) {
        const auto rest =
            static_cast<std::size_t>(1 << std::min(refused->times, rule.most_doublings));
        if (nights_after(tonight.record.nights, refused->night) <= rest) return nullptr;
    }
    // Against its own old level, or, where the machine moved since, as far below what is usual now.
    const auto beyond = [&](const OpenRegression& one, double level) {
        const double half = (one.after - one.before) / 2;
        return std::max(one.before, tonight.bar_check.baseline - 2 * half) + half - level;
    };
    const auto level = tonight.level();
    const double spread = tonight.bar_check.noise.night;
    const double alike = std::sqrt((1 + tonight.bar_check.noise.memory) / 2);
    const OpenRegression* nearest = nullptr;
    for (const auto& one : tonight.night.open) {
        const double now = beyond(one, tonight.tonight());
        const bool sure = now > rule.surely_recovered * spread;
        const double both = (now + beyond(one, level[level.size() - 2].level)) / 2;
        const bool twice = now > 0 && both > rule.twice_recovered * alike * spread;
        if (!sure && !twice) continue;
        const double away = std::abs(tonight.tonight() - one.before);
        if (nearest == nullptr || away < std::abs(tonight.tonight() - nearest->before)) {
            nearest = &one;
        }
    }
    return nearest;
}

bool looks_better(const Tonight& tonight) {
    const bool by_shape = tonight.finding.change && !tonight.finding.change->worse;
    const double bar = std::max(tonight.tau, rule.better_spreads * tonight.bar_check.noise.night);
    return tonight.bar_check.moved < -bar ||
           (by_shape && tonight.bar_check.moved < -tonight.tau / 2);
}

/// What the level has drifted since its first nights, or since the pinned one.
std::optional<Creep> find_sum(const Tonight& tonight) {
    const auto& record = tonight.record;
    const auto values = level_values(record);
    CreepInput input;
    input.level = values;
    if (values.size() < record.level_nights) input.oldest = record.first;
    const auto& pinned = tonight.night.pinned;
    if (pinned && pinned->id >= record.level_begin) input.pinned = pinned->value;
    input.memory = tonight.bar_check.noise.memory;
    input.direction = tonight.rules.direction;
    input.threshold = tonight.rules.threshold();
    auto creep = find_creep(input);
    if (!creep) return std::nullopt;
    const auto& refused = record.creep_refused;
    const bool rests = refused && nights_after(record.nights, refused->night) < rule.creep_rest;
    const double sum = log_of_change(creep->change_ratio);
    // What the machine added a while ago is no sum of changes.
    const auto& last = record.last;
    const double machine =
        last && last->environment ? std::max(0.0, tonight.bar_check.expected) : 0;
    if (sum - machine <= tonight.tau) return std::nullopt;
    if (rests && sum < refused->sum + rule.creep_growth * tonight.tau) return std::nullopt;
    return creep;
}

std::optional<Question> ask_about_sum(const Tonight& tonight, NightWord& word) {
    const auto creep = find_sum(tonight);
    if (!creep) return std::nullopt;
    const auto& ids = tonight.record.ids;
    const std::size_t begin = ids.size() - level_values(tonight.record).size();
    auto question = ask(tonight, Asked::worse, {ids[begin + creep->begin]});
    question.is_creep = !creep->is_step;
    question.sum = log_of_change(creep->change_ratio);
    word.base = creep->base;
    word.change_ratio = change_ratio(creep->base, word.value, tonight.rules.direction);
    word.since = ids[begin + creep->begin + 1];
    word.earliest = word.since;
    word.latest = tonight.night.id;
    word.reason = creep->reason;
    return question;
}

/// The nights that the shape's finding speaks of, as far as they are remembered.
void name_since(const Tonight& tonight, NightWord& word) {
    std::optional<trend::Since> since = tonight.finding.since;
    if (const auto& change = tonight.finding.change) {
        since = trend::Since{change->first, change->earliest, change->latest};
    }
    const auto& ids = tonight.record.ids;
    const auto& positions = tonight.record.shape.kept.night;
    if (!since || word.since || since->earliest < positions.front()) return;
    const auto named = [&](std::size_t position) {
        const auto at = std::lower_bound(positions.begin(), positions.end(), position);
        return ids[static_cast<std::size_t>(at - positions.begin())];
    };
    word.since = named(since->first);
    word.earliest = named(since->earliest);
    word.latest = named(since->latest);
}

/// Whose turn it is when the night has no runs for all.
void weigh(const Tonight& tonight, NightWord& word) {
    double spread = tonight.bar_check.noise.night;
    const bool known =
        !moves_with_layout(tonight.rules.kind) || tonight.level().size() > rule.known_nights;
    if (!known) spread = std::max(spread, rule.usual_noise);
    word.moved = log_of_change(word.change_ratio);
    int seen = 1;
    const auto& before = tonight.record.going_on;
    if (before && before->measured == 0) {
        seen += before->waited;
        word.moved += (before->moved - word.moved) * before->waited / seen;
    }
    const bool by_zero = word.base == 0 || word.value == 0;  // beyond every usual change
    word.chance = by_zero ? 1 : chance_above(std::abs(word.moved), spread, tonight.tau, seen);
    if (before && before->evidence.variance > 0 && before->evidence.change > 0) {
        word.chance = before->above;  // what was measured says more than nights do
    }
    if (before) word.waited = before->waited;
}

/// The night before ended as the machine's move, and tonight is no news beside it.
bool has_stayed(const Tonight& tonight) {
    const auto& last = tonight.record.last;
    const auto level = tonight.level();
    return last && last->environment && last->night == level[level.size() - 2].id &&
           tonight.bar_check.moved > last->moved / 2;
}

std::optional<Question> find_question(const Tonight& tonight, NightWord& word) {
    const auto& bar_check = tonight.bar_check;
    const auto because = [&](const char* why) { word.reason = reason_of(bar_check) + why; };
    if (auto question = go_on(tonight, word)) {
        because("; undecided the night before");
        return question;
    }
    tonight.record.going_on.reset();
    if (bar_check.suspicious) {
        const bool by_shape =
            !bar_check.by_two && bar_check.moved - bar_check.expected <= bar_check.bar;
        because(
            bar_check.by_two ? ", or of two nights together"
            : by_shape       ? "; the newest nights together fit a step"
                             : "");
        return ask(tonight, Asked::worse);
    }
    if (const auto* open = find_recovered(tonight)) {
        because("; it looks as before a regression that is open");
        return ask(tonight, Asked::recovered, {open->good_night});
    }
    if (looks_better(tonight)) {
        because("; it looks better");
        return ask(tonight, Asked::better);
    }
    if (auto question = ask_about_sum(tonight, word)) return question;
    if (tonight.rules.nights_compare() || tonight.nights_tell()) return std::nullopt;
    word.is_optional = true;
    word.reason =
        "the earlier nights are too few or scatter too much to tell; measured in turns all the "
        "same";
    return ask(tonight, Asked::either);
}

}  // namespace

NightWord take_night(SeriesRecord& record, const LoopRules& rules, const LoopNight& night) {
    auto tonight = remember(record, rules, night);
    NightWord word;
    word.value = stats::median(night.runs);
    word.score = tonight.finding.suspicion;
    if (tonight.level().size() < 2) {
        record.going_on.reset();
        word.is_first = true;
        return word;
    }
    auto& bar_check = tonight.bar_check;
    bar_check = check_bar(record.nights, tonight.run, record.last, rules.bar, word.score);
    word.bar = bar_check;
    word.nights_tell = tonight.nights_tell();
    if (word.nights_tell) word.usual_night = usual_nights(tonight).front();
    word.base = value_of(bar_check.baseline, rules.direction);
    word.change_ratio = change_of_log(bar_check.moved);
    word.stands_out = bar_check.moved > std::clamp(
                                            rule.outstanding * bar_check.noise.night,
                                            rule.least_outstanding * tonight.tau,
                                            tonight.tau) ||
                      bar_check.moved < -tonight.tau;
    record.question = find_question(tonight, word);
    if (!record.question) {
        if (has_stayed(tonight)) {
            word.new_level = record.last->night;
            start_level(record, *word.new_level);
        }
        return word;
    }
    word.asks = true;
    name_since(tonight, word);
    weigh(tonight, word);
    return word;
}

void decline(SeriesRecord& record) {
    record.question.reset();
}

std::span<const double> level_values(const SeriesRecord& record) {
    const std::span raw(record.shape.kept.raw);
    return raw.last(std::min(raw.size(), record.level_nights));
}

}  // namespace vigil::detect
