#include "service/watch/night/former_names.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "service/store/findings/mutes.hpp"
#include "service/store/series/former_names.hpp"
#include "service/store/work/imports.hpp"
#include "service/watch/night/directions.hpp"

namespace vigil::service {

namespace {

constexpr int looked_at_nights = 10;
constexpr double like_ratio = 1.1;  // runs of one benchmark in one night differ by less
constexpr std::size_t most_named = 5;

/// Whether most nights hold runs that no one benchmark has.
bool holds_several(const std::vector<NightRuns>& nights) {
    const auto differing = std::ranges::count_if(nights, [](const NightRuns& night) {
        return night.runs > 1 && night.most > like_ratio * night.least;
    });
    return 2 * differing > std::ssize(nights);
}

std::string former_of(const SentReading& reading) {
    return reading.former.empty() ? reading.benchmark : reading.former;
}

/// Names of today by what they were called.
std::map<ClassVariant, std::set<std::string>> names_of(
    std::span<const SentReading> readings, MachineClassId machine_class) {
    std::map<ClassVariant, std::set<std::string>> names;
    for (const auto& reading : readings) {
        if (!reading.family.empty()) continue;
        names[{former_of(reading), reading.variant, machine_class}].insert(reading.benchmark);
    }
    return names;
}

/// What stands open of the series is of no one benchmark.
void close_findings(Database& db, SeriesId series, std::int64_t now_s) {
    constexpr const char* why =
        "its series held several benchmarks under one name; each has a series of its own now";
    if (const auto mute = find_series_mute(db, series)) end_mute(db, *mute, why, now_s);
    close_found(db, series, why, now_s);
}

void tell_of_closed(
    Database& db,
    const NightlyRow& night,
    const std::vector<std::string>& closed,
    std::int64_t now_s) {
    if (closed.empty()) return;
    auto names = fmt::format(
        "{}",
        fmt::join(closed.begin(), closed.begin() + std::min(closed.size(), most_named), ", "));
    if (closed.size() > most_named) {
        names += fmt::format(" and {} more", closed.size() - most_named);
    }
    const auto words = fmt::format(
        "{} series held several benchmarks under one name and are closed; each benchmark begins a "
        "series of its own: {}",
        closed.size(),
        names);
    tell_of_nightly(db, night, "series.changed", words, now_s);
}

}  // namespace

void settle_names(
    Database& db,
    const NightlyRow& night,
    MachineClassId machine_class,
    std::span<const SentReading> readings,
    std::int64_t now_s) {
    if (!has_former_series(db, night.project)) return;
    std::vector<std::string> closed;
    for (const auto& [former, names] : names_of(readings, machine_class)) {
        for (const auto series : list_former_series(db, night.project, former)) {
            settle_series(db, series);
            const auto& name = *names.begin();
            const bool is_one = names.size() == 1;
            if (is_one && name == former.benchmark) continue;
            const bool was_one =
                is_one && !holds_several(list_night_runs(db, series, looked_at_nights));
            if (was_one && rename_series(db, series, name)) continue;
            rename_series(db, series, former.benchmark + " (several as one)");
            close_findings(db, series, now_s);
            closed.push_back(former.benchmark + " (" + former.variant + ")");
        }
    }
    tell_of_closed(db, night, closed, now_s);
}

std::optional<JobId> find_former_job(
    Database& db,
    NightlyId night,
    MachineClassId machine_class,
    std::span<const SentReading> readings) {
    const auto jobs = list_former_jobs(db, night, machine_class);
    if (jobs.empty()) return std::nullopt;
    std::set<std::tuple<std::string, std::string, double>> values;
    for (const auto& reading : readings) {
        if (reading.samples.empty()) continue;
        values.emplace(former_of(reading), reading.variant, reading.value);
        values.emplace(reading.benchmark, reading.variant, reading.value);
    }
    for (const auto job : jobs) {
        const auto rows = list_job_values(db, job);
        const auto known = std::ranges::count_if(rows, [&](const JobValue& row) {
            return values.contains({row.benchmark, row.variant, row.value});
        });
        if (!rows.empty() && 2 * known >= std::ssize(rows)) return job;
    }
    return std::nullopt;
}

}  // namespace vigil::service
