#include "service/local/report.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "schema/text/escape.hpp"
#include "schema/text/lines.hpp"
#include "service/local/answer.hpp"
#include "service/local/level_plot.hpp"
#include "service/local/progress.hpp"
#include "service/local/report_facts.hpp"

namespace vigil::local {

namespace {

/// What a report is about: the search, and those inside of merges.
struct Subject {
    const Story& story;
    const search::Decision& decision;
    std::span<const Found> inside;
};

std::string title_of(const Subject& about) {
    std::string title = "Vigil: " + verdict_text(about.decision);
    const auto deepest = deepest_culprit(about.inside);
    const bool found =
        about.decision.done && about.decision.endings.front().ending == search::Ending::culprit;
    if (!found && deepest == 0) return title;
    const Story& story = deepest == 0 ? about.story : about.inside[deepest - 1].story;
    const auto& decision = deepest == 0 ? about.decision : about.inside[deepest - 1].decision;
    const auto& suspect = story.suspect(decision.endings.front().first);
    title += ", " + suspect.revision.brief() + " " + text::one_line(suspect.subject, 100);
    if (deepest > 0) {
        title += " (inside of the merge " + story.start().inside->merge.brief() + ")";
    }
    return title;
}

/// A fence that the text cannot end.
std::string fenced(const std::string& text) {
    std::size_t longest = 0, now = 0;
    for (const char c : text) {
        now = c == '`' ? now + 1 : 0;
        longest = std::max(longest, now);
    }
    const std::string fence(std::max<std::size_t>(longest + 1, 3), '`');
    return fence + "text\n" + text + fence + "\n";
}

std::string markdown_table(const ReportTable& table) {
    std::string text = "|";
    for (const auto& cell : table.head) text += " " + cell + " |";
    text += "\n|";
    for (std::size_t i = 0; i < table.head.size(); ++i) text += " --- |";
    text += "\n";
    for (const auto& row : table.rows) {
        text += "|";
        for (const auto& cell : row) text += " " + text::markdown(cell) + " |";
        text += "\n";
    }
    return text;
}

/// How a column is set: "long" may take a line of its own where the page is narrow, "word" is
/// never broken.
const char* column_kind(std::string_view head) {
    for (const char* name : {"Subject", "Why", "Commits in order", "Values"}) {
        if (head == name) return "long";
    }
    return head == "Level" || head == "Author" ? "text" : "word";
}

std::string html_table(const ReportTable& table) {
    std::string text = "<table class=\"rows\"><thead><tr>";
    for (const auto& cell : table.head) text += "<th>" + text::html(cell) + "</th>";
    text += "</tr></thead><tbody>\n";
    for (const auto& row : table.rows) {
        text += "<tr>";
        for (std::size_t i = 0; i < row.size(); ++i) {
            text += fmt::format(
                "<td class=\"{}\" data-name=\"{}\">{}</td>",
                column_kind(table.head[i]),
                text::html(table.head[i]),
                text::html(row[i]));
        }
        text += "</tr>\n";
    }
    return text + "</tbody></table>\n";
}

struct Chapter {
    const char* title;
    ReportTable table;
};

std::vector<Chapter> chapters(const Story& story, const search::Decision& decision) {
    std::vector<Chapter> all{
        {"Suspects left", suspects_left(story, decision)},
        {"Measured commits", measured_commits(story, decision)},
        {"Probes", probes_made(story)}};
    std::erase_if(all, [](const Chapter& chapter) { return chapter.table.rows.empty(); });
    return all;
}

std::string inside_heading(const Story& story) {
    std::string text = inside_text(story);
    text.front() = 'I';
    return text;
}

std::string command_lines(const Subject& about) {
    auto commands = commands_to_see(about.story, about.decision);
    for (const auto& one : about.inside) {
        const auto more = commands_to_see(one.story, one.decision);
        commands.insert(commands.end(), more.begin(), more.end());
    }
    std::string text;
    // Lines of the user's own commands; control characters in them would spoil the document.
    for (const auto& command : commands) text += text::one_line(command, 4000) + "\n";
    return text;
}

std::string markdown_facts(const ReportFacts& facts) {
    std::string text;
    for (const auto& [name, value] : facts) {
        text += fmt::format("- **{}**: {}\n", name, text::markdown(value));
    }
    return text;
}

std::string markdown_search(const Story& story, const search::Decision& decision) {
    std::string text = "\n" + fenced(
                                  "range        " + range_bar(story, decision, 80) +
                                  "\nprobability  " + bars(decision.posterior.front(), 80) + "\n");
    for (const auto& chapter : chapters(story, decision)) {
        text += fmt::format("\n## {}\n\n{}", chapter.title, markdown_table(chapter.table));
    }
    return text;
}

std::string html_facts(const ReportFacts& facts) {
    std::string text = "<table class=\"facts\">\n";
    for (const auto& [name, value] : facts) {
        text +=
            fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", text::html(name), text::html(value));
    }
    return text + "</table>\n";
}

std::string html_search(const Story& story, const search::Decision& decision) {
    std::string text = "<h2>Levels</h2>\n" + level_plot(story, decision);
    for (const auto& chapter : chapters(story, decision)) {
        text += fmt::format("<h2>{}</h2>\n{}", chapter.title, html_table(chapter.table));
    }
    return text;
}

/// Colours by name, light and dark; on a narrow page rows become blocks whose cells flow, each with
/// its column's name.
constexpr const char* page_head = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<style>
:root{--ink:#1f2328;--soft:#57606a;--paper:#fff;--line:#d8dee4;--box:#f6f8fa;--run:#1f6feb;
--median:#0a3069;--p:#8250df;--found:#cf222e;--further:#9a6700;--broken:#b35900}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9da7b3;--paper:#0d1117;
--line:#30363d;--box:#161b22;--run:#58a6ff;--median:#cae8ff;--p:#bc8cff;--found:#ff7b72;
--further:#e3b341;--broken:#ffa657}}
*{box-sizing:border-box}
body{font:15px/1.5 sans-serif;max-width:62rem;margin:0 auto;padding:1rem;color:var(--ink);
background:var(--paper);overflow-wrap:anywhere}
h1{font-size:clamp(1.25rem,4vw,1.9rem);line-height:1.25}h2{font-size:1.2rem;margin:1.5rem 0 .5rem}
table{border-collapse:collapse;width:100%}
td,th{border-bottom:1px solid var(--line);padding:.25rem .5rem;text-align:left;vertical-align:top}
th,.word{white-space:nowrap}
pre{background:var(--box);padding:.75rem;white-space:pre-wrap}
svg{width:100%;height:auto;display:block}svg.narrow{display:none}
.grid{stroke:var(--line)}.axis{font:12px sans-serif;fill:var(--soft)}
.run{fill:var(--run);fill-opacity:.55}.median{stroke:var(--median);stroke-width:2}
.broken{font:14px sans-serif;fill:var(--broken)}.p{fill:var(--p)}
.found{fill:var(--found);fill-opacity:.35}.further{fill:var(--further);fill-opacity:.35}
@media (max-width:40rem){
svg.wide{display:none}svg.narrow{display:block}
.axis{font-size:11px}
.facts th,.facts td{display:block;padding:.1rem 0}
.facts th{border:0;padding-top:.4rem;color:var(--soft);font-size:.85rem}
.rows,.rows tbody{display:block}.rows thead{display:none}
.rows tr{display:flex;flex-wrap:wrap;gap:0 1rem;padding:.4rem 0;
border-bottom:1px solid var(--line)}
.rows td{border:0;padding:0}.rows td:empty{display:none}.rows .long{flex-basis:100%}
.rows td::before{content:attr(data-name) " ";color:var(--soft);font-size:.8rem}
}
</style>
)";

}  // namespace

std::string markdown_report(
    const Story& story, const search::Decision& decision, std::span<const Found> inside) {
    const Subject about{story, decision, inside};
    std::string text = "# " + text::markdown(title_of(about)) + "\n\n" +
                       markdown_facts(main_facts(story, decision, inside)) +
                       markdown_search(story, decision);
    for (const auto& one : inside) {
        text += "\n# " + text::markdown(inside_heading(one.story)) + "\n\n" +
                markdown_facts(inside_facts(one)) + markdown_search(one.story, one.decision);
    }
    const std::string commands = command_lines(about);
    if (!commands.empty()) text += "\n## To see it again\n\n" + fenced(commands);
    return text;
}

std::string html_report(
    const Story& story, const search::Decision& decision, std::span<const Found> inside) {
    const Subject about{story, decision, inside};
    const std::string title = text::html(title_of(about));
    std::string text = page_head;
    text += "<title>" + title + "</title></head>\n<body>\n<h1>" + title + "</h1>\n" +
            html_facts(main_facts(story, decision, inside)) + html_search(story, decision);
    for (const auto& one : inside) {
        text += "<h1>" + text::html(inside_heading(one.story)) + "</h1>\n" +
                html_facts(inside_facts(one)) + html_search(one.story, one.decision);
    }
    const std::string commands = command_lines(about);
    if (!commands.empty()) {
        text += "<h2>To see it again</h2>\n<pre>" + text::html(commands) + "</pre>\n";
    }
    return text + "</body></html>\n";
}

}  // namespace vigil::local
