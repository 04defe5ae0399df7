#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "bisect/trend/background.hpp"
#include "bisect/trend/scale.hpp"
#include "schema/model/metric.hpp"

namespace vigil::trend {

class StateReader;
class StateWriter;

/// All that LevelWatch knows of a series: about a kilobyte, however long the series is.
struct LevelState {
    explicit LevelState(Direction direction) : scale(direction) {}

    Kept kept;
    Scale scale;
    std::size_t next_night = 0;  ///< nights seen, measured or not
};

/// The state as bytes, the same on every machine: small counts, and one double for each night that
/// is remembered. What can be computed from these is not written. The version is that of the whole.
void write_level_state(StateWriter& out, const LevelState& state);
/// @return  nullopt when the bytes are of no state at all
std::optional<LevelState> read_level_state(StateReader& in);

/// Fills `residual` and `after_border`, which follow from the levels and where they end.
void restore_residuals(Kept& kept);

}  // namespace vigil::trend
