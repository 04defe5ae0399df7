#include "bisect/trend/level_state.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace vigil::trend {

namespace {

constexpr std::uint64_t most_kept = 1 << 16;  // nights: more is no state of ours
constexpr std::uint64_t most_night_count = std::uint64_t{1} << 48;

constexpr std::uint64_t higher_flag = 1;
constexpr std::uint64_t shares_flag = 2;

class StateWriter {
  public:
    /// Seven bits a byte, the lowest first.
    void count(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) put(value | 0x80);
        put(value);
    }
    void number(double value) {
        const auto bits = std::bit_cast<std::uint64_t>(value);
        for (int shift = 0; shift < 64; shift += 8) put(bits >> shift);
    }
    void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
    std::vector<std::byte> take() { return std::move(bytes_); }

  private:
    void put(std::uint64_t low_byte) { bytes_.push_back(static_cast<std::byte>(low_byte & 0xff)); }

    std::vector<std::byte> bytes_;
};

/// Reads what StateWriter wrote; after the first thing amiss everything is 0 and `is_good` false.
class StateReader {
  public:
    explicit StateReader(std::span<const std::byte> bytes) : rest_(bytes) {}

    /// @param most  what is larger is amiss
    std::uint64_t count(std::uint64_t most) {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 63; shift += 7) {
            const std::uint64_t byte = take();
            value |= (byte & 0x7f) << shift;
            if (byte < 0x80) return check(value <= most) ? value : 0;
        }
        check(false);
        return 0;
    }
    std::size_t size(std::uint64_t most) { return static_cast<std::size_t>(count(most)); }
    /// @param most  what lies further from 0 is amiss
    double number(double most = std::numeric_limits<double>::max()) {
        std::uint64_t bits = 0;
        for (int shift = 0; shift < 64; shift += 8) bits |= take() << shift;
        const auto value = std::bit_cast<double>(bits);
        return check(std::abs(value) <= most) ? value : 0;
    }
    bool check(bool as_expected) {
        good_ = good_ && as_expected;
        return good_;
    }
    bool is_good() const { return good_; }
    bool is_at_end() const { return rest_.empty(); }

  private:
    std::uint64_t take() {
        if (!check(!rest_.empty())) return 0;
        const auto byte = static_cast<std::uint64_t>(rest_.front());
        rest_ = rest_.subspan(1);
        return byte;
    }

    std::span<const std::byte> rest_;
    bool good_ = true;
};

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

std::vector<std::byte> write_level_state(const LevelState& state) {
    const auto& kept = state.kept;
    StateWriter out;
    out.reserve(8 * kept.size() + 64);
    out.count(level_state_version);
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
    return out.take();
}

std::optional<LevelState> read_level_state(std::span<const std::byte> bytes) {
    StateReader in(bytes);
    if (in.count(level_state_version) != level_state_version) return std::nullopt;
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
    if (!good || !in.is_at_end()) return std::nullopt;
    restore_residuals(state.kept);
    return state;
}

}  // namespace vigil::trend
