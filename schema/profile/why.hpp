#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

// Why a build is slower than another, as bisect/why tells it.

namespace vigil::profile {

/// One function, or several that compilers turned into one, on both sides.
struct WhyRow {
    std::string function;
    std::string file;         ///< empty: not known
    std::int64_t before = 0;  ///< instructions
    std::int64_t after = 0;   ///< likewise
    double share = 0;         ///< of the whole change; negative: it got cheaper
    std::int64_t calls_before = 0;
    std::int64_t calls_after = 0;
    bool touched = false;              ///< the commit changes its file
    std::vector<std::string> inlined;  ///< functions whose costs are in this row, by inlining
    std::string mostly_in;             ///< the library function that grew most for it; may be empty
};

struct Why {
    std::int64_t before = 0;  ///< instructions of one run
    std::int64_t after = 0;
    std::vector<WhyRow> rows;        ///< the largest first; those that explain something
    int telling = 0;                 ///< so many of the first rows are enough to tell
    double explained = 0;            ///< share of the change that they are
    std::string words;               ///< one sentence: what the rows explain, or that they do not
    std::vector<std::string> notes;  ///< what limits it, one sentence each
};

/// "950", "12.3 k", "1.52 G".
std::string count_text(std::int64_t count);
/// Calls before and after: "12 -> 24"; one number where they are the same.
std::string calls_text(const WhyRow& row);

/// A table for a terminal, with the sentence and the notes below it; several lines.
/// @param width  columns, at least 60
std::string why_text(const Why& why, std::size_t width);

/// {"before", "after", "rows": [...], "telling", "explained", "words", "notes"}, with the names of
/// the members above.
nlohmann::json why_json(const Why& why);

}  // namespace vigil::profile
