#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "schema/text/escape.hpp"
#include "schema/text/numbers.hpp"
#include "service/report/render/probe_reading.hpp"
#include "service/report/render/sections.hpp"

// The search as it went: every probe in order, and what was skipped.

namespace vigil::service {

namespace {

/// Commits of a probe other than its control, in the order asked, each once. Of a probe whose
/// control never ran, the ends of the range are left out too: they were to be the control.
std::vector<int> probed(const ProbeFact& probe, std::optional<int> control, int last) {
    std::vector<int> positions;
    for (const int position : probe.positions) {
        const bool seen =
            std::find(positions.begin(), positions.end(), position) != positions.end();
        const bool idle_end = !control && (position == 0 || position == last);
        if (position != control && !seen && !idle_end) positions.push_back(position);
    }
    return positions;
}

/// What a probe's row says of one commit: the changes by series, and what they mean.
struct Reading {
    std::string changes;
    std::string verdict;
};

Reading read_probe(
    const RegressionFacts& facts, const ProbeFact& probe, int position, int control) {
    static constexpr std::size_t max_shown = 4;
    const int last = int(facts.suspects.size()) - 1;
    std::size_t worse = 0;
    std::size_t known = 0;
    std::string changes;
    for (std::size_t i = 0; i < facts.series.size(); ++i) {
        const SeriesFact& series = facts.series[i];
        const auto change = change_in(probe, position, control, int(i), series.direction);
        if (!change) continue;
        ++known;
        const double expected =
            log_of_change(std::max(searched_change(facts, series).change_ratio, 0.0));
        const double above = log_of_change(*change) + (control == last ? expected : 0);
        worse += above > expected / 2 ? 1 : 0;
        if (known > max_shown) continue;
        const std::string name = facts.series.size() > 1 ? fmt::format("S{} ", i + 1) : "";
        changes += (changes.empty() ? "" : ", ") + name + text::percent(*change);
    }
    if (known > max_shown) changes += fmt::format(" and {} more", known - max_shown);
    if (known == 0) return {"", ""};
    if (worse == known) return {changes, "worse"};
    if (worse == 0) return {changes, "as before"};
    return {changes, fmt::format("worse in {} of {}", worse, known)};
}

std::string failure_at(const RegressionFacts& facts, const ProbeFact& probe, int position) {
    if (!has_run(probe, position)) {
        if (probe.open) return "running";
        const auto at = std::size_t(position);
        const bool known = position >= 0 && at < facts.suspects.size();
        return known && !facts.suspects[at].build_failure.empty() ? "skipped: does not build"
                                                                  : "no value";
    }
    for (const auto& run : probe.runs) {
        if (run.position == position && run.outcome != Outcome::passed) {
            return fmt::format("no value: {}", to_string(run.outcome));
        }
    }
    return "no value";
}

std::string trail_rows(const RegressionFacts& facts, const ProbeFact& probe) {
    const int last = int(facts.suspects.size()) - 1;
    const auto control = control_of(probe, last);
    std::string rows;
    for (const int position : probed(probe, control, last)) {
        const auto reading =
            control ? read_probe(facts, probe, position, *control) : Reading{"", ""};
        std::int64_t runs = 0;
        for (const auto& run : probe.runs) runs += run.position == position ? 1 : 0;
        rows += fmt::format(
            "| {} | {} | {} | {} | {} | {} | {} | {} |\n",
            probe.number + 1,
            probe.verifies ? "verify" : "search",
            end_or_commit(facts, position),
            control ? end_or_commit(facts, *control) : "none",
            text::code_span(probe.machine_class, 40),
            runs,
            reading.changes,
            reading.verdict.empty() ? failure_at(facts, probe, position) : reading.verdict);
    }
    return rows;
}

/// Its runs passed and hold nothing of this regression: it was asked for another's series.
bool is_of_others(const ProbeFact& probe) {
    return !probe.runs.empty() &&
           std::all_of(probe.runs.begin(), probe.runs.end(), [](const ProbeRunFact& run) {
               return run.outcome == Outcome::passed && run.values.empty();
           });
}

std::string broken_builds(const RegressionFacts& facts) {
    static constexpr int max_shown = 12;
    std::string out;
    int broken = 0;
    for (const auto& suspect : facts.suspects) {
        if (suspect.build_failure.empty() || ++broken > max_shown) continue;
        const std::string log =
            suspect.build_log ? log_url(facts.links, *suspect.build_log) : std::string();
        out += fmt::format(
            "- {}: {}{}\n",
            commit_ref(facts.links, suspect.revision),
            text::code_span(suspect.build_failure, 160),
            log.empty() ? "" : ", " + linked("log", log));
    }
    if (broken > max_shown) out += fmt::format("- and {} more\n", broken - max_shown);
    return out.empty() ? "" : "\nSkipped, because they do not build:\n\n" + out;
}

}  // namespace

std::string trail_section(const RegressionFacts& facts, std::size_t budget) {
    if (facts.probes.empty()) return "";
    std::int64_t runs = 0;
    std::int64_t probes = 0;
    for (const auto& probe : facts.probes) {
        if (is_of_others(probe)) continue;  // they are counted below
        runs += std::int64_t(probe.runs.size());
        ++probes;
    }
    std::string head = fmt::format(
        "### The search\n\n{} measured these series, in {}.{}\n\n<details>\n<summary>Every probe "
        "of the search{}"
        "</summary>\n\nEach probe ran the commit and its control interleaved on one worker; the "
        "change is against that control.\n\n"
        "| Probe | For | Commit | Control | Machine class | Runs | Change | Reads as |\n"
        "|---:|---|---|---|---|---:|---|---|\n",
        text::counted(probes, "probe"),
        text::counted(runs, "run"),
        facts.search_summary.empty()
            ? ""
            : " The whole search: " + without_full_stop(facts.search_summary, 300) + ".",
        is_inside(facts) ? " inside of the merge" : "");
    std::string tail = broken_builds(facts);
    if (is_inside(facts)) {
        tail +=
            "\nThe probes on the line are those of another bisection: the daemon's "
            "`/api/v1/bisections` has them.\n";
    }
    tail += "\n</details>\n\n";
    static constexpr std::size_t notice_room = 240;
    const std::size_t fixed = head.size() + tail.size() + notice_room;
    if (fixed > budget) return "";
    std::string rows;
    std::size_t shown = 0;
    std::int64_t of_others = 0;
    for (const auto& probe : facts.probes) {
        const bool elsewhere = is_of_others(probe);
        const std::string more = elsewhere ? "" : trail_rows(facts, probe);
        if (fixed + rows.size() + more.size() > budget) break;
        rows += more;
        of_others += elsewhere ? 1 : 0;
        ++shown;
    }
    if (of_others > 0) {
        rows += fmt::format(
            "\n{} measured series of another regression and {} not listed.\n",
            text::counted(of_others, "probe"),
            of_others == 1 ? "is" : "are");
    }
    if (shown < facts.probes.size()) {
        rows += fmt::format(
            "\n{} did not fit here; the daemon's `/api/v1/bisections` has all of them.\n",
            text::counted(std::int64_t(facts.probes.size() - shown), "later probe"));
    }
    return head + rows + tail;
}

}  // namespace vigil::service
