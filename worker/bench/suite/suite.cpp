#include "worker/bench/suite/suite.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "worker/bench/arguments/arguments.hpp"
#include "worker/bench/models/model_list.hpp"
#include "worker/bench/suite/spawn_self.hpp"
#include "worker/bench/suite/speedup.hpp"
#include "worker/bench/suite/suite_plan.hpp"

namespace vigil_bench {

namespace {

using nlohmann::json;

Arguments arguments_of(const PlannedRun& run) {
    std::vector<const char*> values{"vigil-bench"};
    for (const auto& argument : run.arguments) values.push_back(argument.c_str());
    Arguments arguments;
    parse_arguments(static_cast<int>(values.size()), values.data(), arguments);
    return arguments;
}

/// The run's line, which it always has: what a process that was killed could not say is said here.
json line_of(const PlannedRun& run, const SelfEnd& end) {
    json line = json::parse(end.output, nullptr, false);
    if (!line.is_object()) {
        line = {{"vigil_bench", 1}, {"outcome", "failed"}};
        line["message"] = WIFSIGNALED(end.status)
                              ? "killed by signal " + std::to_string(WTERMSIG(end.status))
                              : std::string("it printed no result");
        if (WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGKILL) line["outcome"] = "oom";
        const Arguments arguments = arguments_of(run);
        line["info"] = {
            {"model", arguments.called.empty() ? arguments.model : arguments.called},
            {"domain", domain_of(arguments.model)},
            {"mode", to_text(arguments.mode)},
            {"device", arguments.device},
            {"precision", to_text(arguments.precision)},
            {"backend", to_text(arguments.backend)},
            {"layout", to_text(arguments.layout)}};
        if (arguments.size == InputSize::published) line["info"]["setting"] = "published size";
    }
    line["info"]["command"] = run.words();
    return line;
}

json skipped_line(const PlannedRun& run) {
    json line = line_of(run, {});
    line["outcome"] = "unsupported";
    line["message"] = run.skipped;
    return line;
}

bool has_passed(const json& line) {
    return line.value("outcome", "") == "passed";
}

/// Each against the first, where both have samples of the same turns.
void add_speedups(std::vector<json>& lines) {
    const json& base = lines.front();
    for (std::size_t i = 1; i < lines.size(); ++i) {
        if (!has_passed(base) || !has_passed(lines[i])) continue;
        json compared{{"base", base["info"]["backend"]}};
        for (const char* clock : {"wall_time_ns", "cpu_time_ns"}) {
            if (!base["samples"].contains(clock) || !lines[i]["samples"].contains(clock)) continue;
            const auto speedup = speedup_in_turns(
                base["samples"][clock].get<std::vector<double>>(),
                lines[i]["samples"][clock].get<std::vector<double>>());
            const std::string name = clock[0] == 'w' ? "speedup" : "cpu_speedup";
            compared[name] = speedup.ratio;
            compared[name + "_low"] = speedup.low;
            compared[name + "_high"] = speedup.high;
            compared["turns"] = speedup.turns;
        }
        lines[i]["info"]["compared"] = compared;
    }
}

std::vector<json> run_group(const std::vector<PlannedRun>& group) {
    std::vector<std::vector<std::string>> commands;
    std::vector<const PlannedRun*> running;
    for (const auto& run : group) {
        if (!run.skipped.empty()) continue;
        commands.push_back(run.arguments);
        running.push_back(&run);
    }
    std::map<const PlannedRun*, json> done;
    if (!commands.empty()) {
        const auto ends = spawn_self(commands);
        for (std::size_t i = 0; i < ends.size(); ++i) {
            done[running[i]] = line_of(*running[i], ends[i]);
        }
    }
    std::vector<json> lines;
    for (const auto& run : group) {
        lines.push_back(run.skipped.empty() ? done.at(&run) : skipped_line(run));
    }
    if (lines.size() > 1) add_speedups(lines);
    return lines;
}

std::string text_of(const json& line) {
    constexpr int no_indent = -1;
    return line.dump(no_indent, ' ', false, json::error_handler_t::replace) + "\n";
}

/// The file of results: whole lines only, each on the disk before the next run begins.
class ResultFile {
  public:
    explicit ResultFile(const SuiteOptions& options) : name_(options.file) {
        std::error_code none;
        const bool is_there = std::filesystem::file_size(name_, none) > 0 && !none;
        if (is_there && !options.resume) {
            throw UsageError("'" + name_ + "' holds results already; go on with --resume");
        }
        if (is_there) read();
        out_.open(name_, std::ios::binary | std::ios::app);
        if (!out_) throw UsageError("--suite: '" + name_ + "' cannot be written");
    }

    bool has(const PlannedRun& run) const { return done_.count(run.words()) > 0; }
    void add(const json& line) {
        if (!(out_ << text_of(line)).flush()) throw std::runtime_error("writing " + name_);
    }

