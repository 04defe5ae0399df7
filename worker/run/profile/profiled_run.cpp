#include "worker/run/profile/profiled_run.hpp"

#include <charconv>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/profile/callgrind.hpp"
#include "schema/profile/dhat.hpp"
#include "schema/profile/interpreter.hpp"
#include "schema/profile/operators.hpp"
#include "schema/profile/perf.hpp"
#include "worker/run/callgrind.hpp"
#include "worker/run/guarded.hpp"
#include "worker/run/profile/operators.hpp"
#include "worker/run/profile/perf.hpp"
#include "worker/run/profile/valgrind.hpp"
#include "worker/run/text_file.hpp"

namespace vigil::worker {

namespace {

constexpr std::int64_t most_counted = 1LL << 53;  // doubles hold all whole numbers below

/// "iterations" of the line that vigil-bench prints, or any other that prints it as it does.
/// @return  0: it is not there
std::int64_t iterations_in(const std::string& output) {
    constexpr std::string_view key = "\"profiled_iterations\":";
    const auto at = output.find(key);
    if (at == output.npos) return 0;
    std::int64_t count = 0;
    const char* from = output.data() + at + key.size();
    const auto [end, error] = std::from_chars(from, output.data() + output.size(), count);
    return error == std::errc() && count > 0 && count < most_counted ? count : 0;
}

}  // namespace

std::string why_no_profiler(Profiler profiler) {
    switch (profiler) {
        case Profiler::operators: return "";
        case Profiler::perf: return why_no_perf();
        case Profiler::callgrind:
        case Profiler::dhat: break;
    }
    return why_no_callgrind();
}

ProfiledRun run_for_profile(Runner& runner, const RunRequest& request, Profiler profiler) {
    switch (profiler) {
        case Profiler::operators: return run_for_operators(runner, request);
        case Profiler::dhat: return run_for_memory(runner, request);
        case Profiler::perf: return run_for_samples(runner, request);
        case Profiler::callgrind: break;
    }
    return run_for_instructions(runner, request);
}

profile::Profile read_profile(
    const ProfiledRun& run, const std::string& own, const std::string& source) {
    if (!run.why_none.empty()) throw Error(Errc::unavailable, run.why_none);
    std::size_t bytes = 0;
    for (const auto& text : run.texts) bytes += text.size();
    auto read = guarded(limits_for(bytes), [&] {
        switch (run.profiler) {
            case Profiler::operators: return profile::read_operators(run.texts.front());
            case Profiler::dhat: return profile::read_dhat(run.texts, own, source);
            case Profiler::perf:
                return profile::read_perf({run.texts.at(0), run.texts.at(1)}, own, source);
            case Profiler::callgrind: break;
        }
        return profile::read_callgrind(run.texts, own, source);
    });
    if (run.profiler == Profiler::operators) return read;
    if (run.profiler == Profiler::perf) {
        read.iterations = run.iterations;
        return read;
    }
    read.is_marked = run.is_marked;
    read.cut_after_s = run.cut_after_s;
    read.lacks_avx512 = read_text("/proc/cpuinfo").find(" avx512f") != std::string::npos;
    read.iterations = run.is_marked ? iterations_in(run.report.output) : 0;
    return read;
}

std::string what_helps(const ProfiledRun& run) {
    if (run.profiler == Profiler::perf) return "";
    const auto name = profile::find_interpreter(run.texts);
    if (name.empty()) return "";
    return fmt::format(
        "; {} ran it, and valgrind cannot run every program of such: {} shows the program's own "
        "functions",
        name,
        profile::profiler_for(name));
}

}  // namespace vigil::worker
