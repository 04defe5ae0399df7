#pragma once

#include <filesystem>

#include "tests/bench/nights/record.hpp"
#include "tests/bench/nights/world.hpp"

// Plays in files, as one JSON object: what the world was, and what was said.

namespace vigil::nights {

/// The world of a file: its options, commits and plants. Its noise is drawn anew, by its word.
/// @throws Error{not_found} when it cannot be read, Error{invalid_argument} when it is no such file
World read_world(const std::filesystem::path& file);

/// @throws Error{unavailable} when it cannot be written
void write_play(const std::filesystem::path& file, const World& world, const Record& record);

}  // namespace vigil::nights
