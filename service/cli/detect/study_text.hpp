#pragma once

#include <cstddef>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "service/cli/detect/study.hpp"
#include "service/cli/history/history.hpp"

// What is told of a study. Pure functions.

namespace vigil::cli {

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

/// Whether a change's first night is not before `since`.
/// @throws Error{invalid_argument} when `since` is of another kind than the history's nights
bool is_since(const History& history, std::size_t night, const std::string& since);

/// A change for the worse that is sure, and above the threshold.
bool is_bad(const StudiedChange& change, const DetectWishes& wishes);

std::string study_text(const History& history, const Study& study, const DetectWishes& wishes);
nlohmann::json study_json(const History& history, const Study& study, const DetectWishes& wishes);

}  // namespace vigil::cli
