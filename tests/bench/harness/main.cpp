// What reading a file of each format takes: peak memory for a byte of the file, and time. Usual
// files and hostile ones; each is read in a process of its own. And what a guarded call
// (worker/run/guarded.hpp) adds to the reading of a run's output.
//
//   bench_harness [BYTES] [WORD]   1 MB by default; only those kinds whose line has WORD

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <malloc.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <sys/wait.h>

#include "schema/harness/console/recognize.hpp"
#include "schema/harness/read.hpp"
#include "schema/model/error.hpp"
#include "tests/support/usual_texts.hpp"
#include "worker/run/samples.hpp"

namespace {

using namespace vigil;

/// "VmRSS" or "VmHWM" of this process.
double bytes_of(std::string_view name) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(name)) return 1024.0 * std::atof(line.c_str() + name.size() + 1);
    }
    return 0;
}

void forget_peak() {
    ::malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << "5";
}

std::string read_file(const std::string& text) {
    std::size_t readings = 0;
    const auto reports = harness::read_reports(text, "file");
    for (const auto& report : reports) readings += report.readings.size();
    return fmt::format("{} nights, {} readings", reports.size(), readings);
}

std::string read_table(const std::string& text) {
    const auto seen = harness::recognize({"", text, ""});
    if (!seen) return "not recognized";
    return seen->report ? fmt::format("{} readings", seen->report->readings.size()) : seen->problem;
}

template <class Read>
void tell(const test::HostileText& kind, std::size_t bytes, const Read& read) {
    const auto text = kind.make(bytes);
    forget_peak();
    const double before = bytes_of("VmRSS");
    const auto begin = std::clock();
    std::string said;
    try {
        said = read(text);
    } catch (const Error& error) {
        said = error.what();
    }
    const double took_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    const double peak = bytes_of("VmHWM") - before;
    fmt::print(
        "{:40} {:8.2f} MB {:8.2f} s {:8.1f} MB peak {:6.1f} times  {}\n",
        kind.name,
        static_cast<double>(text.size()) / 1e6,
        took_s,
        peak / 1e6,
        peak / static_cast<double>(text.size()),
        said.substr(0, 110));
    std::fflush(stdout);
}

template <class Read>
void tell_all(
    const std::string& group,
    std::vector<test::HostileText> kinds,
    std::size_t bytes,
    std::string_view word,
    const Read& read) {
    for (auto& kind : kinds) {
        kind.name = group + ": " + kind.name;
        if (kind.name.find(word) == std::string::npos) continue;
        const auto process = ::fork();
        if (process == 0) {
            tell(kind, bytes, read);
            ::_exit(0);
        }
        int status = 0;
        ::waitpid(process, &status, 0);
        if (status != 0) fmt::print("{:40} ended with status {}\n", kind.name, status);
    }
}

/// Wall time of a call, the median of many.
template <class Call>
double call_us(int times, const Call& call) {
    std::vector<double> all;
    for (int i = 0; i < times; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        call();
        const auto took = std::chrono::steady_clock::now() - begin;
        all.push_back(std::chrono::duration<double, std::micro>(took).count());
    }
    std::ranges::nth_element(all, all.begin() + times / 2);
    return all[static_cast<std::size_t>(times / 2)];
}

void tell_guard(std::size_t held_bytes) {
    const std::string held(held_bytes, 'x');  // what the worker itself has in memory
    worker::RunReport report;
    report.end = worker::RunEnd::exited;
    report.wall_time_ns = 1;
    report.output = test::usual_files().front().make(2'000);
    BenchmarkPlan plan;
    plan.samples.format = SampleFormat::harness;
    plan.samples.select = "BM_Sort<std::vector<int>>/1";
    const double plain = call_us(200, [&] { worker::samples_of(report, plan); });
    const double guarded = call_us(200, [&] { worker::guarded_samples_of(report, plan); });
    fmt::print(
        "guarded call beside {:4} MB: {:6.0f} us, in this process {:6.0f} us, {:.0f} times\n",
        held.size() / 1'000'000,
        guarded,
        plain,
        guarded / plain);
}

}  // namespace

int main(int count, char** arguments) {
    const std::size_t bytes = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1'000'000;
    const std::string_view word = count > 2 ? arguments[2] : "";
    tell_all("usual", test::usual_files(), bytes, word, read_file);
    tell_all("hostile", test::hostile_files(), bytes, word, read_file);
    tell_all("table", test::hostile_tables(), bytes, word, read_table);
    for (const std::size_t held : {0, 30'000'000, 300'000'000}) tell_guard(held);
}
