#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <nlohmann/json_fwd.hpp>

// A search as its page and the page of its regression show it. Pure functions of what the API
// answers of it: `bisection` is of /api/v1/bisections/{id}, `standing` of its standing.

namespace vigil::service {

/// What is said of a series: of what it is, and in which unit.
struct SeriesName {
    std::string words;
    std::string unit;
};
using SeriesNames = std::map<std::int64_t, SeriesName>;

/// Positions of the commits that it named; none while it goes on.
std::set<std::int64_t> named_commits(const nlohmann::json& bisection);

/// The commits in a row and what is left of them, for range.html; null while none are listed.
nlohmann::json range_view(const nlohmann::json& bisection, const nlohmann::json& standing);

/// How likely each commit is, one for each series, for posterior.html. Shares are rounded down, so
/// that together they are never more than 100 %.
nlohmann::json posterior_views(
    const nlohmann::json& bisection, const nlohmann::json& standing, const SeriesNames& names);

/// Its probes for probes.html, those that run first; null where there are none.
nlohmann::json probes_view(
    const nlohmann::json& bisection, const SeriesNames& names, std::int64_t now_s);

/// The levels of one series along the commits, for levels.html; null below two.
/// @param levels   of /api/v1/regressions/{id}/levels, one of `series`
/// @param commits  how many were searched
nlohmann::json levels_view(
    const nlohmann::json& levels,
    std::int64_t commits,
    const std::optional<std::string>& culprit,
    const std::string& series);

}  // namespace vigil::service
