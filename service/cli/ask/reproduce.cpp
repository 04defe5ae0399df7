#include "service/cli/ask/reproduce.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/text/escape.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/json.hpp"
#include "service/cli/ask/reply.hpp"
#include "service/cli/ask/reproduced.hpp"
#include "service/cli/common/input.hpp"
#include "service/local/builds/temporary_folder.hpp"

namespace vigil::cli {

namespace {

namespace fs = std::filesystem;

/// The command that a report gives under "Reproduce", as it would be pasted into a shell.
/// @param body  the report's Markdown
/// @return      nothing when it gives none
std::optional<std::string> reproduction_of(std::string_view body) {
    constexpr std::string_view heading = "### Reproduce\n";
    const auto section = body.find(heading);
    if (section == body.npos) return std::nullopt;
    body.remove_prefix(section + heading.size());
    const auto open = body.find("\n```");
    const auto next_section = body.find("\n### ");
    if (open == body.npos || open > next_section) return std::nullopt;
    body.remove_prefix(open + 1);
    const auto fence = "\n" + std::string(body.substr(0, body.find_first_not_of('`'))) + "\n";
    const auto begin = body.find('\n');
    const auto end = body.find(fence, begin);
    if (begin == body.npos || end == body.npos) return std::nullopt;
    return std::string(body.substr(begin + 1, end - begin));
}

/// Where the runs of a script leave what they print, while we live.
struct RunsFolder : local::TemporaryFolder {
    RunsFolder() : TemporaryFolder("vigil-runs") {}

    std::string content(const std::string& name) const {
        std::ifstream file(path() / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
};

/// What a run printed as errors, without the lines that /usr/bin/time adds behind it.
std::string own_words(const std::string& errors) {
    std::string own;
    std::istringstream lines(errors);
    for (std::string line; std::getline(lines, line);) {
        const bool is_of_time =
            line.ends_with(" KiB peak") || line.starts_with("Command exited with non-zero status");
        if (!is_of_time) own += line + "\n";
    }
    return own;
}

/// What the run printed that ended last: its script ends with it where it failed.
std::string last_words(const RunsFolder& folder) {
    std::string name, said;
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(folder.path(), failure)) {
        name = std::max(name, entry.path().stem().string());
    }
    if (!name.empty()) said = text::telling_line(own_words(folder.content(name + ".err")));
    return said.empty() ? "" : ": " + said;
}

/// Runs the script, and says what its runs say as `vigil compare` does. A script of an older report
/// prints what its runs print.
ExitCode run_and_compare(const CommandContext& context, const std::string& script) {
    const auto compared = find_compared(script);
    const RunsFolder folder;
    const std::string prefix =
        compared ? "export VIGIL_RUNS=" + text::shell_word(folder.path().string()) + "\n" : "";
    const int code = context.world.run_script(prefix + script);
    if (code == static_cast<int>(ExitCode::stopped)) return ExitCode::stopped;
    if (code != 0) {
        *context.world.err << "vigil: the command ended with " << code << last_words(folder)
                           << "\n";
        return ExitCode::refused;
    }
    if (!compared) return ExitCode::ok;
    std::vector<ReproducedRun> runs;
    for (const char* turn : {"1.good", "2.bad", "3.bad", "4.good"}) {
        const std::string name = turn;
        runs.push_back(
            {name.ends_with("good"), folder.content(name + ".out"), folder.content(name + ".err")});
    }
    *context.world.out << reproduced_text(*compared, runs);
    return ExitCode::ok;
}

/// A line that names the project's repository, as the daemon's config does.
std::string repository_line(const CommandContext& context, const std::string& project) {
    if (!context.invocation.has("config")) return "";
    constexpr std::size_t most_bytes = std::size_t{4} << 20;
    const auto file = context.invocation.get("config");
    const auto config = wire::parse_json(read_input(file, file, context.world, most_bytes), file);
    const auto& its = object_at(object_at(config, "projects"), project.c_str());
    const auto named = text_at(object_at(its, "source"), "repository");
    if (named.empty()) {
        throw Error(
            Errc::not_found, file + ": projects." + project + ".source.repository is not set");
    }
    return "export REPOSITORY=" + text::shell_word(named) + "\n";
}

}  // namespace

ExitCode reproduce(const CommandContext& context) {
    const std::string id = id_argument(context);
    const auto reports =
        context.api.list("/api/v1/reports", {{"regression", id}, {"kind", "regression"}}, 1);
    if (reports.empty()) {
        throw Error(
            Errc::not_found,
            "regression " + id + " has no report yet; vigil regressions lists the regressions");
    }
    const auto number = number_at(reports.front(), "id");
    const auto report = std::to_string(number);
    const auto script =
        reproduction_of(text_at(context.api.get("/api/v1/reports/" + report), "body"));
    if (!script) {
        throw Error(
            Errc::not_found,
            "report " + report + " has no command; vigil report show " + report +
                " has the reason");
    }
    const auto named = repository_line(context, text_at(reports.front(), "project"));
    if (context.json) {
        const auto regression = parse_number(id, "ID", 1, max_id);
        return print_json(
            context, {{"regression", regression}, {"report", number}, {"script", named + *script}});
    }
    if (context.invocation.has("print")) {
        *context.world.out << named << *script;
        return ExitCode::ok;
    }
    *context.world.err << "vigil: runs the command of report " << report
                       << " here, without a sandbox; --print shows it instead\n";
    return run_and_compare(context, named + *script);
}

}  // namespace vigil::cli
