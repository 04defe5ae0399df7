#include <optional>
#include <string>

#include "schema/harness/console/readers.hpp"
#include "schema/harness/console/words.hpp"
#include "schema/text/characters.hpp"

namespace vigil::harness {

namespace {

/// The command of "Benchmark 1: sleep 1" and of older "Benchmark #1: sleep 1".
std::optional<std::string> command_in(std::string_view line) {
    constexpr std::string_view word = "Benchmark ";
    const auto colon = line.find(": ");
    if (!line.starts_with(word) || colon == line.npos) return std::nullopt;
    auto number = line.substr(word.size(), colon - word.size());
    if (number.starts_with('#')) number.remove_prefix(1);
    const auto command = text::trimmed(line.substr(colon + 2));
    if (!is_count(number) || command.empty()) return std::nullopt;
    return std::string(command);
}

/// What stands behind "label:", up to ',' or ']'.
std::optional<PrintedFigure> behind(std::string_view line, std::string_view label) {
    const auto at = line.find(label);
    if (at == line.npos) return std::nullopt;
    line = line.substr(at + label.size());
    const auto measured = measured_at(words_of(line.substr(0, line.find_first_of(",]"))), 0);
    return measured && time_unit(measured->unit) ? measured : std::nullopt;
}

}  // namespace

void read_hyperfine_lines(const ShownLines& lines, Collector& into) {
    std::string name;
    const auto put = [&](const char* quantity, const PrintedFigure& measured) {
        into.add_summary({name, quantity}, measured.unit, measured.value);
    };
    for (const auto line : lines) {
        if (auto command = command_in(line)) name = into.fit({std::move(*command)}).benchmark;
        if (name.empty()) continue;
        auto mean = behind(line, "Time (mean ± σ):");
        if (!mean) mean = behind(line, "Time (abs ≡):");
        if (mean) {
            put("", *mean);
            const auto user = behind(line, "[User:");
            const auto system = behind(line, "System:");
            if (user && system) {
                const double ns = user->value * time_unit(user->unit)->factor +
                                  system->value * time_unit(system->unit)->factor;
                into.add_summary({name, "CPU time"}, "ns", ns, {.metric = Metric::cpu_time_ns});
            }
        }
        constexpr std::string_view range = "Range (min … max):";
        if (const auto at = line.find(range); at != line.npos) {
            const auto words = words_of(line.substr(at + range.size()));
            if (const auto least = measured_at(words, 0)) put("min", *least);
            if (const auto most = measured_at(words, 3)) put("max", *most);
        }
    }
}

}  // namespace vigil::harness
