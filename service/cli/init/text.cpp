#include "service/cli/init/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/escape.hpp"
#include "schema/wire/json.hpp"

namespace vigil::cli {

namespace {

std::string json_text(const nlohmann::json& value) {
    return wire::write_json(value);
}

/// One comment for each, on lines of their own.
std::string marks(const std::vector<std::string>& sentences, const std::string& indent) {
    std::string out;
    for (const auto& sentence : sentences) {
        out += fmt::format("{}// {}: {}\n", indent, fill_in_mark, sentence);
    }
    return out;
}

std::string samples_text(const RecipeGuess& guess) {
    std::string out = "{ \"format\": " + json_text(guess.format) + " }";
    if (guess.has_cases) {
        out +=
            ",\n            // Each benchmark that it prints is a series, or those of a list: "
            "[\"BM_Sort/*\"].\n            \"cases\": \"all\"";
    }
    if (!guess.case_arguments.empty()) {
        out +=
            ",\n            // How it runs one of them alone, to measure it again.\n"
            "            \"case_arguments\": " +
            json_text(guess.case_arguments);
    }
    return out;
}

std::string command_of(const RecipeGuess& guess) {
    if (!guess.command.empty()) return guess.command;
    return fmt::format("echo '{}: the command that is measured' >&2; exit 1", fill_in_mark);
}

std::string daemon_config(const InitPlace& place, const RecipeGuess& guess) {
    std::string out =
        "// Written by `vigil init`; `vigild --config-reference` prints every key.\n"
        "{\n"
        "  \"state_dir\": \"state\", // relative paths start at this folder\n"
        "  \"http\": { \"address\": \"127.0.0.1\", \"port\": 8321 },\n"
        "\n"
        "  // Workers whose numbers may be compared: here, those of this machine.\n"
        "  \"machine_classes\": { \"here\": {} },\n"
        "  \"workers\": { \"worker-1\": { \"machine_class\": \"here\" } },\n"
        "  \"report_targets\": { \"folder\": { \"kind\": \"folder\", \"path\": \"reports\" } },\n"
        "\n"
        "  \"projects\": {\n";
    out += fmt::format("    {}: {{\n", json_text(place.project));
    out += fmt::format(
        "      \"source\": {{ \"kind\": \"git\", \"repository\": {}, \"branch\": {} }},\n",
        json_text(place.repository),
        json_text(place.branch));
    out += fmt::format(
        "      // {}. Commands run in order in the source tree, in a sandbox, without network.\n",
        guess.kind.empty() ? "No build system was recognized" : "Guessed: " + guess.kind);
    out += marks(guess.about_build, "      ");
    out += fmt::format(
        "      \"recipe\": {{\n"
        "        \"commands\": {},\n"
        "        \"outputs\": {} // build artifacts to keep\n"
        "      }},\n",
        json_text(guess.commands),
        json_text(guess.outputs));
    out +=
        "      \"suites\": {\n        \"core\": {\n" + marks(guess.about_benchmark, "          ");
    out += fmt::format("          {}: {{\n", json_text(guess.benchmark));
    out += fmt::format("            \"command\": {},\n", json_text(command_of(guess)));
    out +=
        "            // none: the process is the sample, which is right for a fixed amount of "
        "work.\n"
        "            // harness: what a benchmark harness prints. lines: a number per line.\n";
    out += fmt::format("            \"samples\": {}\n", samples_text(guess));
    out +=
        "          }\n"
        "        }\n"
        "      },\n"
        "      \"matrix\": [{ \"suite\": \"core\", \"machine_classes\": [\"here\"] }],\n"
        "      // cpu_time_ns is steadier than wall_time_ns on machines that do other work too.\n";
    out += fmt::format("      \"judged\": {},\n", json_text(guess.judged));
    out +=
        "      \"schedule\": { \"cron\": \"0 2 * * *\", \"time_zone\": \"UTC\" },\n"
        "      \"reports\": [\"folder\"]\n"
        "    }\n"
        "  }\n"
        "}\n";
    return out;
}

constexpr const char* worker_config =
    "// Written by `vigil init`. docs/operations.md has every key.\n"
    "{\n"
    "  \"server\": \"http://127.0.0.1:8321\",\n"
    "  \"name\": \"worker-1\",\n"
    "  \"token_file\": \"worker-1.token\", // relative paths start at this folder\n"
    "  \"state_dir\": \"worker-1\",\n"
    "  // What builds and runs may read beside the system's programs and libraries, for example a\n"
    "  // toolchain in a home folder.\n"
    "  \"read_only_paths\": []\n"
    "}\n";

/// A word of a unit's command line: systemd reads %, $, quotes and backslashes itself.
std::string unit_word(const std::string& path) {
    std::string out = "\"";
    for (const char c : path) {
        if (c == '%' || c == '$') out += c;
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

std::string unit(
    const std::string& description,
    const std::string& program,
    const std::string& config,
    const std::string& more) {
    return fmt::format(
        "# For a user's own systemd; written by `vigil init`.\n"
        "[Unit]\nDescription={}\n\n[Service]\nType=exec\nUMask=0077\n"
        "ExecStart={} --config {}\n{}"
        "Restart=on-failure\nRestartPreventExitStatus=2\n\n[Install]\nWantedBy=default.target\n",
        description,
        program,
        config,
        more);
}

}  // namespace

std::map<std::string, std::string> init_files(const InitPlace& place, const RecipeGuess& guess) {
    const auto daemon = unit_word(place.programs + "/vigild");
    const auto config = unit_word(place.folder + "/vigild.json");
    const std::string reload = fmt::format(
        "ExecReload={} --config {} --check-config --quiet\nExecReload=/bin/kill -HUP $MAINPID\n"
        "TimeoutStopSec=45\nRestartSec=5\n",
        daemon,
        config);
    return {
        {"vigild.json", daemon_config(place, guess)},
        {"vigil-worker.json", worker_config},
        {"vigild.service", unit("Vigil, the daemon for " + place.project, daemon, config, reload)},
        {"vigil-worker.service",
         unit(
             "Vigil, a worker that builds and measures",
             unit_word(place.programs + "/vigil-worker"),
             unit_word(place.folder + "/vigil-worker.json"),
             "KillMode=mixed\nTimeoutStopSec=3600\nRestartSec=10\nDelegate=yes\n")},
        {".gitignore", "*\n"}};
}

std::string next_steps(const InitPlace& place, const RecipeGuess& guess) {
    const auto program = [&](const char* name) {
        return text::shell_word(place.programs + "/" + name);
    };
    const auto file = [&](const char* name) { return text::shell_word(place.folder + "/" + name); };
    const auto vigil = program("vigil") + " --token-file " + file("state/admin.token");
    std::string out = "Next:\n";
    int step = 0;
    const auto say = [&](const std::string& what, const std::string& command) {
        out += fmt::format("  {}. {}\n", ++step, what);
        if (!command.empty()) out += "       " + command + "\n";
    };
    if (!guess.about_build.empty() || !guess.about_benchmark.empty()) {
        say(fmt::format("look at what is marked {} in {}", fill_in_mark, file("vigild.json")), "");
    }
    say("check it", program("vigild") + " --config " + file("vigild.json") + " --check-config");
    say("start the daemon, in a terminal of its own or under systemd",
        program("vigild") + " --config " + file("vigild.json"));
    out += "       systemctl --user enable --now " + file("vigild.service") + "\n";
    say("make the worker's token",
        vigil + " token add worker-1 --scope worker --secret-file " + file("worker-1.token"));
    say("start the worker, in a terminal of its own or under systemd",
        program("vigil-worker") + " --config " + file("vigil-worker.json"));
    out += "       systemctl --user enable --now " + file("vigil-worker.service") + "\n";
    say("run the first nightly", vigil + " trigger " + text::shell_word(place.project) + " --wait");
    say("measure the branch's last 14 days too, so that later nights have a history to be judged "
        "by",
        vigil + " backfill " + text::shell_word(place.project) + " --nights 14");
    say("look at the pages, http://127.0.0.1:8321/; they ask for the secret that this file holds",
        "cat " + file("state/admin.token"));
    return out;
}

}  // namespace vigil::cli
