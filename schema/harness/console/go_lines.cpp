#include <cctype>
#include <string>

#include "schema/harness/console/readers.hpp"
#include "schema/harness/console/words.hpp"
#include "schema/harness/text_readers.hpp"

namespace vigil::harness {

namespace {

/// "BenchmarkSort-8  1000  123 ns/op": a count, and then pairs of a number and a unit.
bool is_result(const LineWords& words) {
    constexpr std::string_view mark = "Benchmark";
    if (words.size() < 4 || words.size() % 2 != 0) return false;
    if (!words[0].starts_with(mark) || words[0].size() == mark.size()) return false;
    if (std::islower(static_cast<unsigned char>(words[0][mark.size()])) != 0) return false;
    if (!is_count(words[1])) return false;
    for (std::size_t i = 2; i < words.size(); i += 2) {
        if (!number_in(words[i]) || number_in(words[i + 1])) return false;
    }
    return true;
}

}  // namespace

void read_go_lines(const ShownLines& lines, Collector& into) {
    std::string text;
    bool found = false;
    for (const auto line : lines) {
        const bool result = is_result(words_of(line));
        const bool fact = line.starts_with("goos: ") || line.starts_with("goarch: ") ||
                          line.starts_with("pkg: ") || line.starts_with("cpu: ");
        found = found || result;
        if (result || fact) text += std::string(line) + "\n";
    }
    if (found) read_go(text, into);
}

}  // namespace vigil::harness
