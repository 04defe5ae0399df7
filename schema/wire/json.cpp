#include "schema/wire/json.hpp"

#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/read_budget.hpp"
#include "schema/wire/json_bill.hpp"

namespace vigil::wire {

namespace {

constexpr std::size_t max_shown_key_bytes = 60;  // of a key in an error

using nlohmann::json;

/// Line and column of offsets that come in ascending order, without counting from the start again.
class LineCounter {
  public:
    explicit LineCounter(std::string_view text) : text_(text) {}
    JsonPosition operator()(std::size_t offset) {
        for (; at_ < offset; ++at_) {
            if (text_[at_] != '\n') continue;
            ++line_;
            line_start_ = at_ + 1;
        }
        return {line_, static_cast<int>(offset - line_start_) + 1};
    }

  private:
    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t line_start_ = 0;
    int line_ = 1;
};

/// The text, and how far the library has read it. Columns count bytes.
struct Reading {
    std::string_view text;
    std::string_view what;
    std::size_t at = 0;

    std::string told(std::size_t offset, const std::string& why) const {
        const auto [line, column] = LineCounter(text)(offset);
        return "reading " + std::string(what) + ": line " + std::to_string(line) + ", column " +
               std::to_string(column) + ": " + why;
    }
    [[noreturn]] void refuse(std::size_t offset, const std::string& why) const {
        throw Error(Errc::invalid_argument, told(offset, why));
    }
};

/// Hands the text to the library and lets us see how far it is: all copies share one place.
class Cursor {
  public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    Cursor() = default;
    Cursor(Reading& reading, bool end) : reading_(&reading), end_(end) {}
    reference operator*() const { return reading_->text[reading_->at]; }
    Cursor& operator++() {
        ++reading_->at;
        return *this;
    }
    Cursor operator++(int) {
        ++*this;
        return *this;
    }
    friend bool operator==(const Cursor& a, const Cursor& b) { return a.offset() == b.offset(); }

  private:
    std::size_t offset() const { return end_ ? reading_->text.size() : reading_->at; }
    Reading* reading_ = nullptr;
    bool end_ = true;
};

bool is_number_byte(char c) {
    return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.' || c == 'e' || c == 'E';
}

/// Builds the value from the library's events. The library reads without recursion; the depth limit
/// keeps everything that walks the value later (copying, writing) from deep recursion.
class Builder final : public nlohmann::json_sax<json> {
  public:
    Builder(
        const Reading& reading,
        const JsonLimits& limits,
        std::map<std::string, JsonPosition>* positions,
        const std::set<std::string>* wanted)
        : reading_(reading),
          limits_(limits),
          positions_(positions),
          wanted_(wanted),
          lines_(reading.text),
          bill_(limits.budget) {}

    json take() { return std::move(root_); }

    bool null() override { return add(reading_.at - 4, nullptr); }
    bool boolean(bool value) override { return add(reading_.at - (value ? 4 : 5), value); }
    bool number_integer(std::int64_t value) override { return add(number_start(), value); }
    bool number_unsigned(std::uint64_t value) override {
        if (value > static_cast<std::uint64_t>(INT64_MAX)) {
            reading_.refuse(number_start(), "the integer is larger than 9223372036854775807");
        }
        return add(number_start(), static_cast<std::int64_t>(value));
    }
    bool number_float(double value, const std::string& written) override {
        if (written.find_first_of(".eE") == written.npos) {
            reading_.refuse(number_start(), "the integer does not fit into 64 bits");
        }
        return add(number_start(), value);
    }
    bool string(std::string& value) override {
        const auto start = string_start();
        refuse_nul(start, value);
        return add(start, json(std::as_const(value)));  // the library's own may be twice as large
    }
    bool binary(binary_t&) override { return false; }

