#include "service/cli/ask/measure.hpp"

#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/metric.hpp"
#include "schema/model/state_sets.hpp"
#include "schema/text/numbers.hpp"
#include "service/cli/ask/context.hpp"
#include "service/cli/ask/reply.hpp"
#include "service/cli/common/display.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;

constexpr int request_poll_s = 2;
constexpr long long request_timeout_s = 86'400;

/// As `vigil compare` says it.
std::string verdict_words(const json& said) {
    static const std::map<std::string, std::string> words{
        {"regression", "worse"},
        {"drift", "worse, not beyond the threshold"},
        {"improvement", "better"},
        {"noise", "the same"},
        {"watch", "undecided"}};
    const auto known = words.find(text_at(said, "verdict"));
    return known == words.end() ? "not decided yet" : known->second;
}

std::string change_of(const json& said) {
    const auto& c = object_at(said, "comparison");
    if (!is_set(c, "change_ratio")) {
        const bool is_from_zero = is_set(c, "before") && real_at(c, "before") == 0;
        return is_from_zero ? text::percent(from_zero) : "-";
    }
    std::string words = text::percent(real_at(c, "change_ratio"));
    if (is_set(c, "low") && is_set(c, "high")) {
        words += fmt::format(
            " ({} to {})", text::percent(real_at(c, "low")), text::percent(real_at(c, "high")));
    }
    return words;
}

bool is_request_over(const json& request) {
    return !is_one<RequestState>(text_at(request, "state"), is_open);
}

/// "aaaaaaaaaa and bbbbbbbbbb", where they are known, else as they were named.
std::string build_words(const json& request) {
    const auto one = [&](const char* name, const char* revision) {
        const auto known = brief_at(request, revision);
        return printable(known.empty() ? text_at(request, name) : known);
    };
    const auto a = one("a", "a_revision");
    return text_at(request, "kind") == "run" ? a : a + " and " + one("b", "b_revision");
}

std::string request_words(const json& request) {
    return fmt::format(
        "{} of {}: {}",
        printable(text_at(request, "kind")),
        build_words(request),
        printable(text_at(request, "state")));
}

/// Its verdicts, a line each; of a run the medians of what passed.
std::string result_of(const CommandContext& context, const json& request) {
    Table table({"SERIES", "VERDICT", "CHANGE", "RUNS"});
    Table medians({"SERIES", "MEDIAN", "LOWEST", "HIGHEST", "RUNS"});
    std::string out;
    for (const auto& session : array_at(request, "sessions")) {
        const auto name = benchmark_words(session);
        for (const auto& said : array_at(session, "verdicts")) {
            const auto& c = object_at(said, "comparison");
            table.add(
                {name + ", " + text_at(said, "metric"),
                 verdict_words(said),
                 change_of(said),
                 fmt::format("{} + {}", number_at(c, "runs_before"), number_at(c, "runs_after"))});
        }
        std::map<std::string, std::vector<double>> values;
        for (const auto& run : array_at(session, "runs")) {
            if (is_set(run, "value"))
                values[text_at(run, "metric")].push_back(real_at(run, "value"));
        }
        if (text_at(request, "kind") != "run") values.clear();
        for (auto& [metric, all] : values) {
            std::sort(all.begin(), all.end());
            const auto half = all.size() / 2;
            const double median = all.size() % 2 == 1 ? all[half] : (all[half - 1] + all[half]) / 2;
            const auto known = find_enum<Metric>(metric);
            const auto unit = known ? std::string(unit_of(*known)) : std::string();
            medians.add(
                {name + ", " + metric,
                 text::quantity(median, unit),
                 text::quantity(all.front(), unit),
                 text::quantity(all.back(), unit),
                 std::to_string(all.size())});
        }
        const auto message = text_at(session, "message");
        if (!message.empty()) out += fmt::format("{}: {}\n", printable(name), printable(message));
    }
    for (const auto* one : {&table, &medians}) {
        if (!one->empty()) out += one->text(context.world.width, context.colours);
    }
    const auto& culprit = object_at(request, "culprit");
    if (is_set(culprit, "revision")) {
        out += fmt::format(
            "culprit  {} {} ({})\n",
            printable(text_at(culprit, "revision")),
            printable(text_at(culprit, "subject")),
            printable(text_at(culprit, "author")));
    }
    return out;
}

ExitCode print_request(const CommandContext& context, const json& request) {
    if (context.json) return print_json(context, request);
    const auto message = text_at(request, "message");
    *context.world.out << fmt::format(
        "Request {}, {}{}{}\n",
        number_at(request, "id"),
        request_words(request),
        message.empty() ? "" : ": ",
        printable(message));
    *context.world.out << result_of(context, request);
    return ExitCode::ok;
}

