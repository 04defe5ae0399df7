#include "service/cli/local/search.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>

#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/numbers.hpp"
#include "schema/wire/json.hpp"
#include "service/cli/local/request.hpp"
#include "service/local/answer.hpp"
#include "service/local/bisect.hpp"
#include "service/local/compare.hpp"
#include "service/local/explain.hpp"
#include "service/local/journal.hpp"
#include "service/local/reading/order.hpp"
#include "service/local/report.hpp"

namespace vigil::cli {

namespace {

/// The surroundings as a search on this machine wants them; builds and runs get no token.
local::World world_of(const Surroundings& world, const local::StopSignals& signals, bool as_json) {
    local::World mine;
    mine.out = as_json ? world.err : world.out;
    mine.environment = world.environment;
    mine.environment.erase("VIGIL_TOKEN_FILE");
    const auto kind = world.environment.find("TERM");
    const bool moves_cursor = kind == world.environment.end() || kind->second != "dumb";
    mine.terminal = world.terminal && !as_json && moves_cursor;
    mine.width = world.width;
    mine.now_s = world.now_s;
    mine.stop = &signals.flag();
    mine.child_program = world.child_program;
    return mine;
}

/// Building takes minutes, and would end with a shell that does not know the program.
void check_bench_program(const Invocation& invocation, const Surroundings& world) {
    const std::string program = "vigil-bench";
    std::istringstream words(invocation.get("bench"));
    std::string first;
    words >> first;
    if (first != program) return;
    const auto path = world.environment.find("PATH");
    std::istringstream folders(path == world.environment.end() ? "" : path->second);
    for (std::string folder; std::getline(folders, folder, ':');) {
        std::error_code ignored;
        if (std::filesystem::exists(std::filesystem::path(folder) / program, ignored)) return;
    }
    refuse(
        "--bench: vigil-bench is not on the PATH, for it is compiled against the LibTorch of each "
        "build; let --build end with `&& vigil-worker --provide-bench . -- ARGUMENTS > bench` and "
        "--bench be `\"$(cat bench)\" ARGUMENTS`");
}

ExitCode code_of(const local::CompareResult& result) {
    if (result.stopped) return ExitCode::stopped;
    if (!result.judgement.decided) return ExitCode::unsure;
    switch (result.judgement.verdict) {
        case Verdict::regression: return ExitCode::negative;
        case Verdict::watch: return ExitCode::unsure;
        default: return ExitCode::ok;
    }
}

ExitCode code_of(const local::SearchAccount& account) {
    if (!account.decision.done) return ExitCode::stopped;
    switch (local::answering(account).decision.endings.front().ending) {
        case search::Ending::culprit: return ExitCode::ok;
        case search::Ending::not_reproduced: return ExitCode::negative;
        case search::Ending::range: break;
    }
    return ExitCode::unsure;
}

void write_report(
    const std::string& file,
    const local::SearchAccount& account,
    const std::optional<local::LocalWhy>& why = std::nullopt) {
    if (file.empty()) return;
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << (file.ends_with(".md") ? local::markdown_report(account, why)
                                  : local::html_report(account, why))
        << std::flush;
    if (!out) throw Error(Errc::unavailable, "writing the report " + file + " failed");
}

std::string_view why_no_stacks(const std::optional<local::LocalWhy>& why) {
    if (!why || !why->found) return "there are no profiles";
    switch (why->found->unit) {
        case profile::CostUnit::samples:
            return "without frame pointers there are no stacks: build with -fno-omit-frame-pointer";
        case profile::CostUnit::operator_peak_bytes:
            return "operators have no stacks; --profiler dhat has them";
        default: break;
    }
    return "callgrind knows who calls whom, but no stacks; --profiler perf has them";
}

/// A run under callgrind tells who calls whom, but no stacks: nothing is drawn of it.
void write_flame(
    const std::string& file, const std::optional<local::LocalWhy>& why, const Surroundings& world) {
    if (file.empty()) return;
    if (!why || why->flame.empty()) {
        *world.err << "note: " << file << " is not written: " << why_no_stacks(why) << "\n";
        return;
    }
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    if (!(out << why->flame).flush()) throw Error(Errc::unavailable, "writing " + file + " failed");
}

void check_why(const Invocation& invocation) {
    if (invocation.has("profiler") && !invocation.has("why")) {
        refuse("--profiler takes --why: it says by what both sides are profiled");
    }
    if (!invocation.has("flame")) return;
    if (!invocation.has("why")) refuse("--flame takes --why, whose profiles it draws");
    check_writable("flame", invocation.get("flame"));
}

void check_report(const Invocation& invocation, const Surroundings&) {
    if (!invocation.has("report")) return;
    const std::string file = invocation.get("report");
    if (!file.ends_with(".md") && !file.ends_with(".html")) {
        refuse("--report must be a file called .md or .html, not '" + file + "'");
    }
    check_writable("report", file);
}

ExitCode bisect_commits(const Invocation& invocation, const Surroundings& world) {
    const bool as_json = invocation.has("json");
    const auto request = request_of(invocation, world);
    const local::StopSignals signals;
    const auto result = local::bisect(request, world_of(world, signals, as_json));
    if (as_json) {
        auto value = local::answer_json(result);
        value["log"] = result.log.string();
        if (result.why) value["why"] = local::why_json(*result.why);
        *world.out << wire::write_json(value) << "\n";
    } else {
        *world.out << local::answer_text(result)
                   << (result.why ? local::why_text(*result.why, world.width) + "\n" : "")
                   << "log: " << text::one_line(result.log.string(), 4096) << "\n"
                   << "builds kept for the next search: "
                   << text::quantity(static_cast<double>(result.kept_bytes), "bytes") << " in "
                   << text::one_line((result.folder / "products").string(), 4096)
                   << "; it can be removed\n";
    }
    world.out->flush();
    write_report(invocation.get("report"), result, result.why);
    write_flame(invocation.get("flame"), result.why, world);
    return result.stopped ? ExitCode::stopped : code_of(result);
}

ExitCode replay_log(const Invocation& invocation, const Surroundings& world) {
    const auto entries = local::read_log(invocation.arguments.front());
    const auto replay = local::replay(entries);
    const bool same = replay.difference.empty();
    if (invocation.has("json")) {
        auto value = local::answer_json(replay);
        value["same"] = same;
        value["difference"] = replay.difference;
        *world.out << wire::write_json(value) << "\n";
    } else {
        *world.out << local::answer_text(replay)
                   << (same ? "the log replays to the same answer, in "
                            : "the log does not replay to the same answer: ")
                   << (same ? std::to_string(replay.steps) + " steps" : replay.difference) << "\n";
    }
    world.out->flush();
    write_report(invocation.get("report"), replay);
    return same ? code_of(replay) : ExitCode::refused;
}

ExitCode explain_log(const Invocation& invocation, const Surroundings& world) {
    const std::size_t width = world.width == 0 ? 60 : std::max<std::size_t>(world.width, 24) - 14;
    *world.out << local::explain(local::read_log(invocation.arguments.front()), width);
    return ExitCode::ok;
}

ExitCode compare_commits(const Invocation& invocation, const Surroundings& world) {
    const bool as_json = invocation.has("json");
    const auto request = request_of(invocation, world);
    const local::StopSignals signals;
    const auto result = local::compare(request, world_of(world, signals, as_json));
    *world.out << (as_json ? wire::write_json(local::compare_json(result)) + "\n"
                           : local::compare_text(result, world.width))
               << std::flush;
    write_flame(invocation.get("flame"), result.why, world);
    return code_of(result);
}

std::vector<Option> common_to_both() {
    return {
        {"good", "COMMIT", "the older commit, with good numbers"},
        {"bad", "COMMIT", "the newer commit"},
        {"build",
         "CMD",
         "builds the source tree it is run in (sh -c); default: nothing to build",
         Reads::anything},
        {"bench", "CMD", "the measured command, run in the built tree (sh -c)"},
        {"metric",
         "NAME",
         "time (default), cpu, memory, samples (the printed numbers), or the name of a quantity "
         "that its harness prints"},
        {"case", "NAME", "one benchmark of its harness (default: all)"},
        {"select", "NAME", "the older name of --case"},
        {"ignore-failure", "", "ignore the exit codes of runs, as hyperfine -i does"},
        {"higher-is-better", "", "higher printed numbers are better"},
        {"rules", "FILE", "better directions of quantities, a list like the config's series_rules"},
        ratio_option("threshold", "changes above this count, 7% or 0.07 (default 7%)"),
        {"outputs", "PATHS", "build outputs to keep, separated by commas (default all)"},
        whole_option("timeout", "S", "for each build and each run (default 3600)", 1, 864'000),
        whole_option("jobs", "N", "builds at the same time (default 1)", 1, 64),
        whole_option(
            "at-once",
            "N",
            "runs at the same time: with cpu, on one processor (default 6, or 1 where that slows "
            "them); with samples, interleaved benchmarks (default 1)",
            1,
            local::most_at_once),
        {"repo", "DIR", "the repository (default: here)"},
        {"state", "DIR", "where builds and logs are kept (default $XDG_STATE_HOME/vigil)"}};
}

const Option why_option{
    "why",
    "",
    "says which functions execute more, or take more memory: a run of each side under valgrind"};
const Option profiler_option = choice_option(
    "profiler",
    "NAME",
    "with --why: perf samples at full speed, dhat counts memory; by default valgrind, and perf "
    "where it says nothing",
    {"callgrind", "dhat", "perf"});
const Option flame_option{
    "flame",
    "FILE",
    "with --why of memory, or by perf: writes both sides' stacks as a flame graph (SVG)"};

/// With those of one command, before what tells why.
std::vector<Option> both_and(std::vector<Option> own) {
    auto options = common_to_both();
    options.insert(options.end(), own.begin(), own.end());
    options.insert(options.end(), {why_option, profiler_option, flame_option});
    return options;
}

const Option report_option{"report", "FILE", "writes a report: FILE.md or FILE.html"};

}  // namespace

void check_search(const Invocation& invocation, const Surroundings& world) {
    request_of(invocation, world);
    check_bench_program(invocation, world);
    check_report(invocation, world);
    check_why(invocation);
}

std::vector<CommandSpec> local_commands() {
    return {
        {"compare",
         {compare_commits, check_search},
         {},
         "builds two commits, and compares them by interleaved runs until it is certain",
         both_and(
             {whole_option("blocks", "N", "at most N blocks of four runs (default 12)", 1, 100)}),
         {"vigil compare --good v1.2 --bad HEAD --build make --bench './bench --quick'",
          "vigil compare --good v1.2 --bad HEAD --build make --bench ./bench --case BM_sort/1024",
          "vigil compare --good HEAD~1 --bad HEAD --build make --bench ./bench --metric memory"},
         "For Google Benchmark, criterion, JMH, Go, pytest-benchmark, Catch2, hyperfine and\n"
         "vigil-bench, the printed numbers are judged, as the process time depends on a loop\n"
         "that they size themselves. Several benchmarks are judged together, with the chance of a\n"
         "false verdict of one; --case NAME judges one of them.\n"
         "Repositories must name their commits by SHA-1, git's default: libgit2 reads no others.\n"
         "Ends with: 0 not worse beyond the threshold; 1 worse (of several: any); 2 the command\n"
         "line is wrong; 3 this machine lacks something (git, disk space); 4 the commits, the "
         "build\n"
         "or the benchmark cannot be used; 5 undecided after all blocks; 130 stopped.\n"},
        {"bisect run",
         {bisect_commits, check_search},
         {},
         "finds the commit that made a benchmark worse, in separate worktrees",
         both_and(
             {{"better", "", "finds the commit that made it better instead"},
              {"path", "P", "commits that touch this path are more likely the culprit"},
              {"budget",
               "LIST",
               "like runs=200,builds=20,minutes=90,further=50%; default: no limit, further=100%"},
              report_option,
              {"again", "", "starts again, without the log of this search; builds are kept"}}),
         {"vigil bisect run --good v1.2 --bad HEAD --build 'make -j4' --bench './bench --quick'",
          "vigil bisect run --good v1.2 --bad HEAD --build make --bench ./bench --metric memory "
          "--report memory.html"},
         "The numbers of benchmark harnesses are read as by vigil compare. Of several benchmarks\n"
         "the one with the largest regression is searched, and the answer names the others;\n"
         "--case NAME searches that one. The same command continues a stopped search, and\n"
         "measures nothing twice.\n"
         "Repositories must name their commits by SHA-1, git's default: libgit2 reads no others.\n"
         "Ends with: 0 culprit found and verified; 1 not reproduced: the bad end is not worse\n"
         "(with --better: not better);\n"
         "2 the command line is wrong; 3 this machine lacks something (git, disk space);\n"
         "4 the commits, the build or the benchmark cannot be used; 5 only a range, with the\n"
         "reason; 130 stopped.\n"},
        {"bisect replay",
         {replay_log, check_report},
         {"LOG"},
         "repeats a search from its log, and checks that the answer is the same",
         {report_option},
         {"vigil bisect replay bisect-0123456789ab.jsonl --report found.html"},
         "Ends like bisect run; 4 when the log does not replay to the same answer.\n"},
        {"bisect explain",
         explain_log,
         {"LOG"},
         "prints each step of a search: the probe, its reason, its result, the probabilities",
         {},
         {"vigil bisect explain bisect-0123456789ab.jsonl"}}};
}

}  // namespace vigil::cli
