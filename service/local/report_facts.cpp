#include "service/local/report_facts.hpp"

#include <fmt/format.h>

#include "bisect/stats/summary.hpp"
#include "schema/text/lines.hpp"
#include "service/local/answer.hpp"

namespace vigil::local {

namespace {

constexpr std::size_t most_rows = 200;

std::string subject_of(const Story& story, int commit) {
    if (commit == 0) return "(the good end)";
    return text::one_line(story.suspect(commit).subject, 100);
}

std::string likely_text(const search::Decision& decision, int commit) {
    if (commit == 0) return "";
    const double p = decision.posterior.front()[static_cast<std::size_t>(commit) - 1];
    return fmt::format("{:.1f} %", 100 * p);
}

std::string values_text(const search::CommitState& mine, Metric metric) {
    if (!mine.values.empty()) return value_text(stats::median(mine.values), metric);
    if (mine.runs_failed > 0) return "gives no value: " + text::one_line(mine.run_failure, 120);
    return "does not build: " + text::one_line(mine.build_failure, 120);
}

void add_culprit(ReportFacts& facts, const Story& story, const search::SeriesEnding& ending) {
    const auto& suspect = story.suspect(ending.first);
    facts.emplace_back("Culprit", suspect.revision.str());
    facts.emplace_back("Subject", text::one_line(suspect.subject, 200));
    facts.emplace_back("Author", text::one_line(suspect.author, 200));
    if (const auto* moves = story.moves(ending.first)) {
        std::string text = moves_text(moves);
        for (const auto& pin : moves->pins)
            text += " " + text::one_line(history::pin_text(pin), 400) + ";";
        text.pop_back();
        facts.emplace_back("Moves", text);
    }
    facts.emplace_back(
        "Verified against",
        fmt::format(
            "{}, {} + {} runs interleaved",
            story.revision(ending.parent).str(),
            ending.verified.runs_before,
            ending.verified.runs_after));
    facts.emplace_back("Sure", fmt::format("{:.1f} %", 100 * ending.probability));
}

/// How one search ended; none while it goes on.
ReportFacts ending_facts(const Story& story, const search::Decision& decision) {
    ReportFacts facts;
    if (!decision.done) return facts;
    const auto& ending = decision.endings.front();
    if (ending.ending == search::Ending::culprit) add_culprit(facts, story, ending);
    if (ending.ending == search::Ending::range) {
        facts.emplace_back("First", story.revision(ending.first).str());
        facts.emplace_back("Last", story.revision(ending.last).str());
    }
    const std::string effect = effect_text(story, ending);
    if (!effect.empty()) facts.emplace_back("Effect", effect);
    facts.emplace_back("Why", text::one_line(ending.reason, 200));
    if (const auto& remaining = ending.remaining) {
        facts.emplace_back(
            "Remains",
            fmt::format(
                "about {:+.1f} % with probability {:.2f}, in {} to {}",
                100 * remaining->change_ratio,
                remaining->probability,
                story.revision(remaining->first).str(),
                story.revision(remaining->last).str()));
    }
    return facts;
}

}  // namespace

ReportFacts main_facts(
    const Story& story, const search::Decision& decision, std::span<const Found> inside) {
    ReportFacts facts = ending_facts(story, decision);
    for (const auto& one : inside) {
        facts.emplace_back(
            "In merge " + one.story.start().inside->merge.brief(), inside_outcome(one));
    }
    const Order& order = story.order();
    facts.emplace_back("Suspects", std::to_string(story.last()));
    facts.emplace_back("Good", order.good.str());
    const std::string parting = parting_text(story);
    if (!parting.empty()) facts.emplace_back("Begins at", story.revision(0).str());
    if (!parting.empty()) facts.emplace_back("Note", parting);
    facts.emplace_back("Bad", order.bad.str());
    facts.emplace_back("Measured", measure_text(order.measure));
    facts.emplace_back("Threshold", fmt::format("{:.4g} %", 100 * order.threshold));
    facts.emplace_back("Build", text::one_line(order.build, 1000));
    facts.emplace_back("Benchmark", text::one_line(order.bench, 1000));
    facts.emplace_back("Cost", cost_text(story));
    return facts;
}

ReportFacts inside_facts(const Found& found) {
    ReportFacts facts = ending_facts(found.story, found.decision);
    if (facts.empty()) facts.emplace_back("Outcome", inside_outcome(found));
    facts.emplace_back("Suspects", std::to_string(found.story.last()));
    facts.emplace_back("From", found.story.revision(0).str());
    facts.emplace_back("To", found.story.revision(found.story.last()).str());
    facts.emplace_back("Cost", cost_text(found.story));
    return facts;
}

ReportTable measured_commits(const Story& story, const search::Decision& decision) {
    ReportTable table{{"Commit", "Hash", "Subject", "Level", "Runs", "Probability"}, {}};
    const Metric metric = metric_of(story.order().measure);
    for (int commit = 0; commit <= story.last() && table.rows.size() < most_rows; ++commit) {
        const auto& mine = story.commit(commit);
        if (mine.values.empty() && mine.builds_failed == 0 && mine.runs_failed == 0) continue;
        table.rows.push_back(
            {std::to_string(commit),
             story.revision(commit).brief(),
             subject_of(story, commit),
             values_text(mine, metric),
             std::to_string(mine.values.size()),
             likely_text(decision, commit)});
    }
    return table;
}

ReportTable suspects_left(const Story& story, const search::Decision& decision) {
    ReportTable table{{"Commit", "Hash", "Subject", "Author", "Probability"}, {}};
    const bool range = !decision.done || decision.endings.front().ending == search::Ending::range;
    if (!range) return table;
    for (const int commit : search::credible_set(decision.posterior.front())) {
        if (table.rows.size() >= most_rows) break;
        table.rows.push_back(
            {std::to_string(commit),
             story.revision(commit).brief(),
             subject_of(story, commit),
             text::one_line(story.suspect(commit).author, 60),
             likely_text(decision, commit)});
    }
    return table;
}

ReportTable probes_made(const Story& story) {
    ReportTable table{{"Probe", "Commits in order", "Why", "Values"}, {}};
    const Metric metric = metric_of(story.order().measure);
    for (const auto& probe : story.probes()) {
        std::string values;
        for (const auto& run : probe.runs) {
            values += values.empty() ? "" : ", ";
            values += run.value > 0 ? value_text(run.value, metric) : "none";
        }
        if (probe.build_failed) values = "does not build";
        table.rows.push_back(
            {std::to_string(table.rows.size()),
             fmt::format("{}", fmt::join(probe.request.commits, " ")),
             text::one_line(probe.request.why, 200),
             values});
    }
    return table;
}

}  // namespace vigil::local
