#pragma once

#include "service/cli/common/option.hpp"

// Options of several commands that ask a daemon.

namespace vigil::cli {

inline const Option project_option{"project", "NAME", "only this project"};
inline const Option limit_option =
    whole_option("limit", "N", "at most N lines, newest first (default 30)", 1, max_lines);
inline const Option since_option{"since", "DATE", "from this day on (YYYY-MM-DD, UTC)"};
inline const Option until_option{"until", "DATE", "before this day (YYYY-MM-DD, UTC)"};
inline const Option reason_option{"reason", "TEXT", "why, for whoever looks at it later"};

}  // namespace vigil::cli
