#include "service/source/pep440.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "schema/text/characters.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_version_bytes = 200;
constexpr std::size_t max_digits = 18;

bool digit_at(std::string_view text, std::size_t at) {
    return at < text.size() && text[at] >= '0' && text[at] <= '9';
}

bool is_letter_or_digit(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
}

bool is_separator(char c) {
    return c == '.' || c == '-' || c == '_';
}

/// Takes a version apart from the left; every `take` either takes something or leaves it all.
class VersionText {
  public:
    explicit VersionText(std::string_view text) : text_(text) {}

    bool at_end() const { return at_ == text_.size(); }

    bool take(char c) {
        if (at_end() || text_[at_] != c) return false;
        ++at_;
        return true;
    }

    std::optional<std::int64_t> take_number() {
        std::size_t end = at_;
        while (digit_at(text_, end)) ++end;
        if (end == at_ || end - at_ > max_digits) return std::nullopt;
        std::int64_t value = 0;
        for (; at_ < end; ++at_) value = value * 10 + (text_[at_] - '0');
        return value;
    }

    /// One of the words, after a separator or none, with the number behind it; 0 when there is
    /// none.
    /// @return  which word, and the number
    template <std::size_t count>
    std::optional<std::pair<std::size_t, std::int64_t>> take_marked(
        const std::array<std::string_view, count>& words) {
        std::size_t at = at_ + (at_ < text_.size() && is_separator(text_[at_]) ? 1 : 0);
        for (std::size_t i = 0; i < count; ++i) {
            if (text_.substr(at, words[i].size()) != words[i]) continue;
            std::size_t after = at + words[i].size();
            if (after < text_.size() && is_letter_or_digit(text_[after]) &&
                !digit_at(text_, after)) {
                continue;  // a longer word
            }
            if (after < text_.size() && is_separator(text_[after]) && digit_at(text_, after + 1)) {
                ++after;
            }
            const std::size_t before = at_;
            at_ = after;
            if (!digit_at(text_, at_)) return std::pair{i, std::int64_t{0}};
            if (const auto number = take_number()) return std::pair{i, *number};
            at_ = before;
            return std::nullopt;
        }
        return std::nullopt;
    }

    std::string_view rest() const { return text_.substr(at_); }
    void end() { at_ = text_.size(); }

  private:
    std::string_view text_;
    std::size_t at_ = 0;
};

bool take_release(VersionText& text, PythonVersion& version) {
    auto number = text.take_number();
    if (!number) return false;
    if (text.take('!')) {
        version.epoch = *number;
        number = text.take_number();
        if (!number) return false;
    }
    version.release.push_back(*number);
    while (text.rest().starts_with('.') && digit_at(text.rest(), 1)) {
        text.take('.');
        number = text.take_number();
        if (!number) return false;
        version.release.push_back(*number);
    }
    while (version.release.size() > 1 && version.release.back() == 0) version.release.pop_back();
    return true;
}

/// "+cpu.cxx11-abi", all that is left.
bool take_local(VersionText& text, PythonVersion& version) {
    if (!text.take('+')) return text.at_end();
    std::string part;
    for (const char c : std::string(text.rest()) + ".") {
        if (is_letter_or_digit(c)) {
            part += c;
        } else if (is_separator(c) && !part.empty()) {
            version.local.push_back(part);
            part.clear();
        } else {
            return false;
        }
    }
    text.end();
    return true;
}

std::strong_ordering compare_local_part(const std::string& a, const std::string& b) {
    const auto is_number = [](const std::string& part) {
        return part.find_first_not_of("0123456789") == part.npos;
    };
    if (is_number(a) != is_number(b)) return is_number(a) <=> is_number(b);  // letters are older
    if (!is_number(a)) return a.compare(b) <=> 0;
    const auto bare = [](const std::string& part) {
        return part.substr(std::min(part.find_first_not_of('0'), part.size()));
    };
    if (bare(a).size() != bare(b).size()) return bare(a).size() <=> bare(b).size();
    return bare(a).compare(bare(b)) <=> 0;
}

/// Where a version stands among those of its release: what is missing counts as PEP 440 says.
std::array<std::int64_t, 6> rank_of_version(const PythonVersion& version) {
    constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
    const bool dev_only = version.dev && !version.pre && !version.post;
    return {
        dev_only      ? -1
        : version.pre ? version.pre->first
                      : 3,
        version.pre ? version.pre->second : 0,
        version.post ? 1 : 0,
        version.post.value_or(0),
        version.dev ? 0 : 1,
        version.dev.value_or(last)};
}

}  // namespace

std::strong_ordering operator<=>(const PythonVersion& a, const PythonVersion& b) {
    if (a.epoch != b.epoch) return a.epoch <=> b.epoch;
    if (a.release != b.release) {
        return std::lexicographical_compare(
                   a.release.begin(), a.release.end(), b.release.begin(), b.release.end())
                   ? std::strong_ordering::less
                   : std::strong_ordering::greater;
    }
    const auto mine = rank_of_version(a);
    const auto other = rank_of_version(b);
    if (mine != other)
        return mine < other ? std::strong_ordering::less : std::strong_ordering::greater;
    for (std::size_t i = 0; i < std::min(a.local.size(), b.local.size()); ++i) {
        const auto order = compare_local_part(a.local[i], b.local[i]);
        if (order != 0) return order;
    }
    return a.local.size() <=> b.local.size();
}

std::optional<PythonVersion> parse_python_version(std::string_view raw) {
    if (raw.empty() || raw.size() > max_version_bytes) return std::nullopt;
    const auto low = text::lower_case(raw);
    VersionText text(low);
    text.take('v');
    PythonVersion version;
    if (!take_release(text, version)) return std::nullopt;
    static constexpr std::array<std::string_view, 8> pre{
        "alpha", "beta", "preview", "rc", "pre", "a", "b", "c"};
    static constexpr std::array<int, 8> pre_rank{0, 1, 2, 2, 2, 0, 1, 2};
    if (const auto found = text.take_marked(pre)) {
        version.pre = std::pair{pre_rank[found->first], found->second};
    }
    static constexpr std::array<std::string_view, 3> post{"post", "rev", "r"};
    if (const auto found = text.take_marked(post)) {
        version.post = found->second;
    } else if (text.rest().starts_with('-') && digit_at(text.rest(), 1)) {
        text.take('-');
        version.post = text.take_number();
        if (!version.post) return std::nullopt;
    }
    static constexpr std::array<std::string_view, 1> dev{"dev"};
    if (const auto found = text.take_marked(dev)) version.dev = found->second;
    if (!take_local(text, version)) return std::nullopt;
    return version;
}

}  // namespace vigil::service
