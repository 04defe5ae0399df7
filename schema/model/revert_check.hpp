#pragma once

#include "schema/model/enum_names.hpp"

namespace vigil {

/// Of the question whether taking a culprit back would help.
enum class RevertState {
    waiting,    ///< for the day's budget
    applying,   ///< the git lane is asked whether it reverts on the newest revision
    measuring,  ///< newest revision against its revert
    comparing,  ///< the culprit's parent against the newest revision
    done
};

/// What taking a culprit back from the newest revision would do.
enum class RevertOutcome {
    helps,       ///< the whole change comes back
    in_part,     ///< a part of it
    no_help,     ///< nothing comes back, and the newest revision is still worse
    unclear,     ///< the runs could not tell
    gone,        ///< the newest revision is as before the culprit
    taken_back,  ///< it holds nothing of the culprit, and is still worse
    conflicts,   ///< the revert does not apply
    not_held,    ///< the newest revision does not follow the culprit
    unknown      ///< it could not be measured
};

}  // namespace vigil
