#include "service/tables/way_columns.hpp"

#include <algorithm>
#include <array>

namespace vigil::tables {

namespace {

struct PartName {
    Part part;
    const char* header;
};

constexpr std::array part_names{
    PartName{Part::mode, "Mode"},
    PartName{Part::device, "Device"},
    PartName{Part::precision, "Precision"},
    PartName{Part::backend, "Backend"},
    PartName{Part::threads, "Threads"},
    PartName{Part::gpus, "GPUs"}};

std::string count_cell(std::int64_t count) {
    return count > 0 ? std::to_string(count) : "";
}

std::string part_cell(const Result& result, Part part) {
    switch (part) {
        case Part::suite: return result.suite;
        case Part::mode: return result.mode;
        case Part::device: return result.device;
        case Part::precision: return result.precision;
        case Part::backend: return result.backend;
        case Part::threads: return count_cell(result.threads);
        case Part::gpus: return count_cell(result.gpus);
    }
    return "";
}

}  // namespace

WayColumns::WayColumns(std::span<const Result* const> results, const std::set<Part>& ignored) {
    domain_ = std::any_of(results.begin(), results.end(), [](const Result* result) {
        return !result->domain.empty();
    });
    for (const auto& [part, header] : part_names) {
        if (ignored.contains(part)) continue;
        const bool said =
            std::any_of(results.begin(), results.end(), [part = part](const Result* result) {
                return !part_cell(*result, part).empty();
            });
        if (said) parts_.push_back(part);
    }
}

void WayColumns::add_headers(std::vector<std::string>& headers) const {
    if (domain_) headers.push_back("Domain");
    for (const auto& [part, header] : part_names) {
        if (std::find(parts_.begin(), parts_.end(), part) != parts_.end()) {
            headers.push_back(header);
        }
    }
}

void WayColumns::add_cells(const Result& result, std::vector<std::string>& cells) const {
    const auto or_dash = [](const std::string& text) { return text.empty() ? "-" : text; };
    if (domain_) cells.push_back(or_dash(result.domain));
    for (const Part part : parts_) cells.push_back(or_dash(part_cell(result, part)));
}

std::string suite_heading(const std::string& suite, const std::string& about) {
    if (!suite.empty()) return "## " + suite + " suite: " + about + "\n\n";
    std::string heading = about;
    heading.front() = static_cast<char>(heading.front() - 'a' + 'A');
    return "## " + heading + "\n\n";
}

}  // namespace vigil::tables
