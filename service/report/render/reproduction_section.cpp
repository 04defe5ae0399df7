#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/escape.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/json.hpp"
#include "service/config/text_rules.hpp"
#include "service/report/render/launch_words.hpp"
#include "service/report/render/sections.hpp"

namespace vigil::service {

namespace {

std::string assignments(const EnvironmentVariables& variables) {
    std::string out;
    for (const auto& [name, value] : variables) {
        out += fmt::format("export {}={}\n", name, text::shell_word(value));
    }
    return out;
}

std::string command_line(const Command& command) {
    std::string out;
    for (const auto& word : command) out += (out.empty() ? "" : " ") + text::shell_word(word);
    return out;
}

/// Where the reader stands, before anything is done.
std::string place_lines(const RegressionFacts& facts, const Revision& needed) {
    const ReproductionFact& how = facts.reproduction;
    if (how.source == SourceKind::directory) {
        return "archives=${ARCHIVES:-$PWD}  # the folder that holds the two archives\n";
    }
    // No reader has a path of the daemon's machine.
    if (how.source != SourceKind::git || !path_here(how.repository)) return "";
    return fmt::format(
        "repository=${{REPOSITORY:-$PWD}}\n"
        "git -C \"$repository\" cat-file -e {} 2>/dev/null || \\\n"
        "  {{ echo \"run this in a clone of the project that has {}, or name one: \" \\\n"
        "  \"export REPOSITORY=PATH\" >&2; exit 3; }}\n",
        needed.str(),
        needed.brief());
}

/// The folder of the build $1 in which the benchmark runs.
std::string run_folder(const ReproductionFact& how) {
    const auto& folder = how.benchmark->folder;
    return "\"$1\"" + (folder ? "/" + text::shell_word(*folder) : "");
}

/// Of a night with several local versions only the one that the benchmark measures is fetched.
std::string index_fetch_lines(const ReproductionFact& how) {
    const auto& folder = how.benchmark->folder;
    const std::string place = "\"$2\"" + (folder ? "/" + text::shell_word(*folder) : "");
    const std::string local = folder ? "+" + *folder : "";
    if (how.layout == IndexLayout::archives) {
        return fmt::format(
            "fetch() {{ mkdir -p {0}; version=\"$1\"{1}\n"
            "curl -fsSL -o \"$2.zip\" {2}\"${{version//+/%2B}}.zip\"\n"
            "python3 -m zipfile -e \"$2.zip\" {0}; }}\n",
            place,
            text::shell_word(local),
            text::shell_word(how.index + "/" + how.package + "-"));
    }
    return fmt::format(
        "fetch() {{ mkdir -p {0}; python3 -m pip download --quiet --pre {1}--dest \"$2.wheels\" "
        "\\\n"
        "  --index-url {2} {3}==\"$1\"{4}\n"
        "for wheel in \"$2.wheels\"/*.whl; do python3 -m zipfile -e \"$wheel\" {0}; done; }}\n",
        place,
        how.has_more_packages ? "" : "--no-deps ",
        text::shell_word(how.index),
        text::shell_word(how.package),
        text::shell_word(local));
}

/// Puts the input of one build into the folder $2.
std::string fetch_lines(const RegressionFacts& facts) {
    const ReproductionFact& how = facts.reproduction;
    switch (how.source) {
        case SourceKind::git:
            return fmt::format(
                "git clone --quiet --no-checkout {} repository\n"
                "fetch() {{ git -C repository worktree add --quiet --detach \"$PWD/$2\" \"$1\" "
                "&& git -C \"$2\" submodule --quiet update --init --recursive; }}\n",
                path_here(how.repository) ? "\"$repository\"" : text::shell_word(how.repository));
        case SourceKind::npm:
            return fmt::format(
                "fetch() {{ mkdir \"$2\"; tar -xzf \"$(npm pack --silent {}@\"$1\")\" -C \"$2\"; "
                "}}\n",
                text::shell_word(how.package));
        case SourceKind::http_index: return index_fetch_lines(how);
        case SourceKind::directory:
            return "fetch() { mkdir \"$2\"; tar -xf \"$archives/$1\" -C \"$2\"; }\n";
        case SourceKind::elsewhere: break;
    }
    return "";
}

std::string name_of(const EndFact& end, const ReproductionFact& how) {
    switch (how.source) {
        case SourceKind::git: return end.revision.str();
        case SourceKind::npm: return end.version;
        case SourceKind::http_index: return end.version;
        case SourceKind::directory: return end.version.substr(end.version.rfind('/') + 1);
        case SourceKind::elsewhere: break;
    }
    return end.revision.str();
}

/// The pair that shows it best: the culprit and what it was verified against, else the two nights.
std::pair<EndFact, EndFact> pair_of(const RegressionFacts& facts) {
    if (!facts.culprit || facts.reproduction.source != SourceKind::git) {
        return {facts.good, facts.bad};
    }
    for (const auto& ending : facts.endings) {
        const bool known = ending.culprit && ending.parent >= 0 &&
                           std::size_t(ending.parent) < facts.suspects.size();
        if (!known) continue;
        EndFact parent;
        EndFact culprit;
        parent.revision = facts.suspects[std::size_t(ending.parent)].revision;
        culprit.revision = *facts.culprit;
        return {parent, culprit};
    }
    return {facts.good, facts.bad};
}

/// vigil-bench is compiled against the LibTorch of each build, by the program that does so for
/// every night. Building takes minutes: that it cannot be had is said before.
std::string bench_lines(const ReproductionFact& how, const std::string& arguments) {
    return "worker=${VIGIL_WORKER:-vigil-worker}\n"
           "command -v \"$worker\" >/dev/null || { echo \"$worker is not here: it compiles the "
           "benchmark, vigil-bench, against each build;\" \\\n"
           "  \"install Vigil, or name its vigil-worker: export VIGIL_WORKER=PATH\" >&2; exit 3; "
           "}\n"
           "\"$worker\" --provide-bench\n"
           "provide() { \"$worker\" --provide-bench " +
           run_folder(how) + " -- " + arguments + " > \"$1.bench\"; }\n";
}

/// In a worker's sandbox the build stands where vigil-bench was linked to it; here it does not.
constexpr const char* own_torch_line =
    "for lib in lib libtorch/lib torch/lib lib/libtorch/lib lib/torch/lib; do\n"
    "  if [ -e \"$lib/libtorch.so\" ]; then export LD_LIBRARY_PATH=\"$PWD/$lib\"; fi; done\n";

/// For `vigil reproduce`: how the runs are read and compared. One line.
std::string compared_json(const RegressionFacts& facts, const EndFact& good, const EndFact& bad) {
    const SampleRule& rule = facts.reproduction.benchmark->samples;
    nlohmann::json value{
        {"benchmark", text::one_line(facts.reproduction.benchmark->benchmark, 120)},
        {"good", good.revision.brief()},
        {"bad", bad.revision.brief()},
        {"samples",
         {{"format", to_string(rule.format)},
          {"printed", to_string(rule.printed)},
          {"unit", text::one_line(rule.unit)},
          {"select", text::one_line(rule.select)}}}};
    if (rule.ignore_exit_code) value["samples"]["ignore_exit_code"] = true;
    if (!facts.series.empty()) {
        const auto& series = facts.series.front();
        value["metric"] = to_string(series.metric);
        value["unit"] = text::one_line(series.unit);
        value["direction"] = to_string(series.direction);
        value["threshold"] = series.threshold;
    }
    return wire::write_json(value);
}

/// Whether what a run prints, or its time, is what was measured.
bool is_read_from_run(const BenchmarkPlan& plan) {
    return plan.kind != BenchmarkKind::artifact && plan.kind != BenchmarkKind::build &&
           !plan.callgrind;
}

/// What a person runs: of an artifact, what shows its size; of a count, what counts.
Command shown_command(const BenchmarkPlan& plan, const Recipe& recipe) {
    if (plan.kind == BenchmarkKind::build) {
        std::string again = "git clean -fdxq";
        for (const auto& command : recipe.commands) again += " && " + command_line(command);
        return {"/bin/sh", "-c", again};
    }
    if (plan.callgrind) {
        Command shown{
            "valgrind",
            "--tool=callgrind",
            "--trace-children=yes",
            "--callgrind-out-file=/dev/null"};
        shown.insert(shown.end(), plan.command.begin(), plan.command.end());
        return shown;
    }
    if (plan.kind != BenchmarkKind::artifact) return plan.command;
    const auto path = "./" + plan.command.front();
    Command shown{"find", ".", "(", "-path", path, "-o", "-path", path + "/*", ")"};
    const Command how = plan.command.size() > 1 ? Command{"-exec", "size", "-A", "{}", "+"}
                                                : Command{"-type", "f", "-printf", "%s %p\\n"};
    shown.insert(shown.end(), how.begin(), how.end());
    return shown;
}

}  // namespace

std::string reproduction_script(const RegressionFacts& facts) {
    const ReproductionFact& how = facts.reproduction;
    if (!how.benchmark) return "";
    const bool builds = how.benchmark->kind == BenchmarkKind::build;
    if (builds ? how.source != SourceKind::git : how.benchmark->command.empty()) return "";
    if (how.source == SourceKind::git && how.repository.empty()) return "";
    if (how.source == SourceKind::elsewhere) return "";
    const auto [good, bad] = pair_of(facts);
    std::string build;
    for (const auto& command : how.recipe.commands) build += " && " + command_line(command);
    const std::string arguments = command_line(shown_command(*how.benchmark, how.recipe));
    const bool torch = how.benchmark->kind == BenchmarkKind::torch;
    const std::string up = how.benchmark->folder ? "../.." : "..";
    const std::string program =
        torch ? "\"$(cat \"" + up + "/$1.bench\")\" " + arguments : arguments;
    const auto launch = launch_words(how.benchmark->launch);

    const std::string place = place_lines(facts, bad.revision);
    std::string script = "( set -eu" + (place.empty() ? "; " : "\n" + place);
    script += "cd \"$(mktemp -d)\"\n";
    if (torch) script += bench_lines(how, arguments);
    script +=
        "timed() { if [ -x /usr/bin/time ]; then /usr/bin/time -f \\\n"
        "  '%U s user, %S s system, %e s wall, %M KiB peak' \"$@\"; else time \"$@\"; fi; }\n";
    script += fetch_lines(facts);
    script += "build() { (cd \"$1\"";
    std::string variables = assignments(how.recipe.environment);
    if (!variables.empty()) script += "\n" + variables + "true";
    script += build + "); }\n";
    script += "run() { (cd " + run_folder(how) + "; echo \"== $1\"\n";
    script += assignments(how.environment);
    script += launch.lines + assignments(how.benchmark->environment);
    if (torch) script += own_torch_line;
    const bool ignores = how.benchmark->samples.ignore_exit_code;
    script += "timed " + launch.prefix + program + (ignores ? " || true" : "") + "); }\n";
    const auto side = [&](const char* name, const EndFact& end) {
        return fmt::format(
            "fetch {0} {1}; build {1}{2}\n",
            text::shell_word(name_of(end, how)),
            name,
            torch ? fmt::format("; provide {}", name) : "");
    };
    script += side("good", good) + side("bad", bad);
    if (is_read_from_run(*how.benchmark)) {
        script += "# compares " + compared_json(facts, good, bad) + "\n";
    }
    script +=
        "for turn in 1.good 2.bad 3.bad 4.good; do if [ -z \"${VIGIL_RUNS:-}\" ]; then run "
        "\"${turn#*.}\"\n"
        "else echo \"run ${turn%.*} of 4: ${turn#*.}\" >&2\n"
        "run \"${turn#*.}\" >\"$VIGIL_RUNS/$turn.out\" 2>\"$VIGIL_RUNS/$turn.err\"; fi; done )\n";
    return script;
}

std::string reproduction_section(const RegressionFacts& facts) {
    if (facts.ended_as == RegressionEnd::not_reproduced) return "";
    const std::string script = reproduction_script(facts);
    std::string out = "### Reproduce\n\n";
    if (script.empty()) {
        return out +
               "No command can be given: the config no longer names this benchmark or its "
               "repository.\n\n";
    }
    const auto [good, bad] = pair_of(facts);
    out += fmt::format(
        "One command for bash builds `{}` (good) and `{}` (bad) and runs {} on both interleaved",
        good.revision.brief(),
        bad.revision.brief(),
        text::code_span(facts.reproduction.benchmark->benchmark, 60));
    if (facts.reproduction.benchmark->kind == BenchmarkKind::torch) {
        out +=
            "; `vigil-worker` of an installation of Vigil compiles `vigil-bench` against the "
            "LibTorch of each (`VIGIL_WORKER` names it where it is not on the PATH)";
    }
    return out + ":\n\n<details>\n<summary>The command</summary>\n\n" +
           text::fenced(script, "bash") + "\n</details>\n\n";
}

}  // namespace vigil::service
