#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/model/job.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"

// Machines that a cluster gives for one class need not be alike, but their values make one series.

namespace vigil::service {

/// What two machines differ in as far as it moves numbers: CPU, memory by more than 10 %, GPUs with
/// their drivers, toolchain. One short phrase each; none: their values may be compared.
/// @param usual  of the class
std::vector<std::string> list_differences(const Fingerprint& usual, const Fingerprint& shown);

/// What most of these show; of equally many, what comes first.
/// @param all  not empty
const Fingerprint& most_usual(const std::vector<Fingerprint>& all);

/// Whether more than half of these are like `shown`.
bool is_majority(const Fingerprint& shown, const std::vector<Fingerprint>& all);

/// How long a worker that is not heard of counts for what its class is.
inline constexpr std::int64_t counts_for_s = std::int64_t{30} * 86'400;

/// Compares a worker of a class of the fleet with its class; others are left as they are. The class
/// is what most of its workers show first, and later what more than half of them show. Who differs
/// is held before it gets a job. Who was released by a person as it is may measure.
/// @param worker  that was noted with this fingerprint, and has all that the class demands
void compare_with_class(
    Database& db,
    const Config& config,
    WorkerId worker,
    const std::string& machine_class,
    const Fingerprint& shown,
    std::int64_t now_s);

}  // namespace vigil::service
