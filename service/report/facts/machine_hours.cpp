#include "service/report/facts/machine_hours.hpp"

#include <array>
#include <map>

#include <fmt/format.h>

#include "schema/text/numbers.hpp"

namespace vigil::service {

namespace {

std::int64_t& place_of(ClassHours& hours, MachineWork work) {
    switch (work) {
        case MachineWork::nightly: return hours.measuring_s;
        case MachineWork::confirm: return hours.confirming_s;
        case MachineWork::probe:
        case MachineWork::verify: return hours.searching_s;
        case MachineWork::request: return hours.requests_s;
        case MachineWork::canary: break;
    }
    return hours.canaries_s;
}

}  // namespace

std::int64_t ClassHours::total_s() const {
    return builds_s + measuring_s + confirming_s + searching_s + requests_s + canaries_s;
}

std::vector<ClassHours> hours_by_class(const std::vector<MachineTime>& times) {
    std::map<std::string, ClassHours> classes;
    for (const auto& one : times) {
        auto& hours = classes[one.machine_class];
        hours.machine_class = one.machine_class;
        hours.builds_s += one.build_s;
        place_of(hours, one.work) += one.seconds - one.build_s;
    }
    std::vector<ClassHours> all;
    for (auto& [name, hours] : classes) all.push_back(std::move(hours));
    return all;
}

std::vector<BudgetDay> budget_days(const std::vector<DayTime>& times, std::int64_t limit_s) {
    constexpr std::int64_t day_s = 86'400;
    std::map<std::int64_t, BudgetDay> days;
    for (const auto& one : times) {
        auto& day = days[one.day];
        day.day = text::utc(one.day * day_s).substr(0, 10);
        day.used_s += one.time.seconds;
        day.limit_s = limit_s;
    }
    std::vector<BudgetDay> all;
    for (auto& [number, day] : days) all.push_back(std::move(day));
    return all;
}

std::string budget_words(const std::vector<BudgetDay>& days) {
    std::string words;
    for (const auto& one : days) {
        words += fmt::format(
            "{}{} {} of {} h{}",
            words.empty() ? "" : ", ",
            one.day,
            hours_words(one.used_s),
            one.limit_s / 3600,
            one.is_spent() ? " (spent: work waited for the next day)" : "");
    }
    return words;
}

std::string hours_words(std::int64_t seconds) {
    if (seconds < 86400) return text::duration(seconds);
    return fmt::format("{} h {:02} min", seconds / 3600, seconds / 60 % 60);
}

std::string class_hours_words(const ClassHours& hours) {
    const std::array parts{
        std::pair{"builds", hours.builds_s},
        std::pair{"measuring", hours.measuring_s},
        std::pair{"confirming", hours.confirming_s},
        std::pair{"searching", hours.searching_s},
        std::pair{"requests", hours.requests_s},
        std::pair{"canaries", hours.canaries_s}};
    std::string words;
    for (const auto& [name, seconds] : parts) {
        if (seconds == 0) continue;
        words += fmt::format("{}{} {}", words.empty() ? "" : ", ", name, hours_words(seconds));
    }
    return words;
}

}  // namespace vigil::service
