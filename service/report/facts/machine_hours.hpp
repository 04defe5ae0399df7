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

/// A UTC day of a project with a budget of machine hours.
struct BudgetDay {
    std::string day;  ///< "2026-11-29"
    std::int64_t used_s = 0;
    std::int64_t limit_s = 0;

    bool is_spent() const { return used_s >= limit_s; }
};
/// The days up to the last one that has hours, oldest first.
/// @param times  of the days in question, in any order
std::vector<BudgetDay> budget_days(const std::vector<DayTime>& times, std::int64_t limit_s);

/// "2026-11-28 41 h 02 min of 40 h (spent: work waited for the next day), 2026-11-29 3 h 00 min of
/// 40 h"
std::string budget_words(const std::vector<BudgetDay>& days);

/// "49 h 12 min": like text::duration, without days.
std::string hours_words(std::int64_t seconds);

/// "builds 12 min 00 s, measuring 58 min 00 s"; what took no time is left out.
std::string class_hours_words(const ClassHours& hours);

}  // namespace vigil::service
