#include "schema/text/nearest.hpp"

#include <algorithm>
#include <cctype>

namespace vigil::text {

namespace {

constexpr std::size_t max_edits = 3;

bool equal_letters(char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
}

/// Edits that turn one word into another, row by row of the usual table. Only what lies within
/// `most` of its diagonal is looked at.
class Edits {
  public:
    Edits(std::string_view a, std::string_view b, std::size_t most)
        : a_(a),
          b_(b),
          most_(most),
          before_last_(b.size() + 1),
          last_(before_last_),
          row_(before_last_) {}

    /// Anything above `most` where there are more.
    std::size_t count() {
        if (std::max(a_.size(), b_.size()) - std::min(a_.size(), b_.size()) > most_) {
            return most_ + 1;
        }
        for (std::size_t j = 0; j <= b_.size(); ++j) row_[j] = j;
        for (std::size_t i = 1; i <= a_.size(); ++i) {
            std::swap(before_last_, last_);
            std::swap(last_, row_);
            fill(i);
        }
        return row_[b_.size()];
    }

  private:
    void fill(std::size_t i) {
        const std::size_t first = i > most_ ? i - most_ : 1;
        const std::size_t end = std::min(b_.size(), i + most_);
        row_[first - 1] = first == 1 ? i : most_ + 1;
        for (std::size_t j = first; j <= end; ++j) {
            const std::size_t above = j == i + most_ ? most_ + 1 : last_[j];
            const std::size_t change = equal_letters(a_[i - 1], b_[j - 1]) ? 0 : 1;
            row_[j] = std::min({above + 1, row_[j - 1] + 1, last_[j - 1] + change});
            if (i < 2 || j < 2) continue;
            if (equal_letters(a_[i - 1], b_[j - 2]) && equal_letters(a_[i - 2], b_[j - 1])) {
                row_[j] = std::min(row_[j], before_last_[j - 2] + 1);
            }
        }
    }

    std::string_view a_, b_;
    std::size_t most_;
    std::vector<std::size_t> before_last_, last_, row_;
};

}  // namespace

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
    std::optional<std::string> found;
    std::size_t least = std::min(max_edits, (word.size() + 2) / 3) + 1;
    for (const auto& candidate : known) {
        const auto count = Edits(word, candidate, least - 1).count();
        if (count >= least || count >= candidate.size()) continue;
        least = count;
        if (least == 0) return candidate;
        found = candidate;
    }
    return found;
}

std::string did_you_mean(
    std::string_view word,
    const std::vector<std::string>& known,
    char quote,
    std::string_view before) {
    const auto found = nearest(word, known);
    if (!found) return "";
    return "; did you mean " + (quote + std::string(before)) + *found + quote + "?";
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
    std::string text;
    for (const auto& word : words) {
        if (!text.empty()) text += between;
        text += word;
    }
    return text;
}

}  // namespace vigil::text
