#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "schema/text/nearest.hpp"
#include "service/tables/notable.hpp"
#include "service/tables/summary.hpp"
#include "service/tables/text_parts.hpp"
#include "service/tables/time_text.hpp"
#include "service/tables/ways.hpp"

namespace vigil::tables {

namespace {

/// "91%, 49/54": the percentage is rounded half up from the two counts.
std::string rate_words(std::size_t part, std::size_t whole) {
    if (whole == 0) return "-";
    return fmt::format("{}%, {}/{}", (200 * part + whole) / (2 * whole), part, whole);
}

using HeadlineWords = std::function<std::string(const Headline&)>;

/// Rules that say the same share a row.
void add_or_join(std::vector<std::vector<std::string>>& rows, std::vector<std::string> row) {
    for (auto& known : rows) {
        if (!std::equal(row.begin() + 1, row.end(), known.begin() + 1)) continue;
        known.front() += ", " + row.front();
        return;
    }
    rows.push_back(std::move(row));
}

/// One of the four tables.
std::string headline_table(const Summary& summary, const HeadlineWords& words) {
    std::vector<std::string> headers{"Rule"};
    for (const auto& suite : summary.dashboard) headers.push_back(suite.label);
    MarkdownTable table(headers);
    std::vector<std::vector<std::string>> rows;
    bool any = false;
    for (std::size_t i = 0; i < summary.dashboard.front().headlines.size(); ++i) {
        std::vector<std::string> row{
            std::string(to_string(summary.dashboard.front().headlines[i].rule))};
        for (const auto& suite : summary.dashboard) {
            row.push_back(words(suite.headlines[i]));
            any = any || row.back() != "-";
        }
        add_or_join(rows, std::move(row));
    }
    if (!any) return "No result has a number for this.\n";
    for (auto& row : rows) table.add(row);
    return table.text();
}

/// The same as one table, a way a row: where there are many ways, columns would be too many.
std::string long_headlines_text(const Summary& summary) {
    MarkdownTable table(
        {"Rule", "Way", "Pass rate", "Speedup", "Compile time, s", "Peak memory ratio"});
    for (const auto& suite : summary.dashboard) {
        std::vector<std::vector<std::string>> rows;
        for (const auto& line : suite.headlines) {
            add_or_join(
                rows,
                {std::string(to_string(line.rule)),
                 suite.label,
                 rate_words(line.passing, line.total),
                 number_words(line.speedup.value, 2, "x"),
                 number_words(line.compile_s.value, 2, ""),
                 number_words(line.memory_ratio.value, 2, "x")});
        }
        for (auto& row : rows) table.add(std::move(row));
    }
    return "## Headlines\n\n" + table.text() + "\n";
}

std::string headlines_text(const Summary& summary) {
    constexpr std::size_t most_columns = 4;
    if (summary.dashboard.size() > most_columns) return long_headlines_text(summary);
    const auto section = [&](const char* title, const HeadlineWords& words) {
        return fmt::format("## {}\n\n{}\n", title, headline_table(summary, words));
    };
    return section(
               "Pass rate",
               [](const Headline& line) { return rate_words(line.passing, line.total); }) +
           section(
               "Geometric mean speedup",
               [](const Headline& line) { return number_words(line.speedup.value, 2, "x"); }) +
           section(
               "Mean compile time, s",
               [](const Headline& line) { return number_words(line.compile_s.value, 2, ""); }) +
           section("Peak memory ratio", [](const Headline& line) {
               return number_words(line.memory_ratio.value, 2, "x");
           });
}

/// Whom the aggregates of a suite leave out; those that leave out the same share a line.
std::string left_out_lines(const DashboardSuite& suite) {
    struct Said {
        std::string models;
        std::string by;
        std::size_t aggregates = 0;
    };
    std::vector<Said> said;
    std::size_t aggregates = 0;
    for (const auto& line : suite.headlines) {
        for (const auto& [name, aggregate] :
             {std::pair{"speedup", &line.speedup},
              std::pair{"compile time", &line.compile_s},
              std::pair{"memory ratio", &line.memory_ratio}}) {
            if (!aggregate->value) continue;
            ++aggregates;
            if (aggregate->left_out.empty()) continue;
            const auto words = left_out_words(aggregate->left_out);
            auto known = std::find_if(
                said.begin(), said.end(), [&](const Said& one) { return one.models == words; });
            if (known == said.end()) known = said.insert(known, Said{words, "", 0});
            known->by +=
                (known->by.empty() ? "" : ", ") + fmt::format("{} {}", to_string(line.rule), name);
            ++known->aggregates;
        }
    }
    std::string lines;
    for (const auto& one : said) {
        const bool all = one.aggregates == aggregates;
        lines += fmt::format(
            "- {}, {}: {}\n", suite.label, all ? "everywhere" : "by " + one.by, one.models);
    }
    return lines;
}

std::string left_out_text(const Summary& summary) {
    std::string lines;
    for (const auto& suite : summary.dashboard) lines += left_out_lines(suite);
    return lines.empty() ? "" : "## Left out\n\n" + lines + "\n";
}

std::string models_text(const DashboardSuite& suite) {
    std::vector<const Result*> results;
    for (const auto& row : suite.rows) results.push_back(&row);
    const WayColumns ways(results, {});
    sort_best_first(results);
    std::vector<std::string> headers{"Model"};
    ways.add_headers(headers);
    for (const char* header :
         {"Batch", "Speedup", "Accuracy", "Compile, s", "Memory ratio", "Flags"}) {
        headers.push_back(header);
    }
    MarkdownTable table(headers);
    for (const auto* row : results) {
        std::vector<std::string> cells{row->model};
        ways.add_cells(*row, cells);
        const auto flags = text::joined(flags_of(*row));
        cells.push_back(batch_words(row->batch));
        cells.push_back(number_words(row->get(Field::speedup), 4, "x"));
        cells.push_back(status_words(*row));
        cells.push_back(number_words(row->get(Field::compile_s), 4, ""));
        cells.push_back(number_words(row->get(Field::memory_ratio), 4, "x"));
        cells.push_back(flags.empty() ? "-" : flags);
        table.add(cells);
    }
    return suite_heading(suite.rows.front().suite, "models", suite.label) + table.text() + "\n";
}

std::string section_of(const char* title, const std::string& lines) {
    return lines.empty() ? "" : fmt::format("## {}\n\n{}\n", title, lines);
}

std::string outliers_text(const Summary& summary) {
    std::string lines;
    for (const auto& suite : summary.dashboard) {
        for (const auto& one : outliers_of(suite.rows)) {
            lines += fmt::format(
                "- {}: {} {} ({} spreads {} the median)\n",
                suite.label,
                one.model,
                number_words(one.speedup, 2, "x"),
                rounded_words(std::fabs(one.deviations), 1),
                one.deviations > 0 ? "above" : "below");
        }
    }
    return section_of("Outliers", lines);
}

/// What failed, with what it said; unsupported ways have their own word.
std::string failures_text(const Summary& summary) {
    std::string lines;
    for (const auto& suite : summary.dashboard) {
        for (const auto& row : suite.rows) {
            if (row.status.empty() || is_passing(row)) continue;
            const auto message = row.facts.find("message");
            lines += fmt::format(
                "- {}: {}{} ({}){}\n",
                suite.label,
                row.model,
                row.batch == 0 ? "" : ", batch " + batch_words(row.batch),
                status_words(row),
                message == row.facts.end() ? "" : ": " + message->second);
        }
    }
    return section_of("Failures", lines);
}

std::string domains_text(const Summary& summary) {
    MarkdownTable table({"Domain", "Models"});
    for (const auto& [domain, models] : summary.domains) {
        table.add({domain, std::to_string(models)});
    }
    table.add({"all", std::to_string(summary.results.size())});
    return "## Models by domain\n\n" + table.text() + "\n";
}

std::string bullets(const std::vector<std::string>& lines) {
    std::string text;
    for (const auto& line : lines) text += "- " + line + "\n";
    return text;
}

}  // namespace

std::string summary_text(const Summary& summary, Detail detail) {
    std::string text = section_of("Machine and versions", bullets(machine_lines(summary.results)));
    if (!summary.dashboard.empty()) {
        text += headlines_text(summary) + left_out_text(summary);
        text += failures_text(summary) + outliers_text(summary);
        for (const auto& suite : summary.dashboard) {
            if (detail == Detail::models) text += models_text(suite);
        }
    }
    for (const auto& times : summary.batches) text += times_text(times, detail);
    for (const auto& times : summary.across) text += times_text(times, detail);
    for (const auto& scaling : summary.scaling) text += scaling_text(scaling, detail);
    if (!summary.breakdown.rows.empty()) text += breakdown_text(summary.breakdown);
    if (!summary.domains.empty()) text += domains_text(summary);
    text += section_of("Caveats", bullets(caveats_of(summary.results, summary.base)));
    text += section_of("Reading notes", bullets(summary.notes));
    while (text.ends_with("\n\n")) text.pop_back();
    return text;
}

}  // namespace vigil::tables
