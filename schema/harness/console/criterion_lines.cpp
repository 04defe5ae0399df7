#include <optional>
#include <string>

#include "schema/harness/console/readers.hpp"
#include "schema/harness/console/words.hpp"
#include "schema/text/characters.hpp"

namespace vigil::harness {

namespace {

/// The middle one of "[47.1 ms 47.2 ms 47.3 ms]", which begins behind `label`.
std::optional<PrintedFigure> estimate_behind(std::string_view line, std::string_view label) {
    const auto at = line.find(label);
    if (at == line.npos) return std::nullopt;
    auto text = text::trimmed(line.substr(at + label.size()));
    if (!text.starts_with('[')) return std::nullopt;
    const auto end = text.find(']');
    if (end == text.npos) return std::nullopt;
    const auto words = words_of(text.substr(1, end - 1));
    return words.size() == 6 ? measured_at(words, 2) : std::nullopt;
}

/// "12.3 MiB/s" as bytes a second, so that another size of the unit is the same quantity.
PrintedFigure per_second(PrintedFigure rate) {
    if (!rate.unit.ends_with("/s")) return rate;
    const auto what = std::string_view(rate.unit).substr(0, rate.unit.size() - 2);
    if (const auto bytes = unit_named(what); bytes.kind == MetricKind::memory) {
        return {rate.value * bytes.factor, "B/s"};
    }
    if (!what.ends_with("elem")) return rate;
    const auto value = scaled_number("1" + std::string(what.substr(0, what.size() - 4)));
    return value ? PrintedFigure{rate.value * *value, "elem/s"} : rate;
}

/// "test sum ... bench:      47,212 ns/iter (+/- 123)", as --output-format bencher and Rust's own
/// benches print it.
void read_bencher(std::string_view line, Collector& into) {
    constexpr std::string_view mark = " ... bench:";
    const auto at = line.find(mark);
    if (!line.starts_with("test ") || at == line.npos) return;
    const auto words = words_of(line.substr(at + mark.size()));
    auto measured = measured_at(words, 0);
    if (!measured || !measured->unit.ends_with("/iter")) return;
    measured->unit.resize(measured->unit.size() - std::string_view("/iter").size());
    const std::string name(text::trimmed(line.substr(5, at - 5)));
    if (!name.empty()) into.add_summary({name}, measured->unit, measured->value);
}

}  // namespace

void read_criterion_lines(const ShownLines& lines, Collector& into) {
    std::string name;  // of the estimates that follow
    std::string_view last;
    for (const auto line : lines) {
        if (const auto time = estimate_behind(line, "time:"); time && time_unit(time->unit)) {
            const auto own = text::trimmed(line.substr(0, line.find("time:")));
            name = into.fit({std::string(own.empty() ? last : own)})
                       .benchmark;  // a long name has a line of its own
            if (!name.empty()) into.add_summary({name}, time->unit, time->value);
        } else if (const auto rate = estimate_behind(line, "thrpt:"); rate && !name.empty()) {
            const auto plain = per_second(*rate);
            if (plain.unit.ends_with("/s")) {
                into.add_summary({name, "throughput"}, plain.unit, plain.value);
            }
        } else {
            read_bencher(line, into);
        }
        const auto text = text::trimmed(line);
        if (!text.empty() && !text.starts_with("Benchmarking ")) last = text;
    }
}

}  // namespace vigil::harness
