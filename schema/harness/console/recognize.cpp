#include "schema/harness/console/recognize.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "schema/harness/collector.hpp"
#include "schema/harness/console/readers.hpp"
#include "schema/harness/console/words.hpp"
#include "schema/harness/read.hpp"
#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/read_budget.hpp"

namespace vigil::harness {

namespace {

constexpr const char* the_output = "the benchmark's output";
constexpr const char* google_form = "BENCHMARK_FORMAT=json";

bool sizes_itself(Harness harness) {
    switch (harness) {
        case Harness::google_benchmark:
        case Harness::pytest_benchmark:
        case Harness::hyperfine:
        case Harness::criterion:
        case Harness::jmh:
        case Harness::go:
        case Harness::catch2:
        case Harness::benchmark_dot_net:
        case Harness::asv: return true;
        default: return false;
    }
}

/// "Run on (8 X 2100 MHz CPU s)", which Google Benchmark says on standard error.
bool is_google_context(std::string_view line) {
    return line.starts_with("Run on (") && line.find(" MHz CPU") != line.npos;
}

/// Whether a line can be the first one of a document of JSON or XML.
bool begins_document(std::string_view line) {
    const auto text = text::trimmed(line);
    if (text.starts_with("<?xml") || text.starts_with("<Catch")) return line.front() == '<';
    if (line.empty() || (line.front() != '{' && line.front() != '[')) return false;
    const auto rest = text::trimmed(line.substr(1));
    return rest.empty() || std::string_view("{[\"]}-0123456789").find(rest.front()) != rest.npos;
}

/// The document that an output ends with, but for lines behind it that cannot end one.
std::optional<Report> find_document(std::string_view text, text::ReadBudget& budget) {
    int tries = 30;  // of lines that only look like its first one
    const auto last = text.find_last_of("}]>");
    if (last == text.npos) return std::nullopt;
    text = text.substr(0, last + 1);
    for (std::size_t at = 0; at < text.size() && tries > 0;) {
        const auto next = text.find('\n', at);
        if (begins_document(text.substr(at, next == text.npos ? next : next - at))) {
            --tries;
            const auto before = budget.held();
            try {
                auto reports = read_reports(text.substr(at), the_output, {.budget = &budget});
                if (reports.size() == 1) return std::move(reports.front());
            } catch (const text::BudgetError&) {
                throw;
            } catch (const Error&) {  // the next may be it
            }
            budget.give_back(budget.held() - before);
        }
        if (next == text.npos) break;
        at = next + 1;
    }
    return std::nullopt;
}

/// The text as it is shown, and those of its lines that may be of a table.
struct Shown {
    static constexpr std::size_t longest_line = std::size_t{1} << 20;
    std::string text;
    ShownLines lines;

