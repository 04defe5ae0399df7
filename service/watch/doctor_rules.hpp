#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "service/watch/doctor.hpp"

// The doctor's rules by what they look at. Inside of service/watch/doctor.cpp.

namespace vigil::service {

/// The ledger, the content store, the disk, the clock and the backups.
std::vector<DoctorFinding> find_in_state(const DoctorFacts& facts);

/// Jobs, messages, nights, searches, workers, sources and series.
std::vector<DoctorFinding> find_in_work(const DoctorFacts& facts);

/// "2026-11-29 03:15 UTC"
std::string time_words(std::int64_t time_s);

}  // namespace vigil::service
