#include "service/tables/ways.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "schema/model/enum_names.hpp"
#include "schema/text/numbers.hpp"

namespace vigil::tables {

namespace {

/// A part's column, and where a result says it: as a text, or as a number of something.
struct PartRow {
    const char* header;
    std::string Result::*text = nullptr;
    std::int64_t Result::*count = nullptr;
    const char* noun = "";
    const char* plural = "";
};

/// In the order of the enum.
constexpr std::array part_rows{
    PartRow{"Suite", &Result::suite},
    PartRow{"Mode", &Result::mode},
    PartRow{"Device", &Result::device},
    PartRow{"Precision", &Result::precision},
    PartRow{"Backend", &Result::backend},
    PartRow{"Setting", &Result::setting},
    PartRow{"Version", &Result::version},
    PartRow{"Threads", nullptr, &Result::threads, "thread"},
    PartRow{"Processes", nullptr, &Result::processes, "process", "processes"},
    PartRow{"GPUs", nullptr, &Result::gpus, "GPU"}};

const PartRow& row_of(Part part) {
    return part_rows.at(static_cast<std::size_t>(part));
}

}  // namespace

std::string part_of(const Result& result, Part part) {
    const PartRow& row = row_of(part);
    if (row.text != nullptr) return result.*row.text;
    return result.*row.count > 0 ? std::to_string(result.*row.count) : "";
}

Ways::Ways(std::span<const Result* const> results, const std::set<Part>& ignored)
    : ignored_(ignored) {
    for (const auto& [part, name] : enum_names<Part>) {
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
        std::string text = part_of(result, part);
        if (text.empty()) continue;
        const PartRow& row = row_of(part);
        if (row.count != nullptr) text = text::counted(result.*row.count, row.noun, row.plural);
        label += (label.empty() ? "" : ", ") + text;
    }
    return label.empty() ? "all results" : label;
}

std::string Ways::key(const Result& result) const {
    std::string key;
    for (const auto& [part, name] : enum_names<Part>) {
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

WayColumns::WayColumns(std::span<const Result* const> results, const std::set<Part>& ignored) {
    const auto any = [&](auto holds) { return std::any_of(results.begin(), results.end(), holds); };
    domain_ = any([](const Result* result) { return !result->domain.empty(); });
    for (const auto& named : enum_names<Part>) {
        const Part part = named.first;
        if (part == Part::suite || ignored.contains(part)) continue;
        if (any([&](const Result* result) { return !part_of(*result, part).empty(); })) {
            parts_.push_back(part);
        }
    }
}

void WayColumns::add_headers(std::vector<std::string>& headers) const {
    if (domain_) headers.push_back("Domain");
    for (const Part part : parts_) headers.push_back(row_of(part).header);
}

void WayColumns::add_cells(const Result& result, std::vector<std::string>& cells) const {
    const auto or_dash = [](const std::string& text) { return text.empty() ? "-" : text; };
    if (domain_) cells.push_back(or_dash(result.domain));
    for (const Part part : parts_) cells.push_back(or_dash(part_of(result, part)));
}

}  // namespace vigil::tables
