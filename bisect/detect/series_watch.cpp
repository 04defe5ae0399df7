#include "bisect/detect/series_watch.hpp"

#include <fmt/format.h>

#include "schema/model/error.hpp"

namespace vigil::detect {

SeriesWatch::SeriesWatch(
    const LoopRules& rules, int first_build, const std::vector<std::vector<double>>& history)
    : rules_(rules), record_(rules.direction), newest_build_(first_build - 1) {
    if (history.empty()) {
        throw Error(Errc::invalid_argument, "watching a series: it needs an earlier night");
    }
    for (const auto& night : history) {
        detect::take_night(record_, rules_, {++newest_build_, night});
        decline(record_);
    }
}

WatchStep SeriesWatch::take_night(const std::vector<double>& values) {
    if (waits_for_runs()) {
        throw Error(Errc::invalid_argument, "watching a series: a night while runs are awaited");
    }
    const auto word = detect::take_night(record_, rules_, {newest_build_ + 1, values});
    ++newest_build_;
    if (!word.asks) return {{}, NightEnding{}};
    reason_ = word.reason;
    runs_.clear();
    return ask();
}

WatchStep SeriesWatch::ask() {
    WatchStep step;
    asked_ = next_runs(*record_.question, runs_.size());
    for (const auto& run : asked_) {
        const auto old = static_cast<int>(record_.question->old_nights[run.old]);
        step.runs.push_back(run.side == Side::b ? newest_build_ : old);
    }
    return step;
}

WatchStep SeriesWatch::take_runs(const std::vector<double>& values) {
    if (asked_.empty() || values.size() != asked_.size()) {
        throw Error(
            Errc::invalid_argument,
            fmt::format("watching a series: {} values for {} runs", values.size(), asked_.size()));
    }
    std::vector<SessionRun> runs = runs_;
    for (std::size_t i = 0; i < values.size(); ++i) {
        runs.push_back({asked_[i].side, static_cast<int>(runs.size()) / 4, values[i]});
    }
    const auto word = judge_question(record_, rules_, runs);
    runs_ = std::move(runs);
    asked_.clear();
    if (!word.decided) return ask();
    NightEnding ending;
    ending.verdict = word.answer.verdict;
    ending.old_build = static_cast<int>(word.answer.old_nights.front());
    ending.new_build = newest_build_;
    ending.comparison = word.comparison;
    ending.reason = reason_ + "; " + word.reason;
    take_answer(record_, word.answer);
    return {{}, ending};
}

}  // namespace vigil::detect
