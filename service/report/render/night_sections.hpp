#pragma once

#include <cstdint>
#include <string>

#include "service/report/facts/machine_hours.hpp"
#include "service/report/facts/night_facts.hpp"

namespace vigil::service {

// The parts of a night's summary, in its order. Each is bounded, and ends with an empty line or is
// empty. Pure.

/// Which commit broke the build. Ends with an empty line.
std::string breakage_section(const Links& links, const BreakageFact& fact);
std::string regressions_section(const NightFacts& facts);
std::string missing_section(const NightFacts& facts);
std::string series_section(const NightFacts& facts);  ///< what came, went, or is measured anew
std::string values_section(const NightFacts& facts);  ///< of what is measured beside the nights
std::string changes_section(const NightFacts& facts);
std::string better_section(const NightFacts& facts);  ///< which commits improved something
std::string storms_section(const NightFacts& facts);
std::string drifts_section(const NightFacts& facts);
std::string work_section(const NightFacts& facts);
/// What the service itself did in the week before.
std::string precision_section(const PrecisionFacts& facts);

}  // namespace vigil::service
