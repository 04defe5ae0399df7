#include "service/local/report.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "schema/text/capital.hpp"
#include "schema/text/escape.hpp"
#include "schema/text/lines.hpp"
#include "service/local/answer.hpp"
#include "service/local/explained.hpp"
#include "service/local/level_plot.hpp"
#include "service/local/progress.hpp"
#include "service/local/report_tables.hpp"
#include "service/local/why_tables.hpp"

namespace vigil::local {

namespace {

/// Name and text: commit, effect, how sure, cost, ...
using Chapters = std::vector<WhyChapter>;
using ReportFacts = std::vector<std::pair<std::string, std::string>>;

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

void add_explained(
    ReportFacts& facts, const Story& story, const search::SeriesEnding& ending, const char* what) {
    if (ending.explained) facts.emplace_back(what, explained_text(story, *ending.explained));
    if (!ending.remaining) return;
    facts.emplace_back("Remains", remaining_text(story, *ending.remaining));
}

/// How one search ended; none while it goes on.
ReportFacts ending_facts(const Found& found) {
    const auto& [story, decision] = found;
    ReportFacts facts;
    if (!decision.done) return facts;
    const auto& ending = decision.endings.front();
    if (ending.ending == search::Ending::culprit) add_culprit(facts, story, ending);
    if (ending.ending == search::Ending::range && ending.first == ending.last) {
        facts.emplace_back("Commit", story.revision(ending.first).str());
    } else if (ending.ending == search::Ending::range) {
        facts.emplace_back("First", story.revision(ending.first).str());
        facts.emplace_back("Last", story.revision(ending.last).str());
    }
    const bool unmoved = ending.ending == search::Ending::not_reproduced;
    const std::string effect = unmoved ? ends_text(story) : effect_text(story, ending);
    if (!effect.empty()) facts.emplace_back("Effect", effect);
    facts.emplace_back("Reason", text::one_line(ending.reason, 200));
    for (const auto& further : decision.further) {
        facts.emplace_back(
            "Further",
            fmt::format(
                "{} {}: {}",
                story.revision(further.last).str(),
                text::one_line(story.suspect(further.last).subject, 100),
                effect_text(story, further)));
    }
    add_explained(facts, story, ending, "Explains");
    return facts;
}

ReportFacts main_facts(const SearchAccount& account) {
    const auto& [story, decision] = static_cast<const Found&>(account);
    // The commit that did it comes first, and then by which merge.
    const auto& last = answering(account);
    auto facts = ending_facts(last);
    if (&last != &account) {
        for (const Found* one = &last; one != &account;) {
            one = one == account.inside.data() ? &account : one - 1;
            const auto& ending = one->decision.endings.front();
            facts.emplace_back(
                "Came in by the merge",
                one->story.revision(ending.last).str() + ": " + effect_text(one->story, ending));
        }
        add_explained(facts, story, decision.endings.front(), "The merge explains");
    }
    for (const auto& one : account.inside) {
        facts.emplace_back("In " + inside_words(*one.story.start().inside), inside_outcome(one));
    }
    const Order& order = story.order();
    facts.emplace_back("Suspects", std::to_string(story.last()));
    facts.emplace_back("Good", order.good.str());
    const std::string parting = parting_text(story);
    if (!parting.empty()) facts.emplace_back("Begins at", story.revision(0).str());
    if (!parting.empty()) facts.emplace_back("Note", parting);
    facts.emplace_back("Bad", order.bad.str());
    facts.emplace_back("Measured", measure_text(order));
    if (story.chosen()) {
        const auto& counts = story.chosen()->counts;
        facts.emplace_back("All cases", cases_verdict(counts, order.better));
        facts.emplace_back("Of these", counts_text(counts));
    }
    facts.emplace_back("Threshold", fmt::format("{:.4g} %", 100 * order.threshold));
    facts.emplace_back("Build", text::one_line(order.build, 1000));
    facts.emplace_back("Benchmark", text::one_line(bench_line(order), 1000));
    facts.emplace_back("Cost", cost_text(cost_of(story, account.inside)));
    return facts;
}

/// The same of a search inside of a merge, without what it shares with the outer one.
ReportFacts inside_facts(const Found& found) {
    ReportFacts facts = ending_facts(found);
    if (facts.empty()) facts.emplace_back("Outcome", inside_outcome(found));
    facts.emplace_back("Suspects", std::to_string(found.story.last()));
    facts.emplace_back("From", found.story.revision(0).str());
    facts.emplace_back("To", found.story.revision(found.story.last()).str());
    facts.emplace_back("Cost", cost_text(cost_of(found.story)));
    return facts;
}

std::string title_of(const SearchAccount& account) {
    std::string title = "Vigil: " + verdict_text(account.decision);
    const auto& [story, decision] = answering(account);
    if (!names_culprit(decision)) return title;
    const auto& suspect = story.suspect(decision.endings.front().first);
    title += ", " + suspect.revision.brief() + " " + text::one_line(suspect.subject, 100);
    if (&story != &account.story) {
        title += " (inside of the merge " + story.start().inside->merge.brief() + ")";
    }
    return title;
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
    for (const char* name :
         {"Subject", "Why", "Commits in order", "Values", "Case", "Function", "Operator", "File"}) {
        if (head == name) return "long";
    }
    return head == "Level" || head == "Author" || head == "Runs" ? "text" : "word";
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

/// One search of a report, before it is Markdown or HTML. It must not outlive the account.
struct Part {
    std::string title;
    ReportFacts facts;
    const Found& found;
};

/// That of the line first.
std::vector<Part> parts_of(const SearchAccount& account) {
    std::vector<Part> parts{{title_of(account), main_facts(account), account}};
    for (const auto& one : account.inside) {
        parts.push_back({text::with_capital(inside_text(one.story)), inside_facts(one), one});
    }
    return parts;
}

std::string command_lines(const std::vector<Part>& parts) {
    std::string text;
    for (const auto& part : parts) {
        for (const auto& command : commands_to_see(part.found.story, part.found.decision)) {
            // The user's own commands; control characters in them would spoil the document.
            text += text::one_line(command, 4000) + "\n";
        }
    }
    return text;
}

std::string markdown_facts(const ReportFacts& facts) {
    std::string text;
    for (const auto& [name, value] : facts) {
        text += fmt::format("- **{}**: {}\n", name, text::markdown(value));
    }
    return text;
}

std::string markdown_search(const Found& found) {
    const auto& [story, decision] = found;
    std::string text =
        "\n" + text::fenced(
                   "range        " + range_bar(story, decision, 80) + "\nprobability  " +
                       bars(decision.posterior.front(), 80) + "\n",
                   "text");
    for (const auto& chapter : chapters(story, decision)) {
        text += fmt::format("\n## {}\n\n{}", chapter.title, markdown_table(chapter.table));
    }
    return text;
}

/// Below the facts of the search that names the culprit, which comes first.
std::string markdown_why(const std::optional<LocalWhy>& why) {
    std::string text;
    for (const auto& [title, table, sentences] : why ? why_chapters(*why) : Chapters{}) {
        text += fmt::format("\n## {}\n\n", title);
        if (!table.rows.empty()) text += markdown_table(table) + "\n";
        for (const auto& one : sentences) text += text::markdown(one) + "\n";
    }
    return text;
}

std::string html_why(const std::optional<LocalWhy>& why) {
    std::string text;
    for (const auto& [title, table, sentences] : why ? why_chapters(*why) : Chapters{}) {
        text += fmt::format("<h2>{}</h2>\n", title);
        if (!table.rows.empty()) text += html_table(table);
        for (const auto& one : sentences) text += "<p>" + text::html(one) + "</p>\n";
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

std::string html_search(const Found& found) {
    const auto& [story, decision] = found;
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
.one{stroke-dasharray:2 2}
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

std::string markdown_report(const SearchAccount& account, const std::optional<LocalWhy>& why) {
    const auto parts = parts_of(account);
    std::string text;
    for (const auto& part : parts) {
        const bool is_first = &part == &parts.front();
        text += (is_first ? "# " : "\n# ") + text::markdown(part.title) + "\n\n" +
                markdown_facts(part.facts) + (is_first ? markdown_why(why) : "") +
                markdown_search(part.found);
    }
    const auto commands = command_lines(parts);
    if (!commands.empty()) text += "\n## To see it again\n\n" + text::fenced(commands, "text");
    return text;
}

std::string html_report(const SearchAccount& account, const std::optional<LocalWhy>& why) {
    const auto parts = parts_of(account);
    std::string text = page_head;
    text += "<title>" + text::html(parts.front().title) + "</title></head>\n<body>\n";
    for (const auto& part : parts) {
        text += "<h1>" + text::html(part.title) + "</h1>\n" + html_facts(part.facts) +
                (&part == &parts.front() ? html_why(why) : "") + html_search(part.found);
    }
    const auto commands = command_lines(parts);
    if (!commands.empty()) {
        text += "<h2>To see it again</h2>\n<pre>" + text::html(commands) + "</pre>\n";
    }
    return text + "</body></html>\n";
}

}  // namespace vigil::local
