#pragma once

#include <cstddef>
#include <optional>
#include <span>
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

/// Changes whenever a stored state would be read or continued in another way.
inline constexpr unsigned level_state_version = 1;

/// The state as bytes, the same on every machine: a version, small counts, and one double for each
/// night that is remembered. What can be computed from these is not written.
std::vector<std::byte> write_level_state(const LevelState& state);

/// The state that these bytes are of.
/// @return  nullopt when they are of another version, or of no state at all
std::optional<LevelState> read_level_state(std::span<const std::byte> bytes);

/// The same as a part of a larger state, without a version of its own.
void write_level_state(StateWriter& out, const LevelState& state);
std::optional<LevelState> read_level_state(StateReader& in);

/// Fills `residual` and `after_border`, which follow from the levels and where they end.
void restore_residuals(Kept& kept);

}  // namespace vigil::trend
