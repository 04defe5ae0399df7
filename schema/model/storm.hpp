#pragma once

#include "schema/model/enum_names.hpp"
#include "schema/model/ids.hpp"

namespace vigil {

using StormId = Id<struct StormTag>;

/// What became of many series of one worker that moved in one night.
enum class StormState {
    checking,     ///< old builds are measured again
    environment,  ///< they moved too: the machine did
    code,         ///< they did not
    mixed,        ///< neither can be said
    given_up,     ///< too few could be measured again
};

}  // namespace vigil
