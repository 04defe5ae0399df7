#include "service/report/facts/night_headline.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "schema/model/state_sets.hpp"
#include "schema/text/numbers.hpp"

namespace vigil::service {

namespace {

void count(NightHeadline& headline, const NightFacts& facts) {
    for (const auto& regression : facts.regressions) {
        headline.open += is_open(regression.state) ? 1 : 0;
        const bool is_real = regression.ended_as != RegressionEnd::not_reproduced;
        headline.fresh += regression.tonight && is_real ? 1 : 0;
    }
    for (const auto& change : facts.changes) {
        const bool is_undecided = !change.verdict || *change.verdict == Verdict::watch;
        const bool waits = !change.waits.empty();
        headline.waiting += waits ? 1 : 0;
        headline.undecided += is_undecided && !waits ? 1 : 0;
        headline.unconfirmed += change.verdict == Verdict::unconfirmed ? 1 : 0;
    }
    headline.missing = std::ssize(facts.missing);
}

NightStanding standing_of(const NightHeadline& counts, const NightFacts& facts) {
    using enum NightStanding;
    // Of a night that was not judged, every series is taken for compared.
    const auto compared = facts.compared_series.value_or(facts.measured_series);
    if (!facts.withdrawn.empty()) return withdrawn;
    if (facts.state == NightlyState::failed) return failed;
    if (is_over(facts.state) && facts.measured_series == 0) return nothing_measured;
    if (!facts.beside.empty()) return beside;
    if (counts.open > 0) return open;
    if (!is_over(facts.state)) return running;
    if (counts.missing + counts.waiting + counts.unconfirmed > 0) return incomplete;
    return compared == 0 ? not_compared : all_clear;
}

/// What is said of the night itself, before any count.
std::string standing_words(NightStanding standing, const NightFacts& facts) {
    const bool names_commit = facts.breakage && facts.breakage->culprit;
    switch (standing) {
        case NightStanding::withdrawn: return "withdrawn";
        case NightStanding::failed:
            if (names_commit) return "does not build since " + facts.breakage->culprit->brief();
            return facts.measured_series > 0 ? "not judged" : "nothing measured";
        case NightStanding::nothing_measured: return "nothing measured";
        case NightStanding::beside: return "measured beside the nights";
        case NightStanding::running: return "running";
        case NightStanding::not_compared: return "nothing to compare with";
        case NightStanding::all_clear: return "all clear";
        case NightStanding::open:
        case NightStanding::incomplete: break;
    }
    return "";
}

std::string words_of(const NightHeadline& headline, const NightFacts& facts) {
    using enum NightStanding;
    std::vector<std::string> parts;
    const auto add = [&](std::int64_t count, std::string_view what) {
        if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
    };
    const auto first = standing_words(headline.standing, facts);
    if (!first.empty()) parts.push_back(first);
    add(headline.open, "open");
    const auto standing = headline.standing;
    if (standing == open) add(headline.fresh, "new");
    if (standing == open || standing == running || standing == incomplete) {
        add(headline.missing, "missing");
        add(headline.waiting, "waiting");
        add(headline.unconfirmed, "not confirmed");
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

/// What could not be compared, each with the reason.
std::string not_compared_words(const NightFacts& facts) {
    const auto rest = facts.measured_series - *facts.compared_series - facts.first_series;
    std::string out;
    if (facts.first_series > 0) {
        out += fmt::format("{} measured for the first time", facts.first_series);
    }
    if (rest > 0) {
        out += fmt::format("{}{} with nothing to compare with", out.empty() ? "" : ", ", rest);
    }
    return out;
}

std::string coverage_of(const NightFacts& facts) {
    std::int64_t all_runs = 0;
    for (const auto& [purpose, work] : facts.work) all_runs += work.runs;
    const std::string all = text::counted(facts.measured_series, "series", "series");
    const std::string runs = text::counted(all_runs, "run");
    if (!facts.compared_series) return fmt::format("{} measured in {}", all, runs);
    const std::string rest = not_compared_words(facts);
    if (*facts.compared_series == 0) return fmt::format("{} in {}: {}", all, runs, rest);
    if (rest.empty()) return fmt::format("{} compared in {}", all, runs);
    return fmt::format("{} of {} compared in {}, {}", *facts.compared_series, all, runs, rest);
}

}  // namespace

NightHeadline headline_of(const NightFacts& facts) {
    NightHeadline headline;
    count(headline, facts);
    headline.standing = standing_of(headline, facts);
    headline.words = words_of(headline, facts);
    headline.coverage = coverage_of(facts);
    return headline;
}

}  // namespace vigil::service
