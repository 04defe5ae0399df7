#include "service/cli/local.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>

#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/wire/json.hpp"
#include "service/cli/actions.hpp"
#include "service/local/answer.hpp"
#include "service/local/bisect.hpp"
#include "service/local/compare.hpp"
#include "service/local/explain.hpp"
#include "service/local/journal.hpp"
#include "service/local/report.hpp"
#include "service/local/text.hpp"

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
    throw Error(
        Errc::invalid_argument,
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

ExitCode code_of(const search::Decision& decision, std::span<const local::Found> inside) {
    if (!decision.done) return ExitCode::stopped;
    if (local::deepest_culprit(inside) > 0) return ExitCode::ok;
    switch (decision.endings.front().ending) {
        case search::Ending::culprit: return ExitCode::ok;
        case search::Ending::not_reproduced: return ExitCode::negative;
        case search::Ending::range: break;
    }
    return ExitCode::unsure;
}

void write_report(
    const std::string& file,
    const local::Story& story,
    const search::Decision& decision,
    std::span<const local::Found> inside) {
    if (file.empty()) return;
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << (file.ends_with(".md") ? local::markdown_report(story, decision, inside)
                                  : local::html_report(story, decision, inside))
        << std::flush;
    if (!out) throw Error(Errc::unavailable, "writing the report " + file + " failed");
}

}  // namespace

void check_report(const Invocation& invocation, const Surroundings&) {
    if (!invocation.has("report")) return;
    const std::string file = invocation.get("report");
    if (!file.ends_with(".md") && !file.ends_with(".html")) {
        throw Error(
            Errc::invalid_argument,
            "--report must be a file called .md or .html, not '" + file + "'");
    }
    check_writable("report", file);
}

void check_search(const Invocation& invocation, const Surroundings& world) {
    request_of(invocation, world.environment);
    check_bench_program(invocation, world);
    check_report(invocation, world);
}

ExitCode bisect_commits(const Invocation& invocation, const Surroundings& world) {
    const bool as_json = invocation.has("json");
    const auto request = request_of(invocation, world.environment);
    const local::StopSignals signals;
    const auto result = local::bisect(request, world_of(world, signals, as_json));
    if (as_json) {
        auto value = local::answer_json(result.story, result.decision, result.inside);
        value["log"] = result.log.string();
        *world.out << wire::write_json(value) << "\n";
    } else {
        *world.out << local::answer_text(result.story, result.decision, result.inside)
                   << "log: " << local::shown(result.log.string(), 4096) << "\n"
                   << "builds kept for the next search: "
                   << local::value_text(
                          static_cast<double>(result.kept_bytes), Metric::peak_process_bytes)
                   << " in " << local::shown((result.folder / "products").string(), 4096)
                   << "; remove it when you like\n";
    }
    world.out->flush();
    write_report(invocation.get("report"), result.story, result.decision, result.inside);
    return result.stopped ? ExitCode::stopped : code_of(result.decision, result.inside);
}

ExitCode replay_log(const Invocation& invocation, const Surroundings& world) {
    const auto entries = local::read_log(invocation.arguments.front());
    const auto replay = local::replay(entries);
    const bool same = replay.difference.empty();
    if (invocation.has("json")) {
        auto value = local::answer_json(replay.story, replay.decision, replay.inside);
        value["same"] = same;
        value["difference"] = replay.difference;
        *world.out << wire::write_json(value) << "\n";
    } else {
        *world.out << local::answer_text(replay.story, replay.decision, replay.inside)
                   << (same ? "the log replays to the same answer, in "
                            : "the log does not replay to the same answer: ")
                   << (same ? std::to_string(replay.steps) + " steps" : replay.difference) << "\n";
    }
    world.out->flush();
    write_report(invocation.get("report"), replay.story, replay.decision, replay.inside);
    return same ? code_of(replay.decision, replay.inside) : ExitCode::refused;
}

ExitCode explain_log(const Invocation& invocation, const Surroundings& world) {
    const std::size_t width = world.width == 0 ? 60 : std::max<std::size_t>(world.width, 24) - 14;
    *world.out << local::explain(local::read_log(invocation.arguments.front()), width);
    world.out->flush();
    return ExitCode::ok;
}

ExitCode compare_commits(const Invocation& invocation, const Surroundings& world) {
    const bool as_json = invocation.has("json");
    const auto request = request_of(invocation, world.environment);
    const local::StopSignals signals;
    const auto result = local::compare(request, world_of(world, signals, as_json));
    *world.out
        << (as_json ? wire::write_json(local::compare_json(result)) + "\n"
                    : local::compare_text(result));
    world.out->flush();
    return code_of(result);
}

}  // namespace vigil::cli
