#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schema/profile/profile.hpp"

// Why a build is slower than another or takes more memory, as bisect/why tells it.

namespace vigil::profile {

/// One function, or several that compilers turned into one, on both sides.
struct WhyRow {
    std::string function;
    std::string file;               ///< empty: not known
    std::int64_t before = 0;        ///< in the unit of Why
    std::int64_t after = 0;         ///< likewise
    double share = 0;               ///< of the whole change; negative: it got cheaper
    std::int64_t calls_before = 0;  ///< blocks, where the unit is bytes
    std::int64_t calls_after = 0;
    bool touched = false;              ///< the commit changes its file
    std::vector<std::string> inlined;  ///< functions whose costs are in this row, by inlining
    /// What grew most for it: a library function, a file whose code is inlined, or the operator
    /// that called this one; may be empty.
    std::string mostly_in;
    std::string line = {};  ///< of the project, that grew most: "src/a.hpp:12"; may be empty
    // Of operators:
    std::int64_t bytes_before = 0;  ///< that it asks for itself
    std::int64_t bytes_after = 0;
    std::vector<std::string> shapes_before = {};
    std::vector<std::string> shapes_after = {};
    std::string in_place_of = {};  ///< another operator was called for these shapes before
};

struct Why {
    CostUnit unit = CostUnit::instructions;
    std::int64_t before = 0;  ///< of one run
    std::int64_t after = 0;
    std::vector<WhyRow> rows;        ///< the largest first; those that explain something
    int telling = 0;                 ///< so many of the first rows are enough to tell
    double explained = 0;            ///< share of the change that they are
    std::string words;               ///< one sentence: what the rows explain, or that they do not
    std::vector<std::string> notes;  ///< what limits it, one sentence each
    std::vector<Why> beside = {};    ///< of the same two builds, by other profilers
};

/// "950", "12.3 k", "1.52 G".
std::string count_text(std::int64_t count);
/// The same with a unit where it is no count: "12.3 MiB".
std::string cost_text(std::int64_t cost, CostUnit unit);
/// What a table calls the first column: "function".
std::string_view function_word(CostUnit unit);
/// What a table calls the last column: "calls"; of samples "of the run".
std::string_view calls_word(CostUnit unit);
/// What costs are in a sentence: "instructions", "bytes at the peak".
std::string_view unit_words(CostUnit unit);
/// What measures it: "callgrind", "perf".
std::string_view tool_of(CostUnit unit);
/// "One run of each side under callgrind executed 1.2 M and 1.3 M instructions"
std::string whole_text(const Why& why);
/// Of an operator: the shapes of what it reads, before and after where they differ.
std::string shapes_text(const WhyRow& row);
/// Which code a row is of beside its function: where it grew, in place of what, with what inlined.
/// @param shown  a stranger's name, as it may stand in the text
std::string names_of(const WhyRow& row, const std::function<std::string(std::string)>& shown);
/// The same with what is to be told of an operator, a stranger's text; may be empty.
std::string more_of(const WhyRow& row);
/// Calls before and after: "12 -> 24"; one number where they are the same. Of samples the share of
/// the run that is in the function: "3.1 % -> 9.8 %".
std::string calls_text(const Why& why, const WhyRow& row);

/// A table for a terminal, with the sentence and the notes below it; several lines.
/// @param width  columns, at least 60
std::string why_text(const Why& why, std::size_t width);

/// {"unit", "before", "after", "rows": [...], "telling", "explained", "words", "notes"}, with the
/// names of the members above.
nlohmann::json why_json(const Why& why);

}  // namespace vigil::profile
