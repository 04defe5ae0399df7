#pragma once

#include "service/report/facts/night_facts.hpp"
#include "service/report/render/render_regression.hpp"

namespace vigil::service {

/// The summary of one night: what is open, what is missing, what ran. "All clear" is said aloud
/// when it is. A pure function; at most `max_body_bytes`.
Document render_night(const NightFacts& facts);

}  // namespace vigil::service
