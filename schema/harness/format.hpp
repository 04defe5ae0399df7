#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "schema/harness/report.hpp"
#include "schema/text/read_budget.hpp"

// Which program wrote a text. Seen from its structure: the members of its document, the columns of
// its header, whole lines of a known form; never from words somewhere in it.

namespace vigil::harness {

/// What a file is, and its document where it is one of JSON.
struct Opened {
    Harness harness = Harness::csv;
    std::shared_ptr<const nlohmann::json> document = {};  ///< null of what is read line by line
    bool is_table = false;  ///< of criterion, which writes messages too
};

/// @param text    not empty, without blanks at its beginning
/// @param file    its name, for errors
/// @param wanted  decides, where it is given
/// @throws Error{invalid_argument} naming the file: none of the known formats, a history of Vigil's
///         own, JSON that cannot be parsed; BudgetError
Opened open_file(
    std::string_view text,
    const std::string& file,
    std::optional<Harness> wanted,
    text::ReadBudget& budget);

/// One of many lines. Python writes NaN and Infinity, which JSON does not have: they are null.
/// @throws Error{invalid_argument}
nlohmann::json parse_line(std::string_view line, text::ReadBudget& budget);

/// A line where it is an object of its own; null: it is another one. @throws BudgetError
nlohmann::json object_in(std::string_view line, text::ReadBudget& budget);

}  // namespace vigil::harness
