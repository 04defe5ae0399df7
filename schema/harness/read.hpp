#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/harness/report.hpp"

namespace vigil::harness {

/// Whether `read_reports` knows who wrote this text; a file that is broken further on counts too.
bool is_report(std::string_view text);

/// Reads one file of any harness, which is seen from its first members, lines or columns: UTF-8, at
/// most `max_file_bytes`. Only a CSV holds more than one report. Python's NaN and Infinity in JSON
/// are read as null.
/// @param file  its name, for errors
/// @throws Error{invalid_argument} one line that names the file and the place
std::vector<Report> read_reports(std::string_view text, const std::string& file);

}  // namespace vigil::harness
