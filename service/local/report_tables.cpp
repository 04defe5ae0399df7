#include "service/local/report_tables.hpp"

#include <map>

#include <fmt/format.h>

#include "schema/text/lines.hpp"
#include "service/local/answer.hpp"
#include "service/local/level_rows.hpp"

namespace vigil::local {

namespace {

constexpr std::size_t most_rows = 200;

/// Each commit may hold one, so these need not add up to 1.
constexpr const char* chance_head = "Chance of a change";

std::string subject_of(const Story& story, int commit) {
    if (commit == 0) return "(the good end)";
    return text::one_line(story.suspect(commit).subject, 100);
}

std::string likely_text(const search::Decision& decision, int commit) {
    if (commit == 0) return "";
    const double p = decision.posterior.front()[static_cast<std::size_t>(commit) - 1];
    return fmt::format("{:.1f} %", 100 * p);
}

std::string failure_text(const search::CommitState& mine) {
    if (!does_not_build(mine)) return "gives no value: " + text::one_line(mine.run_failure, 120);
    return "does not build: " + text::one_line(mine.build_failure, 120);
}

/// "3", "1: not sure", "4, those of 1a2b3c4d5e: the same product".
std::string runs_text(const Story& story, const MeasuredLevel& row) {
    const std::string count = std::to_string(row.runs);
    if (row.same_as) {
        return count + ", those of " + story.revision(*row.same_as).brief() + ": the same product";
    }
    return row.runs == 1 ? "1: not sure" : count;
}

/// The measured and the broken commits, oldest first.
ReportTable measured_commits(const Story& story, const search::Decision& decision) {
    ReportTable table{{"Commit", "Subject", "Level", "Change", "Runs", chance_head}, {}};
    const std::string unit = unit_of(story.order());
    std::map<int, MeasuredLevel> rows;
    for (const auto& row : level_rows(story, decision)) rows.emplace(row.commit, row);
    for (int commit = 0; commit <= story.last() && table.rows.size() < most_rows; ++commit) {
        const auto& mine = story.commit(commit);
        const auto row = rows.find(commit);
        const bool failed = does_not_build(mine) || mine.runs_failed > 0;
        if (row == rows.end() && !failed) continue;
        std::vector<std::string> cells{story.revision(commit).brief(), subject_of(story, commit)};
        if (row == rows.end()) {
            cells.insert(cells.end(), {failure_text(mine), "", "0"});
        } else {
            cells.push_back(value_text(row->second.value, unit));
            cells.push_back(commit == 0 ? "" : percent_text(row->second.change_ratio));
            cells.push_back(runs_text(story, row->second));
        }
        cells.push_back(likely_text(decision, commit));
        table.rows.push_back(std::move(cells));
    }
    return table;
}

/// The suspects that hold the change with 95 %, unless there is one culprit.
ReportTable suspects_left(const Story& story, const search::Decision& decision) {
    ReportTable table{{"Commit", "Subject", "Author", chance_head}, {}};
    const bool range = !decision.done || decision.endings.front().ending == search::Ending::range;
    if (!range) return table;
    for (const int commit : search::credible_set(decision.posterior.front())) {
        if (table.rows.size() >= most_rows) break;
        table.rows.push_back(
            {story.revision(commit).brief(),
             subject_of(story, commit),
             text::one_line(story.suspect(commit).author, 60),
             likely_text(decision, commit)});
    }
    return table;
}

std::string names_of(const Story& story, const std::vector<int>& commits) {
    std::string names;
    for (const int commit : commits) {
        names += (names.empty() ? "" : " ") + story.revision(commit).brief();
    }
    return names;
}

ReportTable probes_made(const Story& story) {
    ReportTable table{{"Probe", "Commits in order", "Why", "Values"}, {}};
    const std::string unit = unit_of(story.order());
    for (const auto& probe : story.probes()) {
        std::string values;
        for (const auto& run : probe.runs) {
            values += values.empty() ? "" : ", ";
            values += run.gave_value() ? value_text(run.value, unit) : "none";
        }
        if (probe.build_failed) values = "does not build";
        // Commits with the product of another one have its runs.
        if (values.empty() && probe.over) values = "a product that was measured already";
        table.rows.push_back(
            {std::to_string(table.rows.size()),
             names_of(story, probe.request.commits),
             text::one_line(probe.request.why, 300),
             values});
    }
    return table;
}

/// Of a program that prints many cases, what moved beside the one that was searched.
ReportTable other_cases(const Story& story) {
    ReportTable table{{"Case", "Before", "After", "Change"}, {}};
    if (!story.chosen()) return table;
    for (const auto& one : story.chosen()->others) {
        const auto& c = one.comparison;
        table.rows.push_back(
            {text::one_line(one.name, 500),
             value_text(c.before, one.unit),
             value_text(c.after, one.unit),
             text::percent_within(c.change_ratio, c.low, c.high)});
    }
    return table;
}

}  // namespace

std::vector<Chapter> chapters(const Story& story, const search::Decision& decision) {
    std::vector<Chapter> all{
        {"Suspects left", suspects_left(story, decision)},
        {"Measured commits", measured_commits(story, decision)},
        {"Probes", probes_made(story)},
        {"Other cases that moved", other_cases(story)}};
    std::erase_if(all, [](const Chapter& chapter) { return chapter.table.rows.empty(); });
    return all;
}

}  // namespace vigil::local
