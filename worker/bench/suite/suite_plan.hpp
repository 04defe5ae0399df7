#pragma once

#include <string>
#include <vector>

// Which runs a suite is made of. Nothing is run here.

namespace vigil_bench {

struct SuiteOptions {
    std::string file;       ///< of the results, one line a run
    bool resume = false;    ///< go on where that file ends
    bool in_turns = false;  ///< the backends of one way measure in turns
    int shard = 1;          ///< of `shards`, from 1
    int shards = 1;
    std::vector<std::string> skips;   ///< lines of skip lists
    std::vector<std::string> models;  ///< names, patterns ("*_net") or "all"
    /// Lists: {"--mode", {"infer", "train"}}, in the order of the command line.
    std::vector<std::pair<std::string, std::vector<std::string>>> ways;
    std::vector<std::string> rest;  ///< passed to every run as it is
};

/// One run: a command line of vigil-bench.
struct PlannedRun {
    std::vector<std::string> arguments;  ///< without the program
    std::string skipped;                 ///< why it is not run; empty: it is

    std::string words() const;  ///< "--model mlp --mode infer"
};

/// Whether the command line asks for a suite.
bool asks_for_suite(int count, const char* const* values);

/// @throws UsageError naming the argument and what it takes
SuiteOptions parse_suite(int count, const char* const* values);

/// Models x ways, model by model, the backends of a way next to each other. A shard has every n-th
/// model. A run on a skip list is there, with the list's words.
///
/// A line of a skip list is a model, or a pattern, and then words that the run's command must have
/// ("train", "jit"); what stands behind # is the reason. A line without a model is empty.
/// @param known  names of all models   @throws UsageError for a model that nobody has
std::vector<PlannedRun> plan_suite(
    const SuiteOptions& options, const std::vector<std::string>& known);

}  // namespace vigil_bench