/// How a wait ends: 1 where something is worse or nothing was measured, 5 where it is not decided.
ExitCode code_of(const json& request) {
    if (text_at(request, "state") != "done") return ExitCode::negative;
    const auto kind = text_at(request, "kind");
    if (kind == "run") return ExitCode::ok;
    if (kind == "bisection") {
        return is_set(request, "culprit") ? ExitCode::ok : ExitCode::unsure;
    }
    bool unsure = false;
    for (const auto& session : array_at(request, "sessions")) {
        const auto& verdicts = array_at(session, "verdicts");
        unsure |= verdicts.empty();
        for (const auto& said : verdicts) {
            const auto verdict = text_at(said, "verdict");
            if (is_one<Verdict>(verdict, is_surely_worse)) return ExitCode::negative;
            unsure |= verdict.empty() || verdict == "watch";
        }
    }
    return unsure ? ExitCode::unsure : ExitCode::ok;
}

/// "measuring: 12 of at most 96 runs, at most 5 min left"
std::string progress_of(const json& request, std::int64_t now_s) {
    const auto runs = number_at(request, "runs");
    const auto most = number_at(request, "most_runs");
    auto words = request_words(request);
    if (text_at(request, "state") != "measuring" || most == 0) return words;
    words += fmt::format(", {} of at most {} runs", runs, most);
    const auto since_s = now_s - number_at(request, "created_at_s");
    if (runs > 0 && since_s > 0 && runs < most) {
        words += ", at most " + text::duration(since_s * (most - runs) / runs) + " left";
    }
    return words;
}

ExitCode wait_for_request(const CommandContext& context, std::int64_t id) {
    const long long timeout_s = context.invocation.number("timeout", request_timeout_s);
    const std::int64_t until_s = context.world.now_s() + timeout_s;
    std::string said;
    for (;;) {
        const auto request = context.api.get("/api/v1/requests/" + std::to_string(id));
        if (is_request_over(request)) {
            print_request(context, request);
            return code_of(request);
        }
        const auto now_s = context.world.now_s();
        const auto step = request_words(request) + std::to_string(number_at(request, "runs"));
        if (!context.json && step != said) {
            *context.world.err << progress_of(request, now_s) << "\n" << std::flush;
        }
        said = step;
        if (now_s >= until_s) {
            *context.world.err << "vigil: request " << id << " did not end in "
                               << text::duration(timeout_s) << "; it continues on the server\n";
            return ExitCode::negative;
        }
        context.world.pause_s(request_poll_s);
    }
}

/// Sends it with the options that say what is measured.
ExitCode send(const CommandContext& context, const std::string& path, json body) {
    const auto& asked = context.invocation;
    body["project"] = asked.arguments[0];
    for (const char* name : {"suite", "benchmark", "case", "variant", "metric"}) {
        if (asked.has(name)) body[name] = asked.get(name);
    }
    if (asked.has("machine-class")) body["machine_class"] = asked.get("machine-class");
    for (const char* name : {"runs", "series"}) {
        if (asked.has(name)) body[name] = asked.number(name, 0);
    }
    const std::string key = asked.has("key") ? asked.get("key") : context.world.random_key();
    const auto reply = context.api.post(path, body, key);
    const auto id = number_at(reply, "request");
    print_note(context, reply);
    if (asked.has("wait")) return wait_for_request(context, id);
    return print_reply(
        context, reply, fmt::format("Request {0} is stored; vigil ask show {0} shows it.\n", id));
}

ExitCode ask_run(const CommandContext& context) {
    return send(context, "/api/v1/runs", {{"version", context.invocation.arguments[1]}});
}

ExitCode ask_compare(const CommandContext& context) {
    const auto& names = context.invocation.arguments;
    return send(context, "/api/v1/comparisons", {{"a", names[1]}, {"b", names[2]}});
}

ExitCode ask_bisect(const CommandContext& context) {
    const auto& names = context.invocation.arguments;
    return send(context, "/api/v1/bisections", {{"good", names[1]}, {"bad", names[2]}});
}

ExitCode show_request(const CommandContext& context) {
    return print_request(context, context.api.get("/api/v1/requests/" + id_argument(context)));
}

ExitCode cancel_request(const CommandContext& context) {
    const auto id = id_argument(context);
    const auto reply = context.api.post("/api/v1/requests/" + id + "/cancel", json::object());
    return print_reply(context, reply, fmt::format("Request {} is cancelled.\n", id));
}

