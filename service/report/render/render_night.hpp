#pragma once

#include "service/report/facts/night_facts.hpp"
#include "service/report/render/render_regression.hpp"

namespace vigil::service {

/// Whether the night is done, held something against an earlier night, and nothing asks for a
/// person: no regression of its project is open, nothing is missing, no suspicion waits for another
/// night's runs. What is measured beside the nights never is: it was not judged; nor what is
/// withdrawn, whole or in part.
bool is_all_clear(const NightFacts& facts);

/// The summary of one night: what is open, what is missing, what ran. "All clear" is said aloud
/// when it is. A pure function; at most `max_body_bytes`.
Document render_night(const NightFacts& facts);

}  // namespace vigil::service
