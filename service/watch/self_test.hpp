#pragma once

#include <cstdint>

#include "service/config/config.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// Looks whether what the self-test planted was reported in time: else it is the trouble
/// "self_test.missed", until one that was planted later is reported, or the config has no
/// self-test any more.
void check_self_tests(Database& db, const Config& config, std::int64_t now_s);

}  // namespace vigil::service
