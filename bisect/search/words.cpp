#include "bisect/search/words.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bisect/search/rules.hpp"

namespace vigil::search {

namespace {

std::string commit_words(const Problem& problem, const std::vector<int>& commits) {
    std::string words;
    for (std::size_t i = 0; i < commits.size();) {
        std::size_t end = i + 1;
        while (end < commits.size() && commits[end] == commits[end - 1] + 1) ++end;
        words += (words.empty() ? "" : ", ") + problem.name(commits[i]);
        if (end - i > 1) words += " to " + problem.name(commits[end - 1]);
        i = end;
    }
    return (commits.size() == 1 ? "commit " : "commits ") + words;
}

/// What is looked for beside what is verified.
std::string hunt_words(const Problem& problem, const Assessment& series) {
    const auto& remaining = series.ending.remaining;
    if (series.built_only) return "making sure that no further change is there";
    if (!remaining) return "looking for further changes";
    return fmt::format(
        "looking for a further change of about {:+.1f} % in {}, which has the chance {:.2f}",
        100 * reported_ratio(
                  problem.series[static_cast<std::size_t>(series.ending.series)],
                  remaining->change_ratio),
        stretch_words(problem, remaining->first, remaining->last),
        remaining->probability);
}

}  // namespace

double reported_ratio(const SeriesSpec& spec, double sought_ratio) {
    return spec.better ? 1 / (1 + sought_ratio) - 1 : sought_ratio;
}

Comparison told_comparison(const SeriesSpec& spec, Comparison sought) {
    if (!spec.better) return sought;
    sought.change_ratio = reported_ratio(spec, sought.change_ratio);
    sought.low = std::exchange(sought.high, reported_ratio(spec, sought.low));
    sought.low = reported_ratio(spec, sought.low);
    if (sought.finding == Finding::worse) {
        sought.finding = Finding::better;
    } else if (sought.finding == Finding::better) {
        sought.finding = Finding::worse;
    }
    return sought;
}

void tell_ratios(const Problem& problem, Decision& decision) {
    const auto tell = [&](std::vector<SeriesEnding>& endings) {
        for (SeriesEnding& one : endings) {
            const SeriesSpec& spec = problem.series[static_cast<std::size_t>(one.series)];
            one.verified = told_comparison(spec, one.verified);
            if (auto& rest = one.remaining)
                rest->change_ratio = reported_ratio(spec, rest->change_ratio);
            if (!one.explained) continue;
            one.explained->whole_ratio = reported_ratio(spec, one.explained->whole_ratio);
            one.explained->rest_ratio = reported_ratio(spec, one.explained->rest_ratio);
            one.explained->rest_low = reported_ratio(spec, one.explained->rest_low);
            one.explained->rest_high = reported_ratio(spec, one.explained->rest_high);
            if (spec.better) std::swap(one.explained->rest_low, one.explained->rest_high);
        }
    };
    tell(decision.endings);
    tell(decision.further);
    tell(decision.verified);
}

std::string unmoved_words(const SeriesSpec& spec, double net, double least, double small) {
    const double ratio = reported_ratio(spec, std::expm1(net));
    if (spec.least_ratio > 0) {
        return fmt::format(
            "the ends differ by {:+.2f} %, P(less than {:.2f} %) {:.3f}",
            100 * ratio,
            100 * spec.least_ratio,
            small);
    }
    if (net <= -least) {
        return fmt::format(
            "the bad end is {} than the good one when measured again: {:+.2f} %",
            spec.better ? "worse" : "better",
            100 * ratio);
    }
    return fmt::format(
        "the ends do not differ when measured again: {:+.2f} %, P(below half the threshold) {:.3f}",
        100 * ratio,
        small);
}

std::string stretch_words(const Problem& problem, int first, int last) {
    if (first == last) return "commit " + problem.name(first);
    return fmt::format("commits {} to {}", problem.name(first), problem.name(last));
}

std::string likeliest_words(const Problem& problem, std::span<const double> posterior) {
    const auto likeliest = std::max_element(posterior.begin(), posterior.end());
    if (likeliest == posterior.end() || *likeliest < 0.5) return "";
    const auto commit = static_cast<int>(likeliest - posterior.begin()) + 1;
    return fmt::format(
        "most likely commit {}, with probability {:.2f}; ",
        problem.name(commit),
        std::min(*likeliest, 1.0));
}

std::string bound_words(const Problem& problem, const SeriesEnding& culprit) {
    if (!culprit.remaining) return "";
    return fmt::format(
        "; looking for what is left was ended at {:.0f} % of what the culprit cost",
        100 * problem.budget.further);
}

std::string standing_words(const Problem& problem, const Assessment& series) {
    std::string text;
    for (const SeriesEnding& one : series.verified) {
        text += fmt::format(
            "{} is verified ({:+.1f} %); ",
            stretch_words(problem, one.first, one.last),
            100 * reported_ratio(
                      problem.series[static_cast<std::size_t>(one.series)],
                      one.verified.change_ratio));
    }
    switch (series.need) {
        case Need::nothing: return text + "done";
        case Need::ends: return text + "measuring the ends";
        case Need::wait: return text + "waits for a series that moved with it";
        case Need::verify: return text + "verifying " + series.pair.why;
        case Need::search: break;
    }
    const auto& ending = series.ending;
    return text + (series.verified.empty() ? stretch_words(problem, ending.first, ending.last)
                                           : hunt_words(problem, series));
}

std::string why_words(
    const Problem& problem,
    const Line& line,
    const Assessment& series,
    int commit,
    int runs,
    double bits) {
    const int place = line.place(commit);
    const int before = series.evidence.runs_at(place);
    std::string does = "is the next probe";
    if (before > 0) {
        does = fmt::format(
            "again: after {} {} a change up to it has the chance {:.2f}",
            before,
            before == 1 ? "run" : "runs",
            1 - series.posterior->levels(place).p[0]);
    }
    return fmt::format(
        "{}commit {} {}; information gain {:.2f} bits from {}{} {}",
        series.verified.empty() ? "" : hunt_words(problem, series) + ": ",
        problem.name(commit),
        does,
        bits,
        runs == 1 ? "" : "up to ",
        runs,
        runs == 1 ? "run" : "runs");
}

std::string obstacles_before(
    const Problem& problem, const Availability& availability, int first, int last) {
    std::vector<int> failed;
    std::vector<int> untested;
    for (int commit = first; commit < last; ++commit) {
        if (availability.failed(commit)) failed.push_back(commit);
        if (availability.untested(commit)) untested.push_back(commit);
    }
    std::string words;
    if (!failed.empty()) words = commit_words(problem, failed) + " cannot be built or run";
    if (!untested.empty()) {
        words += (words.empty() ? "" : "; ") + commit_words(problem, untested) +
                 (untested.size() == 1 ? " was" : " were") + " not tried";
    }
    return words.empty() ? "none between them was measured by itself" : words;
}

std::string inseparable_words(
    const Problem& problem,
    const Availability& availability,
    const SeriesEnding& range,
    int from,
    int to) {
    return fmt::format(
        "{} cannot be told apart: {}; commits {} and {} were measured against each other",
        stretch_words(problem, range.first, range.last),
        obstacles_before(problem, availability, range.first, to),
        problem.name(from),
        problem.name(to));
}

std::string verified_words(const Comparison& verified) {
    if (std::isinf(verified.change_ratio))
        return fmt::format("0 before, {:g} after", verified.after);
    return fmt::format(
        "{:+.2f} % [{:+.2f}, {:+.2f}]",
        100 * verified.change_ratio,
        100 * verified.low,
        100 * verified.high);
}

}  // namespace vigil::search
