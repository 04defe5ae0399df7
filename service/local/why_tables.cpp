#include "service/local/why_tables.hpp"

#include <fmt/format.h>

#include "schema/text/capital.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/numbers.hpp"

namespace vigil::local {

namespace {

using profile::WhyRow;

constexpr std::size_t most_shown_bytes = 200;

std::string with_end(const std::string& sentence) {
    return text::one_line(sentence, 1000) + ".";
}

std::vector<std::string> cells_of(const profile::Why& why, const WhyRow& row, bool is_operator) {
    const auto more = profile::more_of(row);
    std::vector<std::string> cells{
        text::one_line(row.function, most_shown_bytes) +
        (more.empty() ? "" : ", " + text::one_line(more, most_shown_bytes))};
    if (!is_operator) {
        cells.push_back(
            text::one_line(row.file, most_shown_bytes) +
            (row.touched ? ", changed by the commit" : ""));
    }
    cells.push_back(profile::cost_text(row.before, why.unit));
    cells.push_back(profile::cost_text(row.after, why.unit));
    cells.push_back(text::share(row.share, 0));
    cells.push_back(profile::calls_text(why, row));
    return cells;
}

WhyChapter chapter_of(const profile::Why& why) {
    const bool is_operator = profile::function_word(why.unit) == "operator";
    WhyChapter chapter;
    chapter.title = fmt::format(
        "Why: {} of one run of each side, by {}",
        profile::unit_words(why.unit),
        profile::tool_of(why.unit));
    chapter.table.head = {is_operator ? "Operator" : "Function"};
    if (!is_operator) chapter.table.head.emplace_back("File");
    const std::string calls(profile::calls_word(why.unit));
    for (const auto* head : {"Before", "After", "Share"}) chapter.table.head.emplace_back(head);
    chapter.table.head.push_back(text::with_capital(calls));
    for (const auto& row : why.rows) chapter.table.rows.push_back(cells_of(why, row, is_operator));
    chapter.sentences.push_back(with_end(text::with_capital(why.words)));
    for (const auto& note : why.notes) chapter.sentences.push_back(with_end("Note: " + note));
    return chapter;
}

}  // namespace

std::vector<WhyChapter> why_chapters(const LocalWhy& why) {
    if (!why.found) return {{"Why", {}, {with_end("Not known: " + why.why_none)}}};
    std::vector<WhyChapter> chapters{chapter_of(*why.found)};
    for (const auto& one : why.found->beside) chapters.push_back(chapter_of(one));
    return chapters;
}

}  // namespace vigil::local
