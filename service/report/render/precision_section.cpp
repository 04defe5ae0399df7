#include <fmt/format.h>

#include "schema/text/numbers.hpp"
#include "service/report/render/night_sections.hpp"
#include "service/report/render/sections.hpp"

namespace vigil::service {

namespace {

std::string noisiest_table(const PrecisionFacts& facts) {
    if (facts.noisiest.empty()) return "";
    std::string out =
        "\n| Asked in vain most often | Metric | Not reproduced | Undecided | Runs | Spread |\n"
        "|---|---|---:|---:|---:|---:|\n";
    for (const auto& one : facts.noisiest) {
        out += fmt::format(
            "| {} | {} | {} | {} | {} | {} |\n",
            series_words(one),
            metric_words(one.metric),
            one.not_reproduced,
            one.undecided,
            one.runs,
            one.spread ? fmt::format("{:.1f} %", 100 * *one.spread) : "-");
    }
    return out;
}

/// " (1 being measured, 2 undecided)"; empty where all is decided.
std::string unsettled_words(const PrecisionFacts& facts) {
    std::string words;
    if (facts.told_measuring > 0) words = fmt::format("{} being measured", facts.told_measuring);
    if (facts.told_undecided > 0) {
        words += fmt::format("{}{} undecided", words.empty() ? "" : ", ", facts.told_undecided);
    }
    return words.empty() ? "" : " (" + words + ")";
}

}  // namespace

std::string precision_section(const PrecisionFacts& facts) {
    std::string out = fmt::format(
        "### Last week\n\n{} UTC to {} UTC: {}.\n\n",
        text::utc(facts.scope.since_s),
        text::utc(facts.scope.until_s),
        text::counted(facts.nights, "night"));
    out += fmt::format(
        "- {} ({}): {} confirmed, {} drifts, {} not reproduced, {} environment, {} better, {} "
        "undecided, {} deferred (budget), {} open\n",
        text::counted(facts.suspicions, "suspicion"),
        text::counted(facts.checks, "check"),
        facts.confirmed,
        facts.drifts,
        facts.not_reproduced,
        facts.environment,
        facts.improvements,
        facts.undecided,
        facts.waited,
        facts.open);
    const auto share = facts.upheld_share();
    out += fmt::format(
        "- {}: {} upheld and {} refuted by a person{}, {} not found again by the search, {} "
        "recovered, not triaged\n",
        text::counted(facts.regressions, "regression"),
        facts.upheld,
        facts.refuted,
        share ? fmt::format(" ({:.0f} % upheld)", 100 * *share) : "",
        facts.not_found_again,
        facts.recovered);
    if (const auto recall = facts.recall()) {
        out += fmt::format(
            "- Recall {:.0f} %: {} found, {} missed{}\n",
            100 * *recall,
            facts.found,
            facts.missed(),
            unsettled_words(facts));
    }
    if (facts.timed > 0) {
        out += fmt::format(
            "- Time to a verdict: median {}, p90 {} ({})\n",
            hours_words(facts.median_verdict_s),
            hours_words(facts.slow_verdict_s),
            text::counted(facts.timed, "verdict"));
    }
    out += fmt::format(
        "- Runs: {} of the nights, {} to confirm, {} to search\n",
        facts.nightly_runs,
        facts.confirm_runs,
        facts.search_runs);
    return out + noisiest_table(facts) + "\n";
}

}  // namespace vigil::service
