// What is told of single changes and issues, and of the processor.

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "tests/bench/nights/tables.hpp"

namespace vigil::nights {

namespace {

/// Mean over nights [from, to) of those that were played.
double mean(const std::vector<double>& values, int from, int to) {
    const auto first = std::min(values.size(), static_cast<std::size_t>(from));
    const auto last = std::min(values.size(), static_cast<std::size_t>(to));
    if (first == last) return 0;
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = values.begin() + static_cast<std::ptrdiff_t>(last);
    return std::accumulate(begin, end, 0.0) / static_cast<double>(last - first);
}

std::string list_false(const std::string& word, const char* what, const std::vector<False>& all) {
    std::string text;
    for (const auto& one : all) {
        text += fmt::format(
            "  {} {}: {} night {} issue {} {} {}\n",
            word,
            what,
            one.when,
            one.night,
            one.issue,
            one.series,
            one.noise);
    }
    return text;
}

}  // namespace

std::string list(const std::string& word, const Score& score) {
    std::string text;
    for (const auto& fate : score.fates) {
        if (fate.filed <= 3 && fate.named != "wrong" && fate.named != "range") continue;
        text += fmt::format(
            "  {} night {} {} +{:g} % {} {}: filed on night {}, {}{}, issues {}\n",
            word,
            fate.plant.night,
            fate.series,
            fate.plant.percent,
            fate.kind,
            fate.noise,
            fate.filed == never ? "-" : std::to_string(fate.filed),
            fate.named,
            fate.size == 0 ? "" : fmt::format(" of {}", fate.size),
            fmt::join(fate.issues, ", "));
    }
    return text + list_false(word, "false", score.false_issues) +
           list_false(word, "innocent", score.innocent);
}

std::string speed(const World& world, const Record& record) {
    const auto& cpu = record.service_cpu_s;
    std::string text = fmt::format(
        "{}: {} nights of {} series; processor seconds a night: the service {:.3f} (most {:.3f}), "
        "the world {:.3f}",
        world.options().seed,
        record.played,
        world.series().size(),
        mean(cpu, 0, record.played),
        cpu.empty() ? 0 : *std::max_element(cpu.begin(), cpu.end()),
        mean(record.world_cpu_s, 0, record.played));
    const double early = mean(cpu, 40, 70);
    const double late = mean(cpu, 100, 130);
    if (late > 0) {
        std::vector<double> jobs(cpu.size());
        for (const auto& [key, count] : record.jobs) {
            const auto night = static_cast<std::size_t>(key.first);
            if (night < jobs.size()) jobs[night] += count;
        }
        const double early_job = early / mean(jobs, 40, 70);
        const double late_job = late / mean(jobs, 100, 130);
        text += fmt::format(
            "; nights 40 to 70: {:.3f}, 100 to {}: {:.3f}, {:.2f} times as much; of a job {:.2f} "
            "and {:.2f} ms, {:.2f} times as much",
            early,
            std::min(130, record.played),
            late,
            late / early,
            1e3 * early_job,
            1e3 * late_job,
            late_job / early_job);
    }
    return text + "\n";
}

}  // namespace vigil::nights