    bool start_object(std::size_t) override { return open(json::object()); }
    bool start_array(std::size_t) override { return open(json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(std::string& name) override {
        Level& level = levels_.back();
        const auto start = string_start();
        refuse_nul(start, name);
        if (wanted_ && level.keep != Keep::whole) return look_for(level, name);
        if (level.container->contains(name)) {
            reading_.refuse(
                start, "the key \"" + name.substr(0, max_shown_key_bytes) + "\" is there twice");
        }
        level.key = name;
        level.key_offset = start;
        return true;
    }

    bool parse_error(
        std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
        std::string why = error.what();
        for (const std::string_view marker : {"] ", ": "}) {  // our own place is told already
            if (const auto found = why.find(marker); found != why.npos) {
                why.erase(0, found + marker.size());
            }
        }
        const auto quoted = why.find("; last read: '");  // a stranger's text, however long
        if (quoted != why.npos) why.erase(quoted, why.rfind('\'') + 1 - quoted);
        reading_.refuse(reading_.at == 0 ? 0 : reading_.at - 1, why);
    }

  private:
    enum class Keep { nothing, on_the_way, whole };
    struct Level {
        json* container;      // of what is not kept: null
        std::string pointer;  // only when positions, or parts, are wanted
        std::string key;
        std::size_t key_offset;
        Keep keep = Keep::whole;
        Keep next = Keep::nothing;  // of the member whose key was read
    };

    /// A key of an object that is not kept whole. @return true
    bool look_for(Level& level, const std::string& name) {
        level.next = Keep::nothing;
        if (level.keep == Keep::nothing) return true;
        const auto pointer = level.pointer + "/" + pointer_step(name);
        const auto inside = wanted_->lower_bound(pointer + "/");
        if (wanted_->contains(pointer)) {
            level.next = Keep::whole;
        } else if (inside != wanted_->end() && inside->starts_with(pointer + "/")) {
            level.next = Keep::on_the_way;
        } else {
            return true;
        }
        if (level.container->contains(name)) {
            reading_.refuse(string_start(), "the key \"" + name + "\" is there twice");
        }
        level.key = name;
        return true;
    }

    /// What becomes of the value that comes.
    Keep keep_next() const {
        if (!wanted_) return Keep::whole;
        if (levels_.empty()) return Keep::on_the_way;
        const Level& level = levels_.back();
        if (level.keep != Keep::on_the_way) return level.keep;
        return level.container->is_object() ? level.next : Keep::nothing;
    }

    /// Where the string that was just read begins; quotes inside of it stand behind a backslash.
    std::size_t string_start() const {
        auto at = reading_.at - 1;
        for (;;) {
            --at;
            if (reading_.text[at] != '"') continue;
            auto slashes = at;
            while (slashes > 0 && reading_.text[slashes - 1] == '\\') --slashes;
            if ((at - slashes) % 2 == 0) return at;
        }
    }

    std::size_t number_start() const {
        auto at = reading_.at;  // the library may have looked at one byte more
        if (!is_number_byte(reading_.text[at - 1])) --at;
        while (at > 0 && is_number_byte(reading_.text[at - 1])) --at;
        return at;
    }

    void refuse_nul(std::size_t offset, const std::string& text) const {
        if (text.find('\0') != text.npos) reading_.refuse(offset, "a string contains NUL");
    }

    /// Puts a value into its place and notes where it stood.
    json* place(std::size_t offset, json value) {
        if (++values_ > limits_.max_values) {
            reading_.refuse(
                offset, "more than " + std::to_string(limits_.max_values) + " values in one text");
        }
        bill_.text_read(reading_.at);
        if (keep_next() == Keep::nothing) return nullptr;
        bill_.value(value);
        if (levels_.empty()) {
            note("", offset);
            root_ = std::move(value);
            return &root_;
        }
        Level& level = levels_.back();
        if (level.container->is_object()) {
            if (positions_) note(level.pointer + "/" + pointer_step(level.key), level.key_offset);
            bill_.member(level.key);
            json& member = (*level.container)[level.key];
            member = std::move(value);
            return &member;
        }
        if (positions_) {
            note(level.pointer + "/" + std::to_string(level.container->size()), offset);
        }
        bill_.element(*level.container);
        level.container->push_back(std::move(value));
        return &level.container->back();
    }

    bool add(std::size_t offset, json value) {
        place(offset, std::move(value));
        return true;
    }

    bool open(json value) {
        const auto offset = reading_.at - 1;
        if (limits_.budget) text::ReadBudget::check_level(levels_.size() + 1);
        if (static_cast<int>(levels_.size()) >= limits_.max_depth) {
            reading_.refuse(
                offset, "nested deeper than " + std::to_string(limits_.max_depth) + " levels");
        }
        const Keep keep = keep_next();
        json* container = place(offset, std::move(value));
        auto pointer = last_pointer_;
        if (wanted_ && keep == Keep::on_the_way && !levels_.empty()) {
            pointer = levels_.back().pointer + "/" + pointer_step(levels_.back().key);
        }
        levels_.push_back({container, std::move(pointer), "", 0, keep});
        return true;
    }

    bool close() {
        levels_.pop_back();
        return true;
    }

    void note(std::string pointer, std::size_t offset) {
        if (!positions_) return;
        last_pointer_ = std::move(pointer);
        (*positions_)[last_pointer_] = lines_(offset);
    }

    const Reading& reading_;
    const JsonLimits limits_;
    std::map<std::string, JsonPosition>* positions_;
    const std::set<std::string>* wanted_;  // null: all of it
    LineCounter lines_;
    json root_;
    std::vector<Level> levels_;
    std::string last_pointer_;
    std::size_t values_ = 0;
    JsonBill bill_;
};

void check_bytes(const Reading& reading) {
    const auto nul = reading.text.find('\0');
    const auto unsound = text::find_unsound(reading.text);
    if (nul < unsound) reading.refuse(nul, "a NUL byte");
    if (unsound != reading.text.npos) reading.refuse(unsound, "not valid UTF-8");
}

json parse(
    std::string_view text,
    std::string_view what,
    const JsonLimits& limits,
    std::map<std::string, JsonPosition>* positions,
    const std::set<std::string>* wanted) {
    Reading reading{text, what};
    if (text.size() > limits.max_bytes) {
        throw Error(
            Errc::invalid_argument,
            "reading " + std::string(what) + ": " + std::to_string(text.size()) +
                " bytes, at most " + std::to_string(limits.max_bytes) + " are read");
    }
    check_bytes(reading);
    Builder builder(reading, limits, positions, wanted);
    try {
        const bool read = json::sax_parse(
            Cursor(reading, false),
            Cursor(reading, true),
            &builder,
            json::input_format_t::json,
            true,
            limits.comments == Comments::allowed);
        VIGIL_ASSERT(read);  // every refusal throws
    } catch (const text::BudgetError& error) {
        throw text::BudgetError(reading.told(reading.at, error.what()));
    }
    return builder.take();
}

}  // namespace

json parse_json(std::string_view text, std::string_view what, JsonLimits limits) {
    return parse(text, what, limits, nullptr, nullptr);
}

json parse_json(
    std::string_view text,
    std::string_view what,
    JsonLimits limits,
    std::map<std::string, JsonPosition>& positions) {
    return parse(text, what, limits, &positions, nullptr);
}

json parse_json_parts(
    std::string_view text,
    std::string_view what,
    const std::set<std::string>& pointers,
    JsonLimits limits) {
    return parse(text, what, limits, nullptr, &pointers);
}

std::string write_json(const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

void check_utf8(std::string_view text, std::string_view what) {
    const Reading reading{text, what};
    check_bytes(reading);
}

std::string pointer_step(std::string_view key) {
    std::string step;
    for (const char c : key) {
        if (c == '~') {
            step += "~0";
        } else if (c == '/') {
            step += "~1";
        } else {
            step += c;
        }
    }
    return step;
}

}  // namespace vigil::wire
