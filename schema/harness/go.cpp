#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/harness/format.hpp"
#include "schema/harness/text_readers.hpp"
#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/digest.hpp"

namespace vigil::harness {

namespace {

constexpr std::string_view gaps = " \t\r\v\f";

/// The next word of a line, which it is taken from; empty at its end.
std::string_view next_word(std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(gaps), line.size()));
    const auto word = line.substr(0, line.find_first_of(gaps));
    line.remove_prefix(word.size());
    return word;
}

double go_number(std::string_view word, std::string_view line) {
    double value = 0;
    const char* const end = word.data() + word.size();
    const auto [at, error] = std::from_chars(word.data() + (word[0] == '+' ? 1 : 0), end, value);
    if (error == std::errc() && at == end) return value;
    throw Error(
        Errc::invalid_argument,
        fmt::format("'{}' is no number, in '{}'", word.substr(0, 40), line.substr(0, 120)));
}

bool is_key(std::string_view key) {
    const auto is_fine = [](char c) { return c > ' ' && !(c >= 'A' && c <= 'Z') && c != ':'; };
    return !key.empty() && key[0] >= 'a' && key[0] <= 'z' && std::ranges::all_of(key, is_fine);
}

/// Reads one text line by line.
class GoText {
  public:
    static constexpr std::size_t longest_line = std::size_t{1} << 20;

    explicit GoText(Collector& into) : into_(into) {}

    void read(std::string_view line) {
        ++number_;
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.size() > longest_line) return;
        if (is_go_result(line)) {
            into_.row(fmt::format("line {}", number_), origin(), [&] { read_result(line); });
            return;
        }
        const auto colon = line.find(": ");
        const auto key = line.substr(0, std::min(colon, line.size()));
        if (colon == line.npos || key.size() > 40 || !is_key(key)) return;
        auto value = line.substr(colon + 2);
        value.remove_prefix(std::min(value.find_first_not_of(gaps), value.size()));
        note(std::string(key), std::string(value));
    }

  private:
    /// "cpu: AMD EPYC" holds for the lines that follow.
    void note(const std::string& key, const std::string& value) {
        constexpr std::size_t most_keys = 16;
        constexpr std::size_t most_bytes = 120;
        if (facts_.size() < most_keys || facts_.contains(key)) {
            facts_[key] = text::first_bytes(value, most_bytes);
            origin_.reset();
        }
        for (const std::string_view fact : {"goos", "goarch", "cpu"}) {
            if (key == fact) into_.report.environment[key] = value;
        }
    }

    std::string fact(const std::string& key) const {
        const auto found = facts_.find(key);
        return found == facts_.end() ? "" : found->second;
    }

    /// Results of one name are runs of one benchmark only under the same facts, but for times.
    const std::string& origin() {
        if (origin_) return *origin_;
        std::string all;
        for (const auto& [key, value] : facts_) {
            const bool is_time = key.find("time") != key.npos || key.find("date") != key.npos;
            if (!is_time) all += key + ": " + value + "\n";
        }
        into_.budget().step(all.size());
        origin_ = all.empty() ? "" : wire::sha256(all).str();
        return *origin_;
    }

    void read_result(std::string_view line) {
        auto rest = line;
        auto plain = std::string(next_word(rest));
        next_word(rest);  // iterations
        if (const auto package = fact("pkg"); !package.empty()) plain = package + "." + plain;
        const auto name = with_parts(
            plain, {{"toolchain", fact("toolchain")}, {"experiment", fact("experiment")}});
        for (;;) {
            const auto value = next_word(rest);
            const std::string unit(next_word(rest));
            if (unit.empty()) return;
            into_.add({name, unit == "ns/op" ? "" : unit, "", plain}, unit, go_number(value, line));
        }
    }

    Collector& into_;
    std::size_t number_ = 0;
    std::map<std::string, std::string> facts_;
    std::optional<std::string> origin_;  ///< a digest of them
};

std::string event_text(const nlohmann::json& event, const char* key) {
    const auto found = event.find(key);
    return found != event.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

bool is_go_result(std::string_view line) {
    constexpr std::string_view begin = "Benchmark";
    const auto name = next_word(line);
    if (!name.starts_with(begin)) return false;
    if (name.size() > begin.size() && name[begin.size()] >= 'a' && name[begin.size()] <= 'z') {
        return false;
    }
    const auto count = next_word(line);
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (count.empty() || !std::ranges::all_of(count, is_digit)) return false;
    next_word(line);
    return !next_word(line).empty();
}

bool is_go_event(const nlohmann::json& object) {
    return object.contains("Action") && object["Action"].is_string() &&
           (object.contains("Package") || object.contains("ImportPath"));
}

void read_go(std::string_view text, Collector& into) {
    auto& budget = into.budget();
    GoText plain(into);
    std::map<std::string, std::string> output;  // of each package: they run side by side
    text::for_each_line(text, [&](std::string_view line) {
        budget.step(line.size() + 1);
        const auto event = object_in(line, budget);
        if (!event.contains("Action") || !event["Action"].is_string()) {
            plain.read(line);
        } else if (event["Action"] == "output") {
            const auto said = event_text(event, "Output");
            const auto package = event_text(event, "Package");
            budget.make(2 * said.size());  // it grows by doubling
            if (!output.contains(package)) {
                budget.make(2 * sizeof package + text::tree_bytes + text::heap_bytes(package));
            }
            output[package] += said;
        }
    });
    for (const auto& [package, said] : output) {
        GoText one(into);
        text::for_each_line(said, [&](std::string_view line) { one.read(line); });
    }
}

}  // namespace vigil::harness
