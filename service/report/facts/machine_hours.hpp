#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "service/store/work/machine_time.hpp"

// The machine time of attempts, summed up for readers.

namespace vigil::service {

/// Seconds that one machine class spent, by what for; builds are in none of the others.
struct ClassHours {
    std::string machine_class;
    std::int64_t builds_s = 0;
    std::int64_t measuring_s = 0;
    std::int64_t confirming_s = 0;
    std::int64_t searching_s = 0;  ///< probes and the check of a culprit
    std::int64_t requests_s = 0;
    std::int64_t canaries_s = 0;

    std::int64_t total_s() const;
};
/// A row for each class, in the order of their names.
std::vector<ClassHours> hours_by_class(const std::vector<MachineTime>& times);

/// "49 h 12 min": like text::duration, without days.
std::string hours_words(std::int64_t seconds);

/// "builds 12 min 00 s, measuring 58 min 00 s"; what took no time is left out.
std::string class_hours_words(const ClassHours& hours);

}  // namespace vigil::service
