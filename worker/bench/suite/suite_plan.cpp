#include "worker/bench/suite/suite_plan.hpp"

#include <algorithm>
#include <cstdlib>
#include <fnmatch.h>
#include <fstream>
#include <set>
#include <sstream>

#include "worker/bench/arguments/arguments.hpp"
#include "worker/bench/arguments/paper_names.hpp"
#include "worker/bench/arguments/refused_model.hpp"

namespace vigil_bench {

namespace {

const std::set<std::string> way_options{
    "--mode",
    "--device",
    "--precision",
    "--backend",
    "--layout",
    "--size",
    "--batch",
    "--threads",
    "--processes"};

std::vector<std::string> filled_parts(const std::string& text, char between) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, between);) {
        if (!part.empty()) parts.push_back(part);
    }
    return parts;
}

void take_shard(const std::string& text, SuiteOptions& options) {
    const auto parts = filled_parts(text, '/');
    if (parts.size() == 2) {
        options.shard = std::atoi(parts[0].c_str());
        options.shards = std::atoi(parts[1].c_str());
        if (options.shard >= 1 && options.shard <= options.shards) return;
    }
    throw UsageError("--shard takes a number of a number, such as 1/4, not '" + text + "'");
}

void take_skips(const std::string& file, SuiteOptions& options) {
    std::ifstream in(file);
    if (!in) throw UsageError("--skip takes a file, and '" + file + "' cannot be read");
    for (std::string line; std::getline(in, line);) options.skips.push_back(line);
}

bool is_pattern(const std::string& name) {
    return name.find_first_of("*?[") != std::string::npos;
}

bool fits(const std::string& pattern, const std::string& name) {
    return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

/// Whether a name of the paper stands for one of these.
bool stands_for_one_of(const std::string& name, const std::vector<std::string>& known) {
    const PaperName* const row = find_paper_name(name);
    return row != nullptr && std::find(known.begin(), known.end(), row->model) != known.end();
}

std::vector<std::string> chosen_models(
    const SuiteOptions& options, const std::vector<std::string>& known) {
    std::vector<std::string> chosen;
    const auto add = [&](const std::string& name) {
        if (std::find(chosen.begin(), chosen.end(), name) == chosen.end()) chosen.push_back(name);
    };
    for (const auto& wish : options.models) {
        const std::string pattern = wish == "all" ? "*" : wish;
        bool found = false;
        for (const auto& name : known) {
            if (!fits(pattern, name)) continue;
            found = true;
            add(name);
        }
        if (!found && (is_model_file(wish) || stands_for_one_of(wish, known))) {
            found = true;
            add(wish);
        }
        if (found) continue;
        throw UsageError(
            is_pattern(wish) ? "no model fits '" + wish + "'; see --list"
                             : why_no_model(wish, known, zoo_names()));
    }
    return chosen;
}

/// Why a run is on a skip list; empty: it is not.
std::string why_skipped(const SuiteOptions& options, const PlannedRun& run) {
    for (const auto& line : options.skips) {
        const auto mark = line.find('#');
        const auto words = filled_parts(line.substr(0, mark), ' ');
        if (words.empty() || !fits(words.front(), run.arguments.at(1))) continue;
        const bool all = std::all_of(words.begin() + 1, words.end(), [&](const std::string& word) {
            return std::find(run.arguments.begin(), run.arguments.end(), word) !=
                   run.arguments.end();
        });
        if (!all) continue;
        std::string why = mark == std::string::npos ? "" : line.substr(mark + 1);
        why.erase(0, why.find_first_not_of(' '));
        return "on the skip list" + (why.empty() ? "" : ": " + why);
    }
    return "";
}

}  // namespace

std::string PlannedRun::words() const {
    std::string text;
    for (const auto& argument : arguments) text += (text.empty() ? "" : " ") + argument;
    return text;
}

bool asks_for_suite(int count, const char* const* values) {
    return std::any_of(values + 1, values + count, [](const std::string& argument) {
        return argument == "--suite" || argument.rfind("--suite=", 0) == 0;
    });
}

SuiteOptions parse_suite(int count, const char* const* values) {
    SuiteOptions options;
    for (int i = 1; i < count; ++i) {
        std::string name = values[i];
        if (name == "--resume") {
            options.resume = true;
            continue;
        }
        if (name == "--in-turns") {
            options.in_turns = true;
            continue;
        }
        const auto equals = name.find('=');
        std::string value;
        if (equals != std::string::npos) {
            value = name.substr(equals + 1);
            name.resize(equals);
        } else if (++i < count) {
            value = values[i];
        } else {
            throw UsageError(name + " takes a value; see --help");
        }
        if (name == "--suite") {
            options.file = value;
        } else if (name == "--model") {
            options.models = filled_parts(value, ',');
        } else if (name == "--shard") {
            take_shard(value, options);
        } else if (name == "--skip") {
            take_skips(value, options);
        } else if (way_options.count(name) > 0) {
            options.ways.emplace_back(name, filled_parts(value, ','));
            if (options.ways.back().second.empty()) throw UsageError(name + " takes a value");
        } else {
            options.rest.push_back(name);
            options.rest.push_back(value);
        }
    }
    if (options.file.empty()) throw UsageError("--suite takes the file of the results");
    if (options.models.empty()) options.models = {"all"};
    // The backends of a way stand next to each other.
    std::stable_partition(options.ways.begin(), options.ways.end(), [](const auto& way) {
        return way.first != "--backend";
    });
    return options;
}

std::vector<PlannedRun> plan_suite(
    const SuiteOptions& options, const std::vector<std::string>& known) {
    std::vector<PlannedRun> runs;
    const auto models = chosen_models(options, known);
    for (std::size_t i = 0; i < models.size(); ++i) {
        if (static_cast<int>(i) % options.shards != options.shard - 1) continue;
        std::vector<PlannedRun> of_model{{{"--model", models[i]}, ""}};
        for (const auto& [name, values] : options.ways) {
            std::vector<PlannedRun> more;
            for (const auto& run : of_model) {
                for (const auto& value : values) {
                    more.push_back(run);
                    more.back().arguments.insert(more.back().arguments.end(), {name, value});
                }
            }
            of_model = std::move(more);
        }
        for (auto& run : of_model) {
            run.arguments.insert(run.arguments.end(), options.rest.begin(), options.rest.end());
            run.skipped = why_skipped(options, run);
            runs.push_back(std::move(run));
        }
    }
    return runs;
}

}  // namespace vigil_bench
