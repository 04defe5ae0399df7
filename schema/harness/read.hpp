#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/harness/report.hpp"

namespace vigil::text {
class ReadBudget;
}

namespace vigil::harness {

struct ReadOptions {
    std::optional<Harness> format = {};  ///< who wrote it; else it is seen from the file
    /// Without its folder; some programs say there what their rows do not. May be empty.
    std::string file_name = {};
    /// Whether a file of a known format in which nothing ran is a report too.
    bool takes_nothing = false;
    std::size_t most_reports = 100'000;
    text::ReadBudget* budget = nullptr;  ///< of several texts together; null: one of its own
};

/// Whether `read_reports` knows who wrote this text; a file that is broken further on counts too.
bool is_report(std::string_view text);

/// Reads one file of any harness: UTF-8, at most `max_file_bytes`. Only a CSV and a data.js hold
/// more than one report. Python's NaN and Infinity in JSON are read as null. Rows that cannot be
/// used are left out, and told in the report. Memory and time follow the size of the text
/// (schema/text/read_budget.hpp).
/// @param file  its name, for errors
/// @throws Error{invalid_argument} one line that names the file and the place; also where no row at
///         all can be used; BudgetError, likewise of one line
std::vector<Report> read_reports(
    std::string_view text, const std::string& file, const ReadOptions& options = {});

}  // namespace vigil::harness
