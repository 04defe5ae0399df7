#include "bisect/detect/level_ends.hpp"

#include <algorithm>
#include <iterator>

#include "bisect/detect/rules.hpp"

namespace vigil::detect {

std::optional<NightlyId> newest_bad(
    std::span<const LaterNight> nights, double before, double after, double spread) {
    if (nights.empty()) return std::nullopt;
    const double half = (after - before) / 2;
    const double margin = std::max(half / 2, 2 * spread);
    // Where the machine moved since, what is back lies higher than it did.
    const double bad = std::max(before, nights.back().level) + half + margin;
    for (auto night = std::next(nights.rbegin()); night != nights.rend(); ++night) {
        if (night->still_bad.value_or(!night->was_requested && night->level >= bad))
            return night->id;
    }
    return std::nullopt;
}

std::optional<NightlyId> newest_good(
    std::span<const LaterNight> nights, double before, double after, double spread) {
    const double quarter = (after - before) / 2 / 2;
    if (!(spread > 0) || after - before - quarter < rule.surely * spread) return std::nullopt;
    std::optional<NightlyId> newest;
    for (const auto& night : nights) {
        if (night.was_requested || night.level > before + quarter) break;
        newest = night.id;
    }
    return newest;
}

}  // namespace vigil::detect
