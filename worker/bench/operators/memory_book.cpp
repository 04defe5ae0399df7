#include "worker/bench/operators/memory_book.hpp"

#include <algorithm>
#include <cstdio>
#include <set>

#include <nlohmann/json.hpp>

#include "worker/bench/operators/profile_text.hpp"

namespace vigil_bench {

namespace {

using nlohmann::json;

constexpr std::size_t max_names = 10'000;  // a program may make names as it runs
constexpr std::size_t max_name_bytes = 200;
constexpr std::size_t max_callers = 3;
constexpr std::size_t max_memory_text_bytes = std::size_t{48} << 10;
constexpr std::size_t rows_of_memory_table = 10;
constexpr const char* other_operators = "(other operators)";
constexpr std::string_view engine_step = "autograd::engine::evaluate_function: ";

/// They do nothing, or only fill what they allocate: their callers tell more.
bool only_allocates(std::string_view name) {
    static const std::set<std::string_view> names{
        "aten::empty",
        "aten::empty_like",
        "aten::empty_permuted",
        "aten::empty_strided",
        "aten::full",
        "aten::full_like",
        "aten::new_empty",
        "aten::new_empty_strided",
        "aten::new_full",
        "aten::new_ones",
        "aten::new_zeros",
        "aten::ones",
        "aten::ones_like",
        "aten::resize_",
        "aten::resize_as_",
        "aten::zeros",
        "aten::zeros_like"};
    return names.count(name) > 0;
}

void add_memory(PlaceMemory& sum, const PlaceMemory& one) {
    sum.peak_bytes += one.peak_bytes;
    sum.peak_blocks += one.peak_blocks;
    sum.end_bytes += one.end_bytes;
    sum.grown_bytes += one.grown_bytes;
}

bool holds_nothing(const PlaceMemory& one) {
    return one.peak_bytes == 0 && one.end_bytes == 0 && one.grown_bytes == 0;
}

json memory_row(const OperatorMemory& one) {
    json callers = json::array();
    for (const auto& [name, bytes] : one.callers) {
        callers.push_back({{"name", name}, {"peak_bytes", bytes}});
    }
    return {
        {"name", one.name},
        {"peak_bytes", one.memory.peak_bytes},
        {"peak_blocks", one.memory.peak_blocks},
        {"end_bytes", one.memory.end_bytes},
        {"grown_bytes", one.memory.grown_bytes},
        {"callers", std::move(callers)}};
}

}  // namespace

MemoryBook::MemoryBook(std::int64_t bytes_before)
    : names_{before_iterations, in_no_operator, other_operators},
      labels_{{{0, 0}, LiveMemory::before}},
      live_(bytes_before) {}

std::uint32_t MemoryBook::place_of(std::string_view name) {
    if (name.substr(0, engine_step.size()) == engine_step) name.remove_prefix(engine_step.size());
    name = name.substr(0, max_name_bytes);
    const auto found = places_.find(std::string(name));
    if (found != places_.end()) return found->second;
    if (names_.size() >= max_names) return 2;  // other_operators
    const auto place = static_cast<std::uint32_t>(names_.size());
    names_.emplace_back(name);
    places_.emplace(name, place);
    return place;
}

MemoryBook::Frame MemoryBook::enter(const Frame* caller, std::string_view name) {
    const auto place = place_of(name);
    if (caller == nullptr) return {place, place};
    return {only_allocates(name) ? caller->counts : place, caller->outermost};
}

std::uint32_t MemoryBook::allocate(const Frame* within, std::int64_t bytes) {
    const auto key = within != nullptr ? std::pair(within->counts, within->outermost)
                                       : std::pair(std::uint32_t{1}, std::uint32_t{1});
    const auto next = static_cast<std::uint32_t>(labels_.size());
    const auto label = labels_.try_emplace(key, next).first->second;
    live_.allocate(label, bytes);
    return label;
}

MemoryProfile MemoryBook::profile() const {
    const auto places = live_.places();
    std::map<std::uint32_t, OperatorMemory> by_name;
    for (const auto& [key, label] : labels_) {
        if (label >= places.size()) continue;
        const auto& [counts, outermost] = key;
        auto& one = by_name[counts];
        one.name = names_[counts];
        add_memory(one.memory, places[label]);
        if (outermost == counts || places[label].peak_bytes <= 0) continue;
        one.callers.emplace_back(names_[outermost], places[label].peak_bytes);
    }
    MemoryProfile profile;
    profile.iterations = live_.iterations();
    profile.peak_bytes = live_.peak_bytes();
    profile.end_bytes = live_.live_bytes();
    for (auto& [place, one] : by_name) {
        if (holds_nothing(one.memory)) continue;
        std::stable_sort(one.callers.begin(), one.callers.end(), [](const auto& a, const auto& b) {
            return a.second > b.second;
        });
        if (one.callers.size() > max_callers) one.callers.resize(max_callers);
        profile.operators.push_back(std::move(one));
    }
    std::stable_sort(
        profile.operators.begin(), profile.operators.end(), [](const auto& a, const auto& b) {
            return a.memory.peak_bytes > b.memory.peak_bytes;
        });
    return profile;
}

json memory_json(const MemoryProfile& profile) {
    json rows = json::array();
    std::size_t bytes = 0;
    OperatorMemory others;
    others.name = other_operators;
    for (const auto& one : profile.operators) {
        auto row = memory_row(one);
        bytes += row.dump(-1, ' ', false, json::error_handler_t::replace).size() + 1;
        if (bytes <= max_memory_text_bytes) {
            rows.push_back(std::move(row));
        } else {
            add_memory(others.memory, one.memory);
        }
    }
    if (!holds_nothing(others.memory)) rows.push_back(memory_row(others));
    return {
        {"iterations", profile.iterations},
        {"peak_bytes", profile.peak_bytes},
        {"end_bytes", profile.end_bytes},
        {"operators", std::move(rows)}};
}

std::string memory_table(const MemoryProfile& profile) {
    char line[200];
    const auto row = [&](const std::string& name,
                         const std::string& peak,
                         const std::string& blocks,
                         const std::string& grown) {
        std::snprintf(
            line,
            sizeof line,
            "  %-44.44s %12.12s %10.10s %14.14s\n",
            name.c_str(),
            peak.c_str(),
            blocks.c_str(),
            grown.c_str());
        return std::string(line);
    };
    const auto amount = [](std::int64_t bytes) {
        return amount_text(static_cast<double>(bytes)) + "B";
    };
    std::string table = row("memory by operator", "at the peak", "blocks", "grows by");
    for (std::size_t i = 0; i < std::min(rows_of_memory_table, profile.operators.size()); ++i) {
        const auto& [name, memory, callers] = profile.operators[i];
        table +=
            row(name,
                amount(memory.peak_bytes),
                memory.peak_blocks > 0 ? std::to_string(memory.peak_blocks) : "",
                memory.grown_bytes != 0 ? amount(memory.grown_bytes) : "");
    }
    return table + row("all", amount(profile.peak_bytes), "", "");
}

}  // namespace vigil_bench