  private:
    /// A line that was cut off when the machine stopped is taken away.
    void read() {
        std::uintmax_t whole = 0;
        std::ifstream in(name_, std::ios::binary);
        for (std::string line; std::getline(in, line) && !in.eof();) {
            const json result = json::parse(line, nullptr, false);
            if (!result.is_object()) {
                throw UsageError("'" + name_ + "' holds a line that is none of vigil-bench's");
            }
            whole += line.size() + 1;
            if (result.contains("info")) done_.insert(result["info"].value("command", ""));
        }
        in.close();
        std::filesystem::resize_file(name_, whole);
    }

    std::string name_;
    std::set<std::string> done_;
    std::ofstream out_;
};

/// Runs next to each other that differ in their backend alone are one group, where they are to
/// measure in turns.
std::vector<std::vector<PlannedRun>> groups_of(
    const SuiteOptions& options, const std::vector<PlannedRun>& runs) {
    std::size_t size = 1;
    for (const auto& [name, values] : options.ways) {
        if (options.in_turns && name == "--backend") size = values.size();
    }
    std::vector<std::vector<PlannedRun>> groups;
    for (std::size_t i = 0; i < runs.size(); i += size) {
        groups.emplace_back(
            runs.begin() + static_cast<std::ptrdiff_t>(i),
            runs.begin() + static_cast<std::ptrdiff_t>(std::min(i + size, runs.size())));
    }
    return groups;
}

std::vector<std::string> known_models() {
    std::vector<std::string> names;
    std::istringstream list(model_list(ListFormat::text));
    for (std::string line; std::getline(list, line);)
        names.push_back(line.substr(0, line.find(' ')));
    return names;
}

std::string progress_words(const json& line) {
    std::string words = line.value("outcome", "failed");
    if (line.contains("message")) words += ": " + line["message"].get<std::string>().substr(0, 120);
    return words;
}

}  // namespace

int run_suite(int count, const char* const* values) {
    const SuiteOptions options = parse_suite(count, values);
    const auto runs = plan_suite(options, known_models());
    for (const auto& run : runs) arguments_of(run);  // a slip ends it before anything is run
    ResultFile file(options);
    std::map<std::string, int> outcomes;
    std::size_t number = 0;
    int before = 0;
    for (const auto& group : groups_of(options, runs)) {
        number += group.size();
        const bool done = std::all_of(
            group.begin(), group.end(), [&](const PlannedRun& run) { return file.has(run); });
        if (done) {
            before += static_cast<int>(group.size());
            continue;
        }
        const auto start = std::chrono::steady_clock::now();
        const auto lines = run_group(group);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        for (std::size_t i = 0; i < group.size(); ++i) {
            if (!file.has(group[i])) file.add(lines[i]);
            ++outcomes[lines[i].value("outcome", "failed")];
            std::cerr << "[" << number - group.size() + i + 1 << "/" << runs.size() << "] "
                      << group[i].words() << ": " << progress_words(lines[i]) << " ("
                      << std::llround(taken.count()) << " s)\n";
        }
    }
    std::cerr << runs.size() << " runs";
    if (before > 0) std::cerr << ", " << before << " of them before";
    for (const auto& [outcome, times] : outcomes) std::cerr << ", " << times << " " << outcome;
    std::cerr << ": " << options.file << "\n";
    const bool fine = std::all_of(outcomes.begin(), outcomes.end(), [](const auto& one) {
        return one.first == "passed" || one.first == "unsupported";
    });
    return fine ? 0 : 1;
}

bool asks_for_backends(int count, const char* const* values) {
    return std::any_of(values + 1, values + count, [](const std::string& argument) {
        return argument.rfind("--compare-backends", 0) == 0;
    });
}

int compare_backends(int count, const char* const* values) {
    // What it is: a suite of one model and way, whose backends measure in turns.
    std::vector<std::string> words;
    for (int i = 1; i < count; ++i) {
        std::string word = values[i];
        const std::string name = "--compare-backends";
        if (word.rfind(name, 0) == 0) word.replace(0, name.size(), "--backend");
        words.push_back(word);
    }
    words.insert(words.end(), {"--suite", "-", "--in-turns"});
    std::vector<const char*> all{values[0]};
    for (const auto& word : words) all.push_back(word.c_str());
    const auto options = parse_suite(static_cast<int>(all.size()), all.data());
    const auto runs = plan_suite(options, known_models());
    for (const auto& run : runs) arguments_of(run);
    const auto groups = groups_of(options, runs);
    if (groups.size() != 1 || runs.size() < 2) {
        throw UsageError(
            "--compare-backends takes two or more backends, such as eager,jit, of one --model in "
            "one way; --suite takes lists");
    }
    int code = 0;
    for (const auto& line : run_group(groups.front())) {
        std::cout << text_of(line);
        if (code == 0 && !has_passed(line)) code = 1;
    }
    return code;
}

}  // namespace vigil_bench
