#pragma once

#include <cstdint>
#include <string>

#include "service/config/config.hpp"
#include "service/store/nights/nightlies.hpp"

// Which way series are better: by what results and plans tell, and by the rules of the config.

namespace vigil::service {

/// Ends what stands open of a series whose values no longer say it: its only regression is refuted,
/// or closed where it was never told; of one with other series it is taken out.
void close_found(Database& db, SeriesId series, const std::string& why, std::int64_t now_s);

/// Settles it for each series of a night before it is judged. A series that was judged the other
/// way begins a new level with this night; an open regression of one that was judged the other way,
/// or that nothing tells it of any more, is closed with that reason. What nothing tells it of is a
/// trouble of the project, which names the key of the config that decides.
void settle_directions(
    Database& db, const ProjectConfig& config, const NightlyRow& night, std::int64_t now_s);

}  // namespace vigil::service
