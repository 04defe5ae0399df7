#include "service/tables/ways.hpp"

#include <map>

#include <fmt/format.h>

namespace vigil::tables {

namespace {

constexpr Part all_parts[] = {
    Part::suite,
    Part::mode,
    Part::device,
    Part::precision,
    Part::backend,
    Part::threads,
    Part::gpus};

std::string count_words(std::int64_t count, const char* one, const char* many) {
    if (count == 0) return "";
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string part_of(const Result& result, Part part) {
    switch (part) {
        case Part::suite: return result.suite;
        case Part::mode: return result.mode;
        case Part::device: return result.device;
        case Part::precision: return result.precision;
        case Part::backend: return result.backend;
        case Part::threads: return count_words(result.threads, "thread", "threads");
        case Part::gpus: return count_words(result.gpus, "GPU", "GPUs");
    }
    return "";
}

}  // namespace

Ways::Ways(std::span<const Result* const> results, const std::set<Part>& ignored)
    : ignored_(ignored) {
    for (const Part part : all_parts) {
        if (ignored.contains(part)) continue;
        bool differs = part == Part::suite;
        for (const auto* result : results) {
            differs = differs || part_of(*result, part) != part_of(*results.front(), part);
        }
        if (differs) said_.insert(part);
    }
}

std::string Ways::label(const Result& result) const {
    std::string label;
    for (const Part part : said_) {
        const std::string text = part_of(result, part);
        if (!text.empty()) label += (label.empty() ? "" : ", ") + text;
    }
    return label.empty() ? "all results" : label;
}

std::string Ways::key(const Result& result) const {
    std::string key;
    for (const Part part : all_parts) {
        if (!ignored_.contains(part)) key += part_of(result, part) + '\n';
    }
    return key;
}

std::vector<WayGroup> group_by_way(
    std::span<const Result* const> results, const std::set<Part>& ignored) {
    const Ways ways(results, ignored);
    std::vector<WayGroup> groups;
    std::map<std::string, std::size_t> by_key;
    for (const auto* result : results) {
        const auto [at, is_new] = by_key.emplace(ways.key(*result), groups.size());
        if (is_new) groups.push_back({ways.label(*result), {}});
        groups[at->second].results.push_back(result);
    }
    return groups;
}

}  // namespace vigil::tables