    Shown(std::string_view output, text::ReadBudget& budget) {
        constexpr std::size_t times = 4;  // what is no UTF-8 becomes three bytes, and grows
        constexpr std::size_t steps_a_byte = 8;
        const auto count = static_cast<std::size_t>(std::ranges::count(output, '\n')) + 1;
        const bool is_plain = text::find_unsound(output) == output.npos;
        budget.make((is_plain ? 1 : times) * output.size() + count * sizeof lines.front());
        budget.step(steps_a_byte * output.size());
        text = shown(output);
        lines.reserve(count);
        text::for_each_line(text, [&](std::string_view line) {
            if (line.size() <= longest_line) lines.push_back(line);
        });
    }
};

/// What a table for people says; none where there is no such table.
std::optional<Report> read_tables(
    const ShownLines& lines, TableHead google, text::ReadBudget& budget) {
    const auto read = [&](Harness harness, const auto& take) -> std::optional<Report> {
        Collector into(harness, budget);
        into.row("what it printed", "", [&] { take(into); });
        auto report = into.finish();
        return report.readings.empty() ? std::nullopt : std::optional(std::move(report));
    };
    const auto first_of = [&](auto&&... each) {
        std::optional<Report> found;
        ((found ? void() : void(found = each())), ...);
        return found;
    };
    return first_of(
        [&] {
            return read(Harness::google_benchmark, [&](Collector& into) {
                read_google_table(lines, google, into);
            });
        },
        [&] {
            return read(
                Harness::google_benchmark, [&](Collector& into) { read_google_csv(lines, into); });
        },
        [&] { return read(Harness::jmh, [&](Collector& into) { read_jmh_table(lines, into); }); },
        [&] {
            return read(Harness::pytest_benchmark, [&](Collector& into) {
                read_pytest_table(lines, into);
            });
        },
        [&] {
            return read(Harness::catch2, [&](Collector& into) { read_catch2_table(lines, into); });
        },
        [&] {
            return read(
                Harness::hyperfine, [&](Collector& into) { read_hyperfine_lines(lines, into); });
        },
        [&] {
            return read(
                Harness::criterion, [&](Collector& into) { read_criterion_lines(lines, into); });
        },
        [&] { return read(Harness::go, [&](Collector& into) { read_go_lines(lines, into); }); });
}

/// What a line of a program's output says of it, where its numbers are not found.
struct Sign {
    std::string_view program;
    bool (*is_on)(std::string_view line);
};

bool holds(std::string_view line, std::string_view part) {
    return line.find(part) != line.npos;
}

constexpr Sign signs[] = {
    {"Google Benchmark", is_google_context},
    // Of files whose beginning or end is cut off.
    {"Google Benchmark", [](std::string_view line) { return line.starts_with("\"real_time\": "); }},
    {"hyperfine", [](std::string_view line) { return line.starts_with("\"exit_codes\": ["); }},
    {"JMH", [](std::string_view line) { return line.starts_with("\"primaryMetric\" : {"); }},
    {"Catch2", [](std::string_view line) { return line.starts_with("<BenchmarkResults "); }},
    {"criterion",
     [](std::string_view line) {
         return line.starts_with("Benchmarking ") &&
                (holds(line, ": Warming up for ") || holds(line, ": Collecting "));
     }},
    {"JMH", [](std::string_view line) { return line.starts_with("# JMH version: "); }},
    {"BenchmarkDotNet",
     [](std::string_view line) {
         return line.starts_with("// * Summary *") || line.starts_with("BenchmarkDotNet=v") ||
                line.starts_with("BenchmarkDotNet v");
     }},
    {"Benchmark.js",
     [](std::string_view line) { return holds(line, " ops/sec ±") && holds(line, " sampled)"); }},
    {"nanobench",
     [](std::string_view line) {
         return line.starts_with('|') && holds(line, "ns/") && holds(line, "err%");
     }},
    {"divan", [](std::string_view line) { return line.starts_with("Timer precision: "); }},
    {"pyperf", [](std::string_view line) { return holds(line, "Mean +- std dev: "); }},
    {"timeit",
     [](std::string_view line) { return holds(line, " loops") && holds(line, "best of "); }},
    {"BenchmarkTools.jl",
     [](std::string_view line) { return line.starts_with("BenchmarkTools.Trial"); }},
    {"tinybench", [](std::string_view line) {
         return holds(line, "rme") && holds(line, "samples") && holds(line, "hz");
     }}};

std::string_view program_by_lines(const ShownLines& lines) {
    for (const auto line : lines) {
        for (const auto& sign : signs) {
            if (sign.is_on(text::trimmed(line))) return sign.program;
        }
    }
    return "";
}

/// A word of a command without its folder and quotes.
std::string_view program_in(std::string_view word) {
    while (!word.empty() &&
           std::string_view("'\"();").find(word.back()) != std::string_view::npos) {
        word.remove_suffix(1);
    }
    const auto at = word.find_last_of("/'\"(;");
    return at == word.npos ? word : word.substr(at + 1);
}

std::string_view program_by_command(std::string_view command) {
    const auto words = words_of(command);
    const auto after = [&](std::size_t i, std::string_view next) {
        return i + 1 < words.size() && program_in(words[i + 1]) == next;
    };
    const auto any_from = [&](std::size_t i, std::string_view start) {
        return std::any_of(
            words.begin() + static_cast<std::ptrdiff_t>(i), words.end(), [&](auto w) {
                return w.starts_with(start);
            });
    };
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto program = program_in(words[i]);
        if (program == "hyperfine") return name_of(Harness::hyperfine);
        if (program == "cargo" && (after(i, "bench") || after(i, "criterion"))) {
            return name_of(Harness::criterion);
        }
        if (program == "go" && after(i, "test") && any_from(i, "-bench")) {
            return name_of(Harness::go);
        }
        const bool pytest = program.starts_with("pytest") || program.starts_with("py.test");
        if (pytest && (any_from(i, "--benchmark-only") || any_from(i, "--benchmark-json"))) {
            return name_of(Harness::pytest_benchmark);
        }
        if (program == "-m" && after(i, "timeit")) return "timeit";
        if (words[i] == "org.openjdk.jmh.Main") return name_of(Harness::jmh);
        if (words[i].starts_with("--benchmark_")) return name_of(Harness::google_benchmark);
    }
    return "";
}

/// "def test_sum(benchmark):", pytest-benchmark's fixture.
bool has_benchmark_test(std::string_view text) {
    bool found = false;
    text::for_each_line(text, [&](std::string_view line) {
        const auto open = line.find('(');
        found = found || (text::trimmed(line).starts_with("def test_") && open != line.npos &&
                          holds(line.substr(open), "benchmark"));
    });
    return found;
}

/// A report of which something was measured; else why nothing was.
SelfSizing told_by(Report report, std::string exact_form) {
    SelfSizing told{std::string(name_of(report.harness)), {}, {}, std::move(exact_form)};
    const auto measured = [](const Reading& one) { return !one.samples.empty(); };
    const auto failed =
        std::ranges::find_if(report.readings, [](const Reading& one) { return one.failed > 0; });
    if (std::ranges::any_of(report.readings, measured)) {
        told.report = std::move(report);
    } else if (failed != report.readings.end()) {
        told.problem = fmt::format(
            "{} failed: {}",
            text::one_line(failed->benchmark, 80),
            text::one_line(failed->failure, 200));
    } else {
        told.problem = "it holds no value";
    }
    return told;
}

}  // namespace