ExitCode list_requests(const CommandContext& context) {
    return print_list(
        context,
        list_requested(context, "/api/v1/requests", {"project", "kind", "state"}),
        "There are no requests.",
        {{"ID", "id"},
         {"KIND", "kind"},
         {"STATE", "state"},
         {"PROJECT", "project"},
         {"BUILDS", [](const json& one) { return build_words(one); }},
         {"BY", "by"},
         {"OUTCOME", "message"}},
        "STATE");
}

std::vector<Option> with_common(std::vector<Option> options) {
    for (const Option& option :
         {Option{"benchmark", "NAME", "only this benchmark"},
          Option{"case", "NAME", "only this case of a program"},
          Option{"variant", "NAME", "only this variant"},
          Option{"machine-class", "NAME", "only on this machine class"},
          Option{"wait", "", "waits for its end, and prints the progress"},
          whole_option(
              "timeout",
              "S",
              "with --wait: give up after this many seconds (default 86400)",
              1,
              864'000),
          Option{
              "key",
              "TEXT",
              "a retry with the same key is the same request (default: a new key)"}}) {
        options.push_back(option);
    }
    return options;
}

const std::string names_of_builds =
    "A build is a commit (4 digits or more), a version, the name or the day of a night, build/12,\n"
    "or a name in the project's source (a branch, a tag). The daemon's workers measure it after\n"
    "all jobs of tonight.\n";

std::vector<CommandSpec> asking() {
    const Option suite{"suite", "NAME", "only this suite"};
    const Option metric =
        choice_option("metric", "NAME", "judge only this metric", names_of<Metric>());
    return {
        {"ask run",
         ask_run,
         {"PROJECT", "BUILD"},
         "measures one build on the daemon's workers",
         with_common(
             {suite, whole_option("runs", "N", "runs of each variant (default 5)", 1, 200)}),
         {"vigil ask run tensorlab 9cf258b --benchmark mlp --wait",
          "vigil ask run tensorlab 2026-11-22 --runs 20"},
         names_of_builds},
        {"ask compare",
         ask_compare,
         {"PROJECT", "A", "B"},
         "compares two builds by interleaved runs on the daemon's workers",
         with_common(
             {suite,
              metric,
              whole_option(
                  "runs",
                  "N",
                  "runs of each build and variant (default: until decided, at most 24)",
                  1,
                  200)}),
         {"vigil ask compare tensorlab 2026-11-21 2026-11-22 --benchmark mlp --wait",
          "vigil ask compare tensorlab 9cf258b main --metric cpu_time_ns --wait --json"},
         names_of_builds + "With --wait it ends with: 0 no series is worse; 1 a series is worse, "
                           "or there are no\n"
                           "values; 5 undecided. On this machine: vigil compare.\n"},
        {"ask bisect",
         ask_bisect,
         {"PROJECT", "GOOD", "BAD"},
         "searches the commit that changed one series, on the daemon's workers; files nothing",
         with_common(
             {metric,
              whole_option(
                  "series",
                  "ID",
                  "this series, instead of benchmark, variant and so on",
                  1,
                  max_id)}),
         {"vigil ask bisect tensorlab 2026-11-20 2026-11-22 --series 5 --wait",
          "vigil ask bisect tensorlab 9cf258b main --benchmark mlp --variant train --metric "
          "cpu_time_ns"},
         names_of_builds +
             "The ends are compared first; if they do not differ, the search is not started. With\n"
             "--wait it ends with: 0 a culprit; 1 it failed; 5 no culprit. On this machine:\n"
             "vigil bisect run.\n"}};
}

std::vector<CommandSpec> following() {
    return {
        {"ask list",
         list_requests,
         {},
         "the requests, newest first",
         {{"project", "NAME", "only this project"},
          choice_option("kind", "KIND", "only of this kind", names_of<RequestKind>()),
          choice_option("state", "STATE", "only in this state", names_of<RequestState>()),
          whole_option("limit", "N", "at most N lines, newest first (default 30)", 1, max_lines)},
         {"vigil ask list --state measuring"}},
        {"ask show",
         show_request,
         {"ID"},
         "one request: its state, verdicts and runs, and the culprit of its search",
         {},
         {"vigil ask show 3"}},
        {"ask cancel",
         cancel_request,
         {"ID"},
         "ends a request and all its jobs",
         {},
         {"vigil ask cancel 3"}}};
}

}  // namespace

std::vector<CommandSpec> measure_commands() {
    auto commands = asking();
    for (auto& command : following()) commands.push_back(std::move(command));
    return commands;
}

}  // namespace vigil::cli
