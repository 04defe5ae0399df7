#pragma once

#include <string>
#include <vector>

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
    "since", "DATE", "from this day (YYYY-MM-DD, UTC), or for the last 7d or 12h"};
inline const Option until_option{
    "until", "DATE", "before this day (YYYY-MM-DD, UTC), or before 7d or 12h ago"};
inline const Option format_option = choice_option(
    "format", "FORMAT", "print csv, ndjson or markdown", {"csv", "ndjson", "markdown"});
inline const Option given_up_option{"given-up", "", "only those given up that can be sent again"};
inline const Option reason_option{"reason", "TEXT", "the reason, for the record"};
/// The options of a list of records: its own, then its days, its format and its length.
inline std::vector<Option> with_days_and_format(std::vector<Option> own) {
    own.insert(own.end(), {since_option, until_option, format_option, limit_option});
    return own;
}
inline Option nightly_option(const std::string& help) {
    return {"nightly", "NIGHT", help + ": its number or name (12, 2026-11-22, 2026-11-22.2)"};
}

}  // namespace vigil::cli
