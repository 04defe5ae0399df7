#include "bisect/detect/series_answer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bisect/detect/rules.hpp"
#include "schema/model/error.hpp"

namespace vigil::detect {

namespace {

constexpr std::size_t block_runs = 4;

double tau_of(const LoopRules& rules) {
    return std::log1p(rules.threshold());
}

Hopeless hopeless_of(const Question& question, const LoopRules& rules) {
    switch (question.asked) {
        case Asked::better: return rule.hopeless_if_better;
        case Asked::recovered: return rule.hopeless_if_recovered;
        case Asked::either: return rule.hopeless_if_either;
        case Asked::worse: break;
    }
    const bool above = question.moved - question.expected > tau_of(rules);
    return above ? rule.hopeless_if_above : rule.hopeless;
}

Finding finding_asked(Asked asked) {
    switch (asked) {
        case Asked::better: return Finding::better;
        case Asked::either: return Finding::unknown;
        case Asked::worse:
        case Asked::recovered: break;
    }
    return Finding::worse;
}

SessionRules session_rules(
    const SeriesRecord& record, const Question& question, const LoopRules& rules) {
    SessionRules session;
    session.direction = rules.direction;
    session.threshold = rules.threshold();
    session.kind = rules.kind;
    session.run_noise = question.run.spread;
    session.run_skew = question.run.skew;
    session.max_blocks = question.asked == Asked::better ? rule.better_blocks : rules.max_blocks;
    session.asked = finding_asked(question.asked);
    session.old_builds = static_cast<int>(question.old_nights.size());
    session.hopeless = hopeless_of(question, rules);
    if (question.asked == Asked::recovered) session.least_blocks = rule.recovered_blocks;
    const auto& going_on = record.going_on;
    if (going_on && going_on->evidence.variance > 0) {
        session.earlier = going_on->evidence;
    } else if (
        record.last && !record.last->environment && question.asked != Asked::recovered &&
        nights_after(record.nights, record.last->night) <= rule.told_nights) {
        session.told = record.last->evidence;
    }
    return session;
}

/// Few runs, and one side is far off where it was expected: the old build off its usual level, or
/// the new one off tonight's. An outlier, or the machine moved. More runs tell.
bool is_hasty(const Question& question, const SessionJudgement& judgement, std::size_t runs) {
    if (!question.in_halves || runs >= rule.runs_in_halves || judgement.verdict != Verdict::noise) {
        return false;
    }
    const double old_moved = judgement.level_of_old - question.baseline;
    const double new_moved = old_moved + judgement.evidence.change;
    return old_moved > rule.hasty_nights * question.night_spread ||
           question.moved - new_moved > rule.hasty_runs * question.run.spread;
}

/// Not recovered: most likely still above the threshold. A later night asks again.
bool is_refused(const Question& question, const SessionJudgement& judgement, std::size_t runs) {
    return question.asked == Asked::recovered && runs > 0 && runs % block_runs == 0 &&
           judgement.comparison.above >= rule.still_there;
}

/// Old and new moved alike, by more than this series' nights do: the machine did.
bool moved_alike(const Question& question, double old_moved, const LoopRules& rules) {
    return rules.nights_compare() && old_moved > question.moved / 2 &&
           old_moved > tau_of(rules) / 2 &&
           old_moved > rule.machine_spreads * question.night_spread;
}

Verdict verdict_of(
    const SeriesRecord& record,
    const Question& question,
    const SessionJudgement& judgement,
    double old_moved,
    const LoopRules& rules) {
    const Verdict verdict = judgement.verdict;
    switch (question.asked) {
        case Asked::recovered:
            if (verdict == Verdict::noise || verdict == Verdict::improvement) return Verdict::fixed;
            // As worse as it was filed: nothing new.
            return verdict == Verdict::regression ? Verdict::noise : verdict;
        case Asked::better:
            // What looked better and is worse is asked once more, as that.
            return verdict == Verdict::regression ? Verdict::watch : verdict;
        case Asked::either: return verdict;
        case Asked::worse: break;
    }
    if (verdict == Verdict::improvement) return Verdict::noise;
    const bool can_move = verdict == Verdict::noise && !record.going_on;
    return can_move && moved_alike(question, old_moved, rules) ? Verdict::environment : verdict;
}

/// What a session that filed nothing leaves for the next nights.
LastSession last_of(const SeriesRecord& record, const Answer& answer) {
    LastSession last;
    last.night = record.ids.back();
    last.moved = answer.old_moved;
    last.environment = answer.verdict == Verdict::environment;
    last.change = std::max(0.0, answer.evidence.change - std::sqrt(answer.evidence.variance));
    last.evidence = answer.evidence;
    return last;
}

void go_on_tomorrow(
    SeriesRecord& record, const std::optional<GoingOn>& before, const Answer& answer) {
    GoingOn next = before.value_or(GoingOn{});
    next.asked = answer.asked;
    next.is_creep = answer.is_creep;
    next.old_nights = answer.old_nights;
    next.sum = answer.sum;
    if (answer.evidence.variance > 0) {
        next.evidence = answer.evidence;
        next.above = answer.above;
    }
    if (answer.is_measured) {
        ++next.measured;
        next.waited = 0;
        next.moved = answer.moved;
        // What looked better and came out worse is tomorrow's question.
        if (answer.asked == Asked::better && answer.above > rule.likely_above)
            next.asked = Asked::worse;
    } else {
        if (answer.asked == Asked::either) return;  // the next night chooses anew
        next.moved = (next.moved * next.waited + answer.moved) / (next.waited + 1);
        ++next.waited;
    }
    if (next.measured < rule.watched_nights) record.going_on = next;
}

void refuse(std::optional<Refused>& refused, std::int64_t night, double sum) {
    refused = Refused{night, refused ? refused->times + 1 : 0, sum};
}

void refute_tonight(SeriesRecord& record) {
    record.shape.kept.refuted = record.shape.kept.size();
}

std::optional<NewLevel> settle(SeriesRecord& record, const Answer& answer) {
    const std::int64_t tonight = record.ids.back();
    if (answer.is_creep) refuse(record.creep_refused, tonight, answer.sum);
    switch (answer.verdict) {
        case Verdict::regression:
        case Verdict::improvement:
        case Verdict::fixed:
            start_level(record, tonight);
            return NewLevel{tonight, std::string(to_string(answer.verdict)) + " confirmed"};
        case Verdict::unconfirmed:
            start_level(record, tonight);
            return NewLevel{tonight, "it could not be measured again"};
        default: refute_tonight(record); return std::nullopt;
    }
}

}  // namespace

std::vector<WantedRun> next_runs(const Question& question, std::size_t runs) {
    std::vector<WantedRun> wanted;
    // Of whole blocks half of the runs are of the old builds.
    std::size_t old_runs = runs / 2;
    const auto block = static_cast<int>(runs / block_runs);
    for (auto place = runs % block_runs; place < block_runs; ++place) {
        if (question.in_halves && runs < rule.runs_in_halves && wanted.size() == 2) break;
        const Side side = block_order(block)[place];
        const std::size_t old = side == Side::a ? old_runs++ % question.old_nights.size() : 0;
        wanted.push_back({side, old});
    }
    return wanted;
}

SessionWord judge_question(
    const SeriesRecord& record,
    const LoopRules& rules,
    std::span<const SessionRun> runs,
    bool same_source) {
    VIGIL_ASSERT(record.question.has_value());
    const Question& question = *record.question;
    const auto judgement = judge_session(runs, session_rules(record, question, rules));
    SessionWord word;
    word.comparison = judgement.comparison;
    word.reason = judgement.reason;
    word.decided = judgement.decided && !is_hasty(question, judgement, runs.size());
    const bool refused = is_refused(question, judgement, runs.size());
    word.answer = answer_without_runs(record, Verdict::watch);
    if (runs.empty()) return word;
    word.answer.is_measured = true;
    word.answer.above = judgement.comparison.above;
    word.answer.evidence = judgement.evidence;
    if (!(judgement.evidence.variance > 0)) {  // exact: what was seen is so
        word.answer.evidence.change = log_of_change(judgement.comparison.change_ratio);
    }
    word.answer.old_moved = rules.nights_compare() ? judgement.level_of_old - question.baseline : 0;
    if (refused) {
        word.decided = true;
        word.answer.verdict = Verdict::noise;
        word.reason += "; as bad as it was";
        return word;
    }
    if (!word.decided) return word;
    word.answer.verdict = verdict_of(record, question, judgement, word.answer.old_moved, rules);
    if (same_source && word.answer.verdict == Verdict::regression) {
        word.answer.verdict = Verdict::environment;
        word.reason += "; both builds are of one revision";
    }
    if (word.answer.verdict == Verdict::environment && !same_source) {
        word.reason += "; the old build lies off its own nights too: the machine moved";
    }
    return word;
}

Answer answer_without_runs(const SeriesRecord& record, Verdict verdict) {
    VIGIL_ASSERT(record.question.has_value());
    const Question& question = *record.question;
    Answer answer;
    answer.verdict = verdict;
    answer.asked = question.asked;
    answer.is_creep = question.is_creep;
    answer.old_nights = question.old_nights;
    answer.moved = question.moved;
    answer.sum = question.sum;
    return answer;
}

std::optional<NewLevel> take_answer(SeriesRecord& record, const Answer& answer) {
    record.question.reset();
    const auto going_on = std::exchange(record.going_on, std::nullopt);
    if (answer.verdict == Verdict::watch) {
        if (answer.is_measured) {
            record.last = last_of(record, answer);
            record.nights.back().good = false;
        }
        go_on_tomorrow(record, going_on, answer);
        return std::nullopt;
    }
    const bool is_about_recovery = answer.asked == Asked::recovered;
    if (is_about_recovery && answer.verdict != Verdict::fixed) {
        refuse(record.recovery_refused, record.ids.back(), 0);
        return std::nullopt;
    }
    if (answer.is_measured || answer.verdict == Verdict::environment) {
        record.last = last_of(record, answer);
    }
    return settle(record, answer);
}

void start_level(SeriesRecord& record, std::int64_t first_night, bool forgets) {
    const auto first = std::lower_bound(record.ids.begin(), record.ids.end(), first_night);
    const auto newest = static_cast<std::size_t>(record.ids.end() - first);
    trend::LevelWatch shape(std::move(record.shape));
    shape.start_level(newest);
    record.shape = shape.take_state();
    record.level_nights = newest;
    record.level_begin = first_night;
    record.first.clear();
    ++record.era;
    if (forgets) {
        std::erase_if(record.nights, [&](const auto& night) { return night.id < first_night; });
    }
    for (auto& night : record.nights) {
        if (night.id < first_night) continue;
        night.era = record.era;
        night.good = true;
        if (record.first.size() < rule.oldest_nights) record.first.push_back(night.level);
    }
    record.last.reset();
    record.going_on.reset();
    record.creep_refused.reset();
    record.recovery_refused.reset();
}

}  // namespace vigil::detect
