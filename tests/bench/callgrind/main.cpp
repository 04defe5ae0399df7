// What a count by callgrind tells of a program: how it scatters while the machine is busy, and the
// least change that a session of 16 runs a side calls a regression in 95 % of cases.
//
// usage: bench_callgrind VIGIL_CHILD [RUNS]
//
// One program sorts fixed data, the other one is Python's, with the same hashes in each process and
// with others. They run as a worker runs them, by turns with a second build of the same source.
// Sessions are drawn from these runs, the second build's raised by a change. Keep the machine busy
// meanwhile.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

#include <fmt/format.h>

#include "bisect/detect/noise.hpp"
#include "bisect/detect/session.hpp"
#include "bisect/stats/summary.hpp"
#include "schema/model/error.hpp"
#include "tests/support/scratch_folder.hpp"
#include "worker/run/callgrind.hpp"
#include "worker/run/process_runner.hpp"

using namespace vigil;
namespace fs = std::filesystem;

namespace {

constexpr int blocks = 8;  // of two runs a side
constexpr int sessions = 400;
constexpr const char* source = R"(
#include <algorithm>
#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>
int main() {
    std::vector<unsigned> values(200000);
    unsigned state = 1;
    for (auto& value : values) value = state = state * 1664525 + 1013904223;
    std::sort(values.begin(), values.end());
    std::unordered_map<std::string, unsigned> names;
    for (unsigned i = 0; i < 20000; ++i) names[std::to_string(values[i])] += i;
    std::printf("%u %zu\n", values[1000], names.size());
}
)";
constexpr const char* script = R"(
names = {}
for i in range(5000):
    names[str(i)] = names.get(str(i // 2), 0) + i
print(len(names))
)";

struct Program {
    const char* name;
    Command command;
    EnvironmentVariables environment;
};

worker::RunRequest request_in(const fs::path& place, const fs::path& product, Command command) {
    worker::RunRequest request;
    request.command = std::move(command);
    request.folder = product;
    request.scratch = place / "scratch";
    fs::remove_all(request.scratch);
    fs::create_directories(request.scratch);
    return request;
}

double count_once(
    worker::Runner& runner,
    const fs::path& place,
    const fs::path& product,
    const Program& program) {
    auto request = request_in(place, product, program.command);
    request.environment = program.environment;
    const auto report = worker::run_by_callgrind(runner, request);
    if (!report.counted) throw Error(Errc::unavailable, "no count: " + report.errors);
    return static_cast<double>(*report.counted);
}

fs::path build(worker::Runner& runner, const fs::path& place, const std::string& name) {
    const auto product = place / name;
    fs::create_directories(product);
    std::ofstream(product / "program.cpp") << source;
    std::ofstream(product / "program.py") << script;
    auto request = request_in(place, product, {"c++", "-O2", "program.cpp", "-o", "program"});
    request.folder_access = worker::MountAccess::writable;
    const auto report = runner.run(request);
    if (report.exit_code != 0) throw Error(Errc::unavailable, "compiling: " + report.errors);
    return product;
}

/// The share of sessions, drawn of these runs, that call the change a regression.
double share_called(
    const std::vector<double>& a,
    const std::vector<double>& b,
    double change,
    const detect::SessionRules& rules) {
    std::mt19937_64 random(17);
    const auto draw = [&](const std::vector<double>& from) {
        return from[std::uniform_int_distribution<std::size_t>(0, from.size() - 1)(random)];
    };
    int called = 0;
    for (int session = 0; session < sessions; ++session) {
        std::vector<detect::SessionRun> runs;
        detect::SessionJudgement judgement;
        for (int block = 0; block < blocks && !judgement.decided; ++block) {
            for (const auto side : detect::block_order(block)) {
                const double value =
                    side == detect::Side::a ? draw(a) : std::round(draw(b) * (1 + change));
                runs.push_back({side, block, value});
            }
            judgement = detect::judge_session(runs, rules);
        }
        called += judgement.decided && judgement.verdict == Verdict::regression;
    }
    return static_cast<double>(called) / sessions;
}

double learned_noise(const std::vector<double>& runs) {
    std::vector<detect::RunScatter> nights;
    for (std::size_t i = 0; i + 3 <= runs.size(); i += 3) {
        std::vector<double> night;
        for (std::size_t j = i; j < i + 3; ++j) {
            night.push_back(detect::badness(runs[j], Direction::lower_is_better));
        }
        nights.push_back(detect::scatter_of(night));
    }
    return detect::learn_run_noise(nights).spread;
}

void print_scatter(const char* name, const std::vector<double>& runs) {
    const auto [low, high] = std::minmax_element(runs.begin(), runs.end());
    fmt::print(
        "{}: {} runs, median {:.0f} instructions, from {:.0f} to {:.0f}: {:.6f} %\n",
        name,
        runs.size(),
        stats::median(runs),
        *low,
        *high,
        100 * (*high / *low - 1));
}

void print_least_changes(const std::vector<double>& a, const std::vector<double>& b) {
    detect::SessionRules rules;
    rules.kind = kind_of(Metric::callgrind_instructions);
    rules.max_blocks = blocks;
    rules.run_noise = learned_noise(a);
    fmt::print(
        "noise of a run, as nights of three runs teach it: {:.4f} %\n", 100 * rules.run_noise);
    if (rules.run_noise > 0.003) return;  // 16 runs do not tell so little
    fmt::print("| worse_ratio | called of no change | least change called in 95 % |\n");
    for (const double threshold : {0.001, 0.002, 0.003}) {
        rules.threshold = threshold;
        double change = threshold;
        while (share_called(a, b, change, rules) < 0.95) change *= 1.02;
        fmt::print(
            "| {:.1f} % | {:.1f} % | {:.3f} % |\n",
            100 * threshold,
            100 * share_called(a, b, 0, rules),
            100 * change);
    }
}

void measure(const fs::path& child, int count) {
    worker::ProcessRunner::Options options;
    options.child_program = child;
    worker::ProcessRunner runner(options);
    const test::ScratchFolder place;
    const auto old_build = build(runner, place.path(), "old");
    const auto new_build = build(runner, place.path(), "new");
    const std::vector<Program> programs{
        {"sort", {"./program"}, {}},
        {"Python, PYTHONHASHSEED=0", {"python3", "program.py"}, {{"PYTHONHASHSEED", "0"}}},
        {"Python", {"python3", "program.py"}, {}}};
    for (const auto& program : programs) {
        std::vector<double> a;
        std::vector<double> b;
        for (int i = 0; i < count; ++i) {
            a.push_back(count_once(runner, place.path(), old_build, program));
            b.push_back(count_once(runner, place.path(), new_build, program));
        }
        double load = 0;
        ::getloadavg(&load, 1);
        fmt::print("\n{}; {:.1f} processes were runnable\n", program.name, load);
        print_scatter("one build", a);
        print_scatter("a second build of the same source", b);
        print_least_changes(a, b);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        fmt::print(stderr, "usage: bench_callgrind VIGIL_CHILD [RUNS]\n");
        return 2;
    }
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    try {
        measure(argv[1], argc > 2 ? std::max(std::atoi(argv[2]), 3) : 16);
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_callgrind: {}\n", error.what());
        return 1;
    }
}
