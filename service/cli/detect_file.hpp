#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "service/cli/history.hpp"
#include "service/cli/options.hpp"
#include "service/cli/run.hpp"
#include "service/cli/study.hpp"

// `vigil detect FILE` and `vigil backtest FILE`: what both need, and how the first prints.

namespace vigil::cli {

/// The file of the command's only argument, or the files of benchmark programs; "-" is standard
/// input.
/// @throws Error{not_found} when one cannot be read, Error{invalid_argument} as read_history and
/// read_benchmark_files
HistoryFile read_history_of(const Invocation& invocation, const Surroundings& world);

/// --direction lower or higher.
Direction direction_of(const Invocation& invocation);

/// What is asked of a study.
struct DetectWishes {
    double threshold = 0.07;
    std::string since;  ///< changes whose first night is not earlier; empty: all
    bool explain = false;
    std::string night;  ///< with `explain`: only this one, in full; empty: all nights
    std::string svg;    ///< file for a drawing; empty: none
    bool plot = false;
    std::size_t width = 0;  ///< of the terminal; 0: not one
};

/// @throws Error{invalid_argument}
DetectWishes detect_wishes(const Invocation& invocation, const Surroundings& world);

/// Tried before anything is read: the options of `detect`.
/// @throws Error{invalid_argument}
void check_detect(const Invocation& invocation, const Surroundings& world);

/// Standard input is read alone. @throws Error{invalid_argument}
void check_history_files(const Invocation& invocation, const Surroundings& world);

/// Whether a change's first night is not before `since`.
/// @throws Error{invalid_argument} when `since` is of another kind than the history's nights
bool is_since(const History& history, std::size_t night, const std::string& since);

/// A change for the worse that is sure, and above the threshold.
bool is_bad(const StudiedChange& change, const DetectWishes& wishes);

std::string study_text(const History& history, const Study& study, const DetectWishes& wishes);
nlohmann::json study_json(const History& history, const Study& study, const DetectWishes& wishes);

ExitCode detect_in_file(const Invocation& invocation, const Surroundings& world);
ExitCode backtest_file(const Invocation& invocation, const Surroundings& world);

}  // namespace vigil::cli
