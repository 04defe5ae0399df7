#include "service/watch/search/causes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "bisect/search/rules.hpp"

namespace vigil::service {

namespace {

using search::Ending;
using search::SeriesEnding;
using Where = std::tuple<Ending, int, int>;

Where place_of(const SeriesEnding& ending) {
    return {ending.ending, ending.first, ending.last};
}

// A further change that is a cause like the largest. Inside of a merge no stretch is: what its
// commits do not show alone is the merge.
bool is_a_cause(const SeriesEnding& further, bool inside) {
    return further.stands_alone && (!inside || further.ending == Ending::culprit);
}

bool holds_series(const Cause& cause, int series) {
    return std::any_of(cause.endings.begin(), cause.endings.end(), [&](const auto& ending) {
        return ending.series == series;
    });
}

bool share_a_series(const Cause& a, const Cause& b) {
    return std::any_of(a.endings.begin(), a.endings.end(), [&](const auto& ending) {
        return holds_series(b, ending.series);
    });
}

constexpr double surely = 4;  // errors
constexpr double likely = 2;

// A verified change, log.
struct Size {
    double log = 0;
    double variance = 0;

    double error() const { return std::sqrt(variance); }
    void take(const Size& part) {
        log -= part.log;
        variance += part.variance;
    }
};

Size size_of(const Comparison& verified) {
    constexpr double errors_in_interval = 2 * 1.645;
    const double error =
        (log_of_change(verified.high) - log_of_change(verified.low)) / errors_in_interval;
    return {
        log_of_change(verified.change_ratio),
        error * error + 2 * search::rule.usual_jitter * search::rule.usual_jitter};
}

std::string commits_words(int first, int last, const std::vector<Revision>& line) {
    const auto brief = [&](int commit) {
        return line.at(static_cast<std::size_t>(commit)).brief();
    };
    if (first == last) return "commit " + brief(first);
    return "commits " + brief(first) + " to " + brief(last);
}

// A change that is there too, and was not found.
std::string remaining_words(const search::Remaining& remaining, const std::vector<Revision>& line) {
    auto words =
        fmt::format("; a further change of about {:+.1f} % remains", 100 * remaining.change_ratio);
    if (remaining.last > 0) {
        words += " in " + commits_words(remaining.first, remaining.last, line);
    }
    if (remaining.probability > 0) {
        words += fmt::format(" (chance of such a change {:.2f})", remaining.probability);
    }
    return words;
}

// Where the culprit, and what else is verified, is not all of it.
std::string explained_words(const SeriesEnding& ending) {
    if (!ending.explained || ending.explained->enough() || ending.explained->share <= 0) return "";
    if (!ending.explained->has_rest()) return "";
    return fmt::format(
        "; what is verified explains {:.0f} % of the {:+.1f} % between the ends of the search",
        100 * ending.explained->share,
        100 * ending.explained->whole_ratio);
}

// Why the commits of a merge's parent do not take the merge's place.
std::string why_it_stays(const std::vector<SeriesEnding>& endings) {
    for (const auto& ending : endings) {
        if (ending.ending == Ending::range) return ending.reason;
    }
    return "its commits do not show the change alone";
}

}  // namespace

void mark_of_sources(BisectionConclusion& conclusion) {
    for (auto& one : conclusion.endings) one.verified.of_sources = true;
    for (auto& one : conclusion.further) one.verified.of_sources = true;
}

void keep_what_archives_show(BisectionConclusion& conclusion, int suspects) {
    for (auto& one : conclusion.endings) {
        if (one.ending != Ending::not_reproduced) continue;
        one.ending = Ending::range;
        one.first = 1;
        one.last = suspects;
        one.probability = 0;
        one.reason = "the archives differ, and builds of their sources do not show it (" +
                     one.reason +
                     "): look at how the nightlies are made: toolchain, flags, bundled libraries";
    }
}

std::vector<Cause> causes_of(const BisectionConclusion& conclusion, bool inside) {
    std::map<Where, Cause> causes;
    for (const auto& ending : conclusion.endings) {
        const bool stays = inside && ending.ending != Ending::culprit;
        const Where place = stays ? Where{Ending::range, 0, 0} : place_of(ending);
        causes[place].endings.push_back(ending);
    }
    for (const auto& further : conclusion.further) {
        if (is_a_cause(further, inside)) causes[place_of(further)].endings.push_back(further);
    }
    std::vector<Cause> all;
    for (auto& [place, cause] : causes) all.push_back(std::move(cause));
    return all;
}

std::vector<Left> left_by_merge(
    const BisectionConclusion& conclusion,
    const std::vector<Comparison>& around,
    const std::vector<double>& thresholds) {
    std::vector<Left> all;
    for (const auto& ending : conclusion.endings) {
        const auto series = static_cast<std::size_t>(ending.series);
        if (ending.ending != Ending::culprit || ending.remaining) continue;
        if (around[series].runs_after == 0) continue;
        Size size = size_of(around[series]);
        size.take(size_of(ending.verified));
        for (const auto& further : conclusion.further) {
            if (further.series == ending.series) size.take(size_of(further.verified));
        }
        if (size.log < search::rule.alone_share * std::log1p(thresholds[series])) continue;
        if (size.log < likely * size.error()) continue;
        all.push_back({ending.series, std::expm1(size.log), size.log >= surely * size.error()});
    }
    return all;
}

Comparison surer_of(const Comparison& verified, const Comparison& confirmed) {
    if (verified.runs_after == 0 || confirmed.runs_after == 0) return {};
    return verified.change_ratio < confirmed.change_ratio ? verified : confirmed;
}

std::optional<Cause> rest_of_merge(const std::vector<Left>& left) {
    Cause rest;
    for (const auto& one : left) {
        if (!one.is_sure) continue;
        if (rest.endings.empty()) {
            rest.rest = fmt::format(
                "a part of its change came by commits that are named themselves, about {:+.1f} % "
                "did not",
                100 * one.change_ratio);
        }
        SeriesEnding own;
        own.series = one.series;
        own.ending = Ending::not_reproduced;
        rest.endings.push_back(own);
    }
    return rest.endings.empty() ? std::nullopt : std::optional(std::move(rest));
}

std::string likely_left(const Cause& cause, const std::vector<Left>& left) {
    for (const auto& one : left) {
        if (one.is_sure || !cause.rest.empty() || !holds_series(cause, one.series)) continue;
        return fmt::format(
            "; about {:+.1f} % more may be what the merge changed itself", 100 * one.change_ratio);
    }
    return "";
}

std::vector<SeriesEnding> lesser_changes(const BisectionConclusion& conclusion, bool inside) {
    std::vector<SeriesEnding> lesser;
    for (const auto& further : conclusion.further) {
        if (!is_a_cause(further, inside)) lesser.push_back(further);
    }
    return lesser;
}

std::string others_in_words(
    const Cause& cause,
    const std::vector<Cause>& causes,
    const BisectionConclusion& conclusion,
    bool inside,
    const std::vector<Revision>& line) {
    std::string list;
    for (const Cause& other : causes) {
        if (other.regression == cause.regression || !share_a_series(cause, other)) continue;
        const auto& theirs = other.endings.front();
        list += fmt::format(
            "{}{} (regression {})",
            list.empty() ? "" : ", ",
            other.rest.empty() ? commits_words(theirs.first, theirs.last, line) : "the rest",
            other.regression.value);
    }
    std::string words;
    if (!list.empty()) words = "; other changes of its series in the same range: " + list;
    for (const auto& further : lesser_changes(conclusion, inside)) {
        if (!holds_series(cause, further.series)) continue;
        words += fmt::format(
            "; a further change of {:+.2f} % in {} was verified too, too small for a report of its "
            "own",
            100 * further.verified.change_ratio,
            commits_words(further.first, further.last, line));
    }
    for (const auto& ending : conclusion.endings) {
        if (!holds_series(cause, ending.series) || !ending.remaining) continue;
        words += remaining_words(*ending.remaining, line);
        break;  // one series stands for those that were searched with it
    }
    return words;
}

std::string searched_inside(const InsideOf& inside) {
    if (!inside.dependency.empty()) {
        return "; searched among the commits by which it moves " + inside.dependency + ": ";
    }
    return "; searched inside of " + inside.merge.brief() + ", what parent " +
           std::to_string(inside.parent) + " brought: ";
}

std::string reason_of(
    const Cause& cause,
    const std::optional<InsideOf>& inside,
    const std::string& before,
    const std::string& others,
    const std::string& why_not) {
    const auto& ending = cause.endings.front();
    const auto unless_gone = [&](const char* what) {
        return why_not.empty() ? "" : std::string("; ") + what + " was not searched: " + why_not;
    };
    if (ending.ending == Ending::culprit) {
        const auto came = inside ? "; it came in by the merge " + inside->merge.brief() : "";
        return ending.reason + came + explained_words(ending) + others + unless_gone("its inside");
    }
    if (!inside) return ending.reason + others;
    const auto stays = cause.rest.empty() ? why_it_stays(cause.endings) : cause.rest + others;
    return before + searched_inside(*inside) + stays + unless_gone("the rest");
}

}  // namespace vigil::service