std::string_view name_of(Harness harness) {
    switch (harness) {
        case Harness::google_benchmark: return "Google Benchmark";
        case Harness::pytest_benchmark: return "pytest-benchmark";
        case Harness::hyperfine: return "hyperfine";
        case Harness::criterion: return "criterion";
        case Harness::jmh: return "JMH";
        case Harness::go: return "Go's testing package";
        case Harness::catch2: return "Catch2";
        case Harness::benchmark_dot_net: return "BenchmarkDotNet";
        case Harness::asv: return "asv";
        case Harness::torchbench: return "TorchBench";
        case Harness::dynamo: return "PyTorch's dynamo benchmarks";
        case Harness::bmf: return "Bencher Metric Format";
        case Harness::github_action_benchmark: return "github-action-benchmark";
        case Harness::csv: return "a CSV";
    }
    return "";
}

std::optional<SelfSizing> recognize(const SeenRun& run) {
    text::ReadBudget budget(run.output.size() + run.errors.size());
    std::string problem;
    std::optional<Shown> output, errors;
    try {
        output.emplace(run.output, budget);
        errors.emplace(run.errors, budget);
        auto document = find_document(output->text, budget);
        if (document && sizes_itself(document->harness)) {
            if (run.ignores_failure) take_failed(*document);
            return told_by(std::move(*document), "");
        }
        const bool google = std::ranges::any_of(errors->lines, is_google_context);
        const auto head = google ? TableHead::known : TableHead::needed;
        if (auto table = read_tables(output->lines, head, budget)) {
            const bool rounded = table->harness == Harness::google_benchmark;
            return told_by(std::move(*table), rounded ? google_form : "");
        }
    } catch (const Error& error) {
        problem = error.what();
    }
    std::string_view program;
    if (output) program = program_by_lines(output->lines);
    if (program.empty() && errors) program = program_by_lines(errors->lines);
    if (program.empty()) program = program_by_command(run.command);
    if (program.empty()) return std::nullopt;
    if (problem.empty()) problem = "it printed none of the tables or files that are known";
    return SelfSizing{
        std::string(program),
        {},
        std::move(problem),
        program == name_of(Harness::google_benchmark) ? google_form : ""};
}

std::optional<Harness> harness_of_source(std::string_view name, std::string_view text) {
    const auto is = [&](std::string_view ending) { return name.ends_with(ending); };
    const auto has = [&](std::string_view part) { return holds(text, part); };
    if (is("_test.go") && has("*testing.B")) return Harness::go;
    if (is(".rs") && (has("criterion_main!") || has("use criterion") || has("#[bench]")))
        return Harness::criterion;
    if (is(".py") && has_benchmark_test(text)) return Harness::pytest_benchmark;
    if (is(".java") && has("org.openjdk.jmh")) return Harness::jmh;
    if (has("benchmark/benchmark.h")) return Harness::google_benchmark;
    const bool catch2 = has("catch2/") || has("catch.hpp");
    if (catch2 && has("BENCHMARK")) return Harness::catch2;
    return std::nullopt;
}

Report read_output(std::string_view output) {
    text::ReadBudget budget(output.size());
    {
        const text::BudgetLoan loan(budget);
        const Shown said(output, budget);
        if (auto document = find_document(said.text, budget)) return std::move(*document);
        if (auto table = read_tables(said.lines, TableHead::needed, budget)) {
            return std::move(*table);
        }
    }
    auto reports = read_reports(output, the_output, {.budget = &budget});
    if (reports.size() == 1) return std::move(reports.front());
    throw Error(
        Errc::invalid_argument,
        fmt::format("reading {}: it holds several nights; one run prints one", the_output));
}

std::vector<std::string> benchmarks_of(const Report& report) {
    std::vector<std::string> names;
    std::set<std::string> seen;
    for (const auto& reading : report.readings) {
        if (seen.insert(reading.benchmark).second) names.push_back(reading.benchmark);
    }
    return names;
}

}  // namespace vigil::harness
