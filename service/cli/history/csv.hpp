#pragma once

#include <string>
#include <string_view>

#include "service/cli/history/history_rows.hpp"

namespace vigil::cli {

/// @param file  its name, for messages
void read_csv(std::string_view text, const std::string& file, HistoryRows& rows);

}  // namespace vigil::cli
