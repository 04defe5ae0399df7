#include "bisect/why/words.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "schema/text/numbers.hpp"

namespace vigil::why {

namespace {

using profile::CostUnit;
using profile::Profile;

constexpr std::size_t most_growing = 3;

const char* other_code(const Profile& after) {
    return after.lacks_avx512
               ? "; or libraries took other code than in the measured runs, since valgrind has no "
                 "AVX-512 and the machine has"
               : "";
}

std::string same_memory(const Profile& before, const Profile& after, double ratio) {
    const double allocated = static_cast<double>(after.allocated - before.allocated) /
                             static_cast<double>(std::max<std::int64_t>(before.allocated, 1));
    return fmt::format(
        "as many bytes of malloc and new are in use at the peak as before ({}; in the whole run, "
        "{} are asked for): what grew is code, stacks, mapped files, or what the allocator holds "
        "and nobody uses",
        text::percent(ratio),
        text::percent(allocated));
}

std::string_view verb_of(CostUnit unit) {
    switch (unit) {
        case CostUnit::instructions: return "executes";
        case CostUnit::operator_ns:
        case CostUnit::samples: return "takes";
        default: break;
    }
    return "has";
}

}  // namespace

std::string same_words(const Profile& before, const Profile& after, double ratio) {
    switch (before.unit) {
        case CostUnit::instructions:
            return fmt::format(
                "as many instructions as before ({}): it does not execute more, so it waits longer "
                "or uses memory and caches less well{}",
                text::percent(ratio),
                other_code(after));
        case CostUnit::peak_bytes: return same_memory(before, after, ratio);
        case CostUnit::samples:
            return fmt::format(
                "as many samples as before ({}): it takes no more of the processor, so it waits "
                "longer, or its loop runs for as long whatever it does",
                text::percent(ratio));
        case CostUnit::operator_peak_bytes:
            return fmt::format(
                "as many bytes that LibTorch allocated are in use at the peak as before ({}): what "
                "grew is memory that is not LibTorch's, or what an iteration leaves behind",
                text::percent(ratio));
        case CostUnit::operator_ns:
        case CostUnit::operator_bytes: break;
    }
    return fmt::format(
        "as much {} as before ({}): what changed is outside of the iterations",
        profile::unit_words(before.unit),
        text::percent(ratio));
}

std::string disagreement(const profile::Why& why, const Profile& after, double change_ratio) {
    const bool is_timed = why.unit == CostUnit::operator_ns;
    return fmt::format(
        "the profile disagrees with what was measured ({}): it {} {} {}{}",
        text::percent(change_ratio),
        verb_of(why.unit),
        why.after > why.before ? "more"
        : is_timed             ? "less"
                               : "fewer",
        profile::unit_words(why.unit),
        other_code(after));
}

std::vector<std::string> growth_words(const Profile& before, const Profile& after) {
    if (after.unit != CostUnit::operator_peak_bytes) return {};
    std::map<std::string_view, std::int64_t> grown_before;
    for (const auto& one : before.functions) {
        auto& all = grown_before[one.name];
        all = std::clamp(all + one.grown, -profile::most_cost, profile::most_cost);
    }
    std::vector<std::pair<std::int64_t, std::string>> growing;
    for (const auto& one : after.functions) {
        const auto found = grown_before.find(one.name);
        const auto was = found == grown_before.end() ? 0 : found->second;
        if (one.grown <= std::max<std::int64_t>(was, 0)) continue;
        growing.emplace_back(
            one.grown - was,
            fmt::format(
                "{} keeps {} more after each iteration, before {}",
                one.name,
                profile::cost_text(one.grown, after.unit),
                was > 0 ? profile::cost_text(was, after.unit) : "none"));
    }
    std::ranges::stable_sort(
        growing, std::ranges::greater{}, [](const auto& one) { return one.first; });
    std::vector<std::string> words;
    for (std::size_t i = 0; i < std::min(growing.size(), most_growing); ++i) {
        words.push_back(std::move(growing[i].second));
    }
    return words;
}

}  // namespace vigil::why
