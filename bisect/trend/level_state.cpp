#include "bisect/trend/level_state.hpp"

#include <cmath>
#include <cstdint>
#include <utility>

#include "bisect/trend/state_bytes.hpp"

namespace vigil::trend {

namespace {

constexpr std::uint64_t most_kept = 1 << 16;  // nights: more is no state of ours
constexpr std::uint64_t most_night_count = std::uint64_t{1} << 48;  // likewise

constexpr std::uint64_t higher_flag = 1;
constexpr std::uint64_t shares_flag = 2;

/// Nights follow each other but for the gaps, which are told as (position, nights left out).
void write_nights(StateWriter& out, const LevelState& state) {
    const auto& night = state.kept.night;
    if (night.empty()) return;
    out.count(state.next_night - 1 - night.back());
    std::uint64_t gaps = 0;
    for (std::size_t i = 1; i < night.size(); ++i) gaps += night[i] - night[i - 1] > 1 ? 1 : 0;
    out.count(gaps);
    for (std::size_t i = night.size(); i-- > 1;) {
        if (night[i] - night[i - 1] <= 1) continue;
        out.count(i);
        out.count(night[i] - night[i - 1] - 1);
    }
}

bool read_nights(StateReader& in, LevelState& state, std::size_t kept) {
    if (kept == 0) return in.is_good();
    const std::uint64_t unmeasured = in.count(most_night_count);
    std::vector<std::uint64_t> left_out(kept, 0);
    const std::size_t gaps = in.size(kept - 1);
    std::size_t below = kept;
    for (std::size_t i = 0; i < gaps && in.is_good(); ++i) {
        const std::size_t at = in.size(below - 1);
        if (!in.check(at > 0)) return false;
        left_out[at] = in.count(most_night_count);
        below = at;
    }
    std::uint64_t back = unmeasured + 1;  // nights before the next one
    state.kept.night.resize(kept);
    for (std::size_t i = kept; i-- > 0;) {
        if (!in.check(back <= state.next_night)) return false;
        state.kept.night[i] = state.next_night - static_cast<std::size_t>(back);
        back += left_out[i] + 1;
    }
    return in.is_good();
}

bool read_levels(StateReader& in, Kept& kept, std::size_t nights) {
    kept.refuted = in.size(nights);
    const std::size_t levels = in.size(nights);
    for (std::size_t i = 0; i < levels && in.is_good(); ++i) {
        const std::size_t end = in.size(nights);
        if (!in.check(end > kept.begin)) return false;
        kept.closed.push_back({end, in.number(most_level)});
        kept.begin = end;
    }
    return in.is_good();
}

/// What has no logarithm was given a level when it came.
bool needs_level(const LevelState& state, double raw) {
    return state.scale.is_logarithmic() && !(raw > 0);
}

bool read_values(StateReader& in, LevelState& state, std::size_t nights) {
    auto& kept = state.kept;
    for (std::size_t i = 0; i < nights && in.is_good(); ++i) kept.raw.push_back(in.number());
    for (std::size_t i = 0; i < nights && in.is_good(); ++i) {
        const double raw = kept.raw[i];
        kept.level.push_back(
            needs_level(state, raw) ? in.number(most_level) : state.scale.level_of(raw));
    }
    return in.is_good();
}

}  // namespace

void restore_residuals(Kept& kept) {
    kept.residual.assign(kept.size(), 0);
    kept.after_border.assign(kept.size(), 0);
    std::size_t begin = 0;
    for (const auto& level : kept.closed) {
        if (begin < kept.size()) kept.after_border[begin] = 1;
        for (; begin < level.end; ++begin) kept.residual[begin] = kept.level[begin] - level.middle;
    }
    if (begin < kept.size()) kept.after_border[begin] = 1;
}

void write_level_state(StateWriter& out, const LevelState& state) {
    const auto& kept = state.kept;
    const bool higher = state.scale.direction() == Direction::higher_is_better;
    const bool shares = !state.scale.is_logarithmic();
    out.count((higher ? higher_flag : 0) | (shares ? shares_flag : 0));
    if (shares) out.number(state.scale.unit());
    out.count(state.next_night);
    out.count(kept.size());
    write_nights(out, state);
    out.count(kept.refuted);
    out.count(kept.closed.size());
    for (const auto& level : kept.closed) {
        out.count(level.end);
        out.number(level.middle);
    }
    for (const double raw : kept.raw) out.number(raw);
    for (std::size_t i = 0; i < kept.size(); ++i) {
        if (needs_level(state, kept.raw[i])) out.number(kept.level[i]);
    }
}

std::optional<LevelState> read_level_state(StateReader& in) {
    const std::uint64_t flags = in.count(higher_flag | shares_flag);
    const bool higher = (flags & higher_flag) != 0;
    LevelState state(higher ? Direction::higher_is_better : Direction::lower_is_better);
    if ((flags & shares_flag) != 0) {
        const double unit = in.number();
        if (!in.check(unit > 0)) return std::nullopt;
        state.scale = Scale(state.scale.direction(), unit);
    }
    state.next_night = in.size(most_night_count);
    const std::size_t nights = in.size(most_kept);
    const bool good = read_nights(in, state, nights) && read_levels(in, state.kept, nights) &&
                      read_values(in, state, nights);
    if (!good) return std::nullopt;
    restore_residuals(state.kept);
    return state;
}

}  // namespace vigil::trend
