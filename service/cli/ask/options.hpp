#pragma once

#include <string>

#include "schema/model/metric.hpp"
#include "service/cli/common/option.hpp"

// Options of commands that list what a daemon has.

namespace vigil::cli {

inline const Option project_option{"project", "NAME", "only this project"};
inline const Option limit_option =
    whole_option("limit", "N", "at most N lines, newest first (default 30)", 1, max_lines);
inline const Option benchmark_option{"benchmark", "NAME", "only of this benchmark"};
inline const Option case_option{"case", "NAME", "only of this case of a program"};
inline const Option metric_option =
    choice_option("metric", "NAME", "only of this metric", names_of<Metric>());
inline const Option variant_option{"variant", "NAME", "only of this variant"};
inline const Option class_option{"machine-class", "NAME", "only of this machine class"};
inline const Option since_option{
    "since", "DATE", "from this day on (YYYY-MM-DD, UTC), or from so long ago (7d, 12h)"};
inline const Option until_option{
    "until", "DATE", "before this day (YYYY-MM-DD, UTC), or so long ago (7d, 12h)"};
inline const Option format_option = choice_option(
    "format", "FORMAT", "as csv, ndjson or markdown instead", {"csv", "ndjson", "markdown"});
inline const Option given_up_option{"given-up", "", "only what was given up and can be sent again"};
inline const Option reason_option{"reason", "TEXT", "why, for whoever looks at it later"};
inline Option nightly_option(const std::string& help) {
    return {"nightly", "NIGHT", help + ": its number or name (12, 2026-11-22, 2026-11-22.2)"};
}

}  // namespace vigil::cli
