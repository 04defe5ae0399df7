#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "service/api/findings/standing.hpp"
#include "service/api/rows/findings.hpp"

// A search as its page and the page of its regression show it. Pure functions.

namespace vigil::service {

/// What is said of a series: of what it is, and in which unit.
struct SeriesName {
    std::string words;
    std::string unit;
};
using SeriesNames = std::map<std::int64_t, SeriesName>;

/// The commits in a row and what is left of them, for range.html; null while none are listed.
nlohmann::json range_view(const WholeSearch& search, const SearchStanding& standing);

/// How likely each commit is, one for each series, for posterior.html. Shares are rounded down, so
/// that together they are never more than 100 %.
nlohmann::json posterior_views(
    const WholeSearch& search, const SearchStanding& standing, const SeriesNames& names);

/// Its probes for probes.html, those that run first; null where there are none.
nlohmann::json probes_view(const WholeSearch& search, const SeriesNames& names, std::int64_t now_s);

/// The levels of one series along the commits, for levels.html; null below two.
/// @param marks    of it, one of `levels`
/// @param culprit  a revision
nlohmann::json levels_view(
    const RegressionLevels& levels,
    const std::vector<search::CommitLevel>& marks,
    const std::optional<std::string>& culprit,
    const std::string& series);

}  // namespace vigil::service
