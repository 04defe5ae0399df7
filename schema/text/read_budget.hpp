#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/error.hpp"

namespace vigil::text {

/// Reading a text would take more than its budget. Caught as any other Error, but never as the
/// error of one row: the whole text is refused (422 over HTTP).
class BudgetError : public Error {
  public:
    explicit BudgetError(const std::string& message) : Error(Errc::invalid_argument, message) {}
};

/// What reading one text may hold and do. Readers ask before they make something, so that memory
/// and time follow the size of a text, whatever stands in it. Pure; one reader owns it.
class ReadBudget {
  public:
    static constexpr std::size_t times_text = 8;  ///< bytes held at once for a byte of text
    static constexpr std::size_t free_bytes = std::size_t{64} << 20;  ///< and these
    /// A step is about 5 ns: the look at a byte, or what takes as long.
    static constexpr std::size_t steps_a_byte = 40;
    static constexpr std::size_t free_steps = 40'000'000;
    static constexpr std::size_t most_rows = 8'000'000;
    static constexpr int most_levels = 100;  ///< of what stands in each other

    explicit ReadBudget(std::size_t text_bytes)
        : most_bytes_(times_text * text_bytes + free_bytes),
          most_steps_(steps_a_byte * text_bytes + free_steps) {}

    /// Bytes that will be held. @throws BudgetError with the number
    void make(std::size_t bytes) {
        held_ += bytes;
        peak_ = std::max(peak_, held_);
        if (held_ > most_bytes_) refuse(most_bytes_, "bytes of memory");
    }
    void give_back(std::size_t bytes) { held_ -= std::min(bytes, held_); }

    /// @throws BudgetError with the number
    void step(std::size_t count = 1) {
        steps_ += count;
        if (steps_ > most_steps_) refuse(most_steps_, "steps");
    }
    /// @throws BudgetError with the number
    void row() {
        step(100);
        if (++rows_ > most_rows) refuse(most_rows, "rows");
    }
    /// @param level  from 1. @throws BudgetError with the number
    static void check_level(std::size_t level) {
        if (level > std::size_t{most_levels}) refuse(most_levels, "levels");
    }

    std::size_t held() const { return held_; }
    std::size_t peak() const { return peak_; }
    std::size_t steps() const { return steps_; }

  private:
    [[noreturn]] static void refuse(std::size_t most, const char* what) {
        throw BudgetError(
            "it takes more than " + std::to_string(most) + " " + what +
            " to read, which is all that a text of this size may take; split it");
    }

    std::size_t most_bytes_;
    std::size_t most_steps_;
    std::size_t held_ = 0;
    std::size_t peak_ = 0;
    std::size_t steps_ = 0;
    std::size_t rows_ = 0;
};

/// What is made for a while: all until `end`, or else until it is destroyed, is given back then.
class BudgetLoan {
  public:
    explicit BudgetLoan(ReadBudget& budget) : budget_(budget), before_(budget.held()) {}
    ~BudgetLoan() {
        end();
        budget_.give_back(*bytes_);
    }
    BudgetLoan(const BudgetLoan&) = delete;
    BudgetLoan& operator=(const BudgetLoan&) = delete;
    void end() {
        if (!bytes_) bytes_ = budget_.held() - std::min(before_, budget_.held());
    }

  private:
    ReadBudget& budget_;
    std::size_t before_;
    std::optional<std::size_t> bytes_;
};

/// What a string holds outside of itself, with what the heap adds.
inline std::size_t heap_bytes(const std::string& text) {
    constexpr std::size_t inside = 15;
    constexpr std::size_t of_heap = 24;
    return text.capacity() > inside ? text.capacity() + of_heap : 0;
}

/// What a map or set holds of each of its values beside it.
inline constexpr std::size_t tree_bytes = 48;

/// Makes room for one more. While it grows, a vector is there twice.
template <class Value>
void make_room(std::vector<Value>& in, ReadBudget& budget) {
    const auto capacity = in.capacity();
    if (in.size() < capacity) return;
    const auto more = capacity + capacity / 2 + 1;
    budget.make(more * sizeof(Value));
    in.reserve(more);
    budget.give_back(capacity * sizeof(Value));
}

}  // namespace vigil::text
