#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace vigil::trend {

/// Writes what is remembered from night to night: the same bytes on every machine.
class StateWriter {
  public:
    /// Seven bits a byte, the lowest first.
    void count(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) put(value | 0x80);
        put(value);
    }
    void flag(bool value) { count(value ? 1 : 0); }
    void number(double value) {
        const auto bits = std::bit_cast<std::uint64_t>(value);
        for (int shift = 0; shift < 64; shift += 8) put(bits >> shift);  // bits
    }
    void short_number(float value) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        for (int shift = 0; shift < 32; shift += 8) put(bits >> shift);  // bits
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
        for (int shift = 0; shift < 63; shift += 7) {  // bits
            const std::uint64_t byte = take();
            value |= (byte & 0x7f) << shift;
            if (byte < 0x80) return check(value <= most) ? value : 0;
        }
        check(false);
        return 0;
    }
    std::size_t size(std::uint64_t most) { return static_cast<std::size_t>(count(most)); }
    bool flag() { return count(1) == 1; }
    /// @param most  what lies further from 0 is amiss
    double number(double most = std::numeric_limits<double>::max()) {
        const auto value = std::bit_cast<double>(bits(64));
        return check(std::abs(value) <= most) ? value : 0;
    }
    float short_number() {
        const auto value =
            std::bit_cast<float>(static_cast<std::uint32_t>(bits(32)));  // of a float
        return check(std::isfinite(value)) ? value : 0;
    }
    bool check(bool as_expected) {
        good_ = good_ && as_expected;
        return good_;
    }
    bool is_good() const { return good_; }
    bool is_at_end() const { return rest_.empty(); }

  private:
    std::uint64_t bits(int count) {
        std::uint64_t value = 0;
        for (int shift = 0; shift < count; shift += 8) value |= take() << shift;  // bits
        return value;
    }
    std::uint64_t take() {
        if (!check(!rest_.empty())) return 0;
        const auto byte = static_cast<std::uint64_t>(rest_.front());
        rest_ = rest_.subspan(1);
        return byte;
    }

    std::span<const std::byte> rest_;
    bool good_ = true;
};

}  // namespace vigil::trend
