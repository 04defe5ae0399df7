#include "service/local/report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "service/local/answer.hpp"
#include "service/local/progress.hpp"
#include "service/local/report_facts.hpp"
#include "service/local/text.hpp"

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
    const bool found =
        about.decision.done && about.decision.endings.front().ending == search::Ending::culprit;
    if (!found) return title;
    const auto deepest = deepest_culprit(about.inside);
    const Story& story = deepest == 0 ? about.story : about.inside[deepest - 1].story;
    const auto& decision = deepest == 0 ? about.decision : about.inside[deepest - 1].decision;
    const auto& suspect = story.suspect(decision.endings.front().first);
    title += ", " + suspect.revision.brief() + " " + shown(suspect.subject, 100);
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
        for (const auto& cell : row) text += " " + markdown_escaped(cell) + " |";
        text += "\n";
    }
    return text;
}

std::string html_table(const ReportTable& table) {
    std::string text = "<table><tr>";
    for (const auto& cell : table.head) text += "<th>" + html_escaped(cell) + "</th>";
    text += "</tr>\n";
    for (const auto& row : table.rows) {
        text += "<tr>";
        for (const auto& cell : row) text += "<td>" + html_escaped(cell) + "</td>";
        text += "</tr>\n";
    }
    return text + "</table>\n";
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
    for (const auto& command : commands) text += shown(command, 4000) + "\n";
    return text;
}

std::string markdown_facts(const ReportFacts& facts) {
    std::string text;
    for (const auto& [name, value] : facts) {
        text += fmt::format("- **{}**: {}\n", name, markdown_escaped(value));
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
        text += fmt::format(
            "<tr><th>{}</th><td>{}</td></tr>\n", html_escaped(name), html_escaped(value));
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

constexpr const char* page_head =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<style>body{font:15px/1.5 sans-serif;max-width:62rem;margin:2rem auto;"
    "padding:0 1rem;color:#1f2328}table{border-collapse:collapse;width:100%}"
    "td,th{border-bottom:1px solid #d8dee4;padding:.25rem .5rem;text-align:left;"
    "vertical-align:top;overflow-wrap:anywhere}th{white-space:nowrap}"
    "pre{background:#f6f8fa;padding:1rem;overflow:auto}</style>\n";

}  // namespace

std::string markdown_report(
    const Story& story, const search::Decision& decision, std::span<const Found> inside) {
    const Subject about{story, decision, inside};
    std::string text = "# " + markdown_escaped(title_of(about)) + "\n\n" +
                       markdown_facts(main_facts(story, decision, inside)) +
                       markdown_search(story, decision);
    for (const auto& one : inside) {
        text += "\n# " + markdown_escaped(inside_heading(one.story)) + "\n\n" +
                markdown_facts(inside_facts(one)) + markdown_search(one.story, one.decision);
    }
    const std::string commands = command_lines(about);
    if (!commands.empty()) text += "\n## To see it again\n\n" + fenced(commands);
    return text;
}

std::string html_report(
    const Story& story, const search::Decision& decision, std::span<const Found> inside) {
    const Subject about{story, decision, inside};
    const std::string title = html_escaped(title_of(about));
    std::string text = page_head;
    text += "<title>" + title + "</title></head>\n<body>\n<h1>" + title + "</h1>\n" +
            html_facts(main_facts(story, decision, inside)) + html_search(story, decision);
    for (const auto& one : inside) {
        text += "<h1>" + html_escaped(inside_heading(one.story)) + "</h1>\n" +
                html_facts(inside_facts(one)) + html_search(one.story, one.decision);
    }
    const std::string commands = command_lines(about);
    if (!commands.empty()) {
        text += "<h2>To see it again</h2>\n<pre>" + html_escaped(commands) + "</pre>\n";
    }
    return text + "</body></html>\n";
}

}  // namespace vigil::local
