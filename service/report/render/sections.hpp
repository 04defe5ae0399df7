#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "bisect/search/search.hpp"
#include "schema/model/metric_words.hpp"
#include "schema/text/escape.hpp"
#include "service/report/facts/regression_facts.hpp"

// The parts of a regression's report. Each is Markdown that ends with an empty line, or nothing
// when there is nothing to say. Pure functions. What is not in sections.cpp stands in the file of
// its section: answer_section, changes_section, considered_section, explained_section (why,
// revert), inside_section, levels_section, fix_section (recovered, earlier), others_section,
// reproduction_section, trail_section, verdict_sentence.

namespace vigil::service {

/// "`mlp` (`train`) on `xeon`".
template <class Series>
std::string series_words(const Series& series) {
    return fmt::format(
        "{} ({}) on {}",
        text::code_span(series.benchmark, 100),
        text::code_span(series.variant, 60),
        text::code_span(series.machine_class, 40));
}

inline constexpr std::string_view more_points = "- and {} more\n";
inline constexpr std::string_view more_rows = "\nAnd {} more.\n";

/// What `words_of` says of the first `most` of them; then how many more there are.
template <class All, class WordsOf>
std::string listed(
    const All& all,
    std::size_t most,
    const WordsOf& words_of,
    std::string_view more = more_points,
    std::string_view between = "") {
    std::string out;
    for (std::size_t i = 0; i < std::min(all.size(), most); ++i) {
        out.append(i == 0 ? "" : between).append(words_of(all[i]));
    }
    if (all.size() > most) out += fmt::format(fmt::runtime(more), all.size() - most);
    return out;
}

/// Whether it is closed.
bool is_over(RegressionState state);
/// What became of it: how it ended, else its state.
std::string standing_words(RegressionState state, std::optional<RegressionEnd> ended_as);
/// "17.1 % to 19.5 %".
std::string interval_words(const Comparison& comparison);
/// @param limit  of characters, before
std::string without_full_stop(std::string_view text, std::size_t limit);
/// A stranger's text as words of a sentence: harmless, and nothing in it is markup.
std::string plain_words(std::string_view text, std::size_t limit);
bool is_still_worse(const SeriesFact& series);
/// "S2: ", by which other parts of the report name it; empty where there is one series.
std::string label_of(const RegressionFacts& facts, std::size_t index);
/// "out of memory".
std::string failure_words(std::optional<Outcome> failed);
/// The hash in short, as a link where the commit's address is known.
std::string commit_ref(const Links& links, const Revision& revision);

/// Markdown words as a link; without an address the words alone.
/// @param words  our own, harmless already
std::string linked(const std::string& words, const std::string& url);

/// "`1a2b3c4d5e` `its subject`"; the subject where the range knows the commit.
std::string commit_words(const RegressionFacts& facts, const Revision& revision);
/// "`1a2b3c4d5e`", with "(good)" or "(bad)" at the ends of the range.
std::string end_or_commit(const RegressionFacts& facts, int position);
/// Whether the answer is inside of a merge, so that the search is not that between the two nights.
bool is_inside(const RegressionFacts& facts);
/// How much worse the bad end of the search that gave the answer is than its good end.
Comparison searched_change(const RegressionFacts& facts, const SeriesFact& series);
/// "the merge `1a2b3c4d5e` `its subject`, as its parent 2; ..."; empty: it is on the line.
std::string came_in_words(const RegressionFacts& facts);
/// The commit of a dependency that a search inside of it named, or why none.
std::string dependency_words(const InsideFact& inside);
const SuspectFact* find_suspect(const RegressionFacts& facts, const Revision& revision);

/// "reverted by `1a2b3c4d5e`, as its text says", as strong as it is known; Markdown.
std::string fix_words(const Links& links, const FixFact& fact);
/// What became of its series, before the rest of the first sentence; empty: none is back.
std::string recovery_words(const RegressionFacts& facts);
/// An earlier regression of these series, and whether the culprit says that it brings it back.
std::string earlier_words(const RegressionFacts& facts, const EarlierFact& earlier);

/// The first paragraph: what is worse, since when or by whom, how sure that is, what to do and by
/// when.
std::string verdict_section(const RegressionFacts& facts);
/// Who and where: culprit or range, nights.
std::string origin_section(const RegressionFacts& facts);
/// What takes more, what leaks, what no longer works.
std::string what_is_worse_section(const RegressionFacts& facts);
/// Whether a revert of the culprit would help, one line; empty: it is not known yet.
std::string revert_section(const RegressionFacts& facts);
/// Which functions of the culprit execute more than its parent's: three rows, the rest folded; or
/// why that is not known.
std::string why_section(const RegressionFacts& facts);
/// What became better that night, what came and went; folded.
std::string same_night_section(const RegressionFacts& facts);
/// Which series came back, and what fixed them.
std::string recovered_section(const RegressionFacts& facts);
/// "+6.6 % [5.1, 8.2], of +83.9 % when filed (...)"; empty: no later night measured it.
std::string today_words(const SeriesFact& series);
/// Where its series stand by now, where there are several.
std::string today_section(const RegressionFacts& facts);
/// That the culprit was reverted and nothing came back; empty: it is not so.
std::string reverted_section(const RegressionFacts& facts);
/// What was searched inside of merges.
std::string inside_section(const RegressionFacts& facts);
/// What the verified changes of a series explain of what was confirmed of it; nullopt: nothing is
/// verified, or it has no size.
std::optional<search::Explained> explained_of(const RegressionFacts& facts, std::size_t series);
std::string explained_section(const RegressionFacts& facts);
/// What else moved the series between the two builds.
std::string others_section(const RegressionFacts& facts);
std::string reproduction_section(const RegressionFacts& facts);
std::string levels_section(const RegressionFacts& facts);
/// @param budget  bytes it may take; later probes are left out, and counted, to keep to it
std::string trail_section(const RegressionFacts& facts, std::size_t budget);
std::string environment_section(const RegressionFacts& facts);
std::string considered_section(const RegressionFacts& facts);
/// How to answer, who is asked, by when, and where everything lies.
std::string answer_section(const RegressionFacts& facts);

/// The shell script of reproduction_section, without the fence; empty when it cannot be said.
std::string reproduction_script(const RegressionFacts& facts);

}  // namespace vigil::service
