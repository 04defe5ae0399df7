#include <optional>
#include <string>

#include "schema/harness/console/readers.hpp"
#include "schema/harness/console/words.hpp"
#include "schema/text/characters.hpp"

namespace vigil::harness {

namespace {

bool is_rule(std::string_view line) {
    const auto text = text::trimmed(line);
    return text.size() >= 20 && text.find_first_not_of('-') == text.npos;
}

/// "410 ns  404 ns  425 ns": a value with its interval.
bool is_interval(const LineWords& words) {
    if (words.size() != 6) return false;
    for (std::size_t i = 0; i < 6; i += 2) {
        if (!number_in(words[i]) || !time_unit(words[i + 1])) return false;
    }
    return true;
}

/// Where the samples, iterations and estimate of a benchmark's first line begin.
std::optional<std::size_t> figures_in(const LineWords& words) {
    if (words.size() < 4) return std::nullopt;
    const auto at = words.size() - 4;
    const bool fits = is_count(words[at]) && is_count(words[at + 1]) && number_in(words[at + 2]) &&
                      time_unit(words[at + 3]);
    return fits ? std::optional(at) : std::nullopt;
}

/// Follows the output from line to line: where it stands in test cases, and in a benchmark.
class TableOfCatch2 {
  public:
    explicit TableOfCatch2(Collector& into) : into_(into) {}

    void take(std::string_view line) {
        const auto words = words_of(line);
        if (is_rule(line)) return turn();
        if (line.starts_with("benchmark name") && words.size() == 5) {
            state_ = State::head;
            return;
        }
        switch (state_) {
            case State::between: return;
            case State::heading: return add_heading(line);
            case State::head: return;  // its other lines
            case State::rows: return take_row(line, words);
        }
    }

  private:
    enum class State { between, heading, head, rows };

    void turn() {
        if (state_ == State::head) {
            state_ = State::rows;
            name_.clear();
        } else if (state_ == State::heading) {
            state_ = State::between;
        } else {
            state_ = State::heading;
            place_.clear();
        }
    }

    void add_heading(std::string_view line) {
        const auto text = text::trimmed(line);
        if (text.empty() || place_.size() > longest_name) return;
        place_.append(text::first_bytes(text, 2 * longest_name)).append(" / ");
    }

    void take_row(std::string_view line, const LineWords& words) {
        if (words.empty()) return;
        if (const auto at = figures_in(words)) {
            if (*at > 0) add_name(before(line, words[*at]));
            values_ = 0;
            return;
        }
        if (text::trimmed(line).starts_with("Benchmark failed (") && !name_.empty()) {
            into_.add_failure({place_ + name_}, "ns", std::string(text::trimmed(line)));
            name_.clear();
            return;
        }
        if (!is_interval(words)) {
            if (values_ > 0) name_.clear();
            values_ = 0;
            return add_name(text::trimmed(line));
        }
        constexpr std::string_view quantities[] = {"", "low mean", "high mean", "std dev"};
        if (name_.empty() || values_ > 1) return;
        const std::size_t count = values_ == 0 ? 3 : 1;
        for (std::size_t i = 0; i < count; ++i) {
            const auto measured = measured_at(words, 2 * i);
            const auto quantity = quantities[values_ == 0 ? i : 3];
            into_.add_summary(
                {place_ + name_, std::string(quantity)}, measured->unit, measured->value);
        }
        if (++values_ == 2) {
            name_.clear();
            values_ = 0;
        }
    }

    /// A long name goes over several lines.
    void add_name(std::string_view part) {
        if (name_.size() > longest_name) return;
        name_.append(name_.empty() ? "" : " ").append(text::first_bytes(part, 2 * longest_name));
    }

    Collector& into_;
    State state_ = State::between;
    std::string place_;  ///< "test case / section / "
    std::string name_;
    int values_ = 0;  ///< lines of the benchmark's values so far
};

}  // namespace

void read_catch2_table(const ShownLines& lines, Collector& into) {
    TableOfCatch2 table(into);
    for (const auto line : lines) table.take(line);
}

}  // namespace vigil::harness
