#include "service/cli/local.hpp"

// The rows of the table of commands that need no server.

namespace vigil::cli {

namespace {

std::vector<Option> common_to_both() {
    return {
        {"good", "COMMIT", "the older commit, whose numbers are right"},
        {"bad", "COMMIT", "the newer commit"},
        {"build", "CMD", "builds the source tree it is run in (sh -c); default: nothing to build"},
        {"bench", "CMD", "what is measured, run in what was built (sh -c)"},
        {"metric", "NAME", "time (default), cpu, memory, or samples: the numbers it prints"},
        {"higher-is-better", "", "of the numbers it prints"},
        {"threshold", "RATIO", "changes above this count, 7% or 0.07 (default 7%)"},
        {"outputs", "PATHS", "what a build makes, by commas; the rest is not kept (default all)"},
        {"timeout", "S", "for each build and each run (default 3600)"},
        {"jobs", "N", "builds at the same time (default 1); runs are always alone"},
        {"repo", "DIR", "the repository (default: here)"},
        {"state", "DIR", "where builds and logs are kept (default $XDG_STATE_HOME/vigil)"}};
}

CommandSpec compare_command() {
    CommandSpec spec;
    spec.name = "compare";
    spec.summary = "builds two commits, measures them interleaved until it is sure, and says";
    spec.options = common_to_both();
    spec.options.push_back({"blocks", "N", "at most N blocks of four runs (default 12)"});
    spec.measures_here = true;
    spec.examples = {
        "vigil compare --good v1.2 --bad HEAD --build make --bench './bench --quick'",
        "vigil compare --good HEAD~1 --bad HEAD --build make --bench ./bench --metric memory"};
    spec.notes =
        "Ends with: 0 not worse beyond the threshold; 1 worse; 2 the command line is wrong;\n"
        "3 this machine cannot (no git, a full disk); 4 the commits, the build or the benchmark\n"
        "cannot be used; 5 unsure after all blocks; 130 stopped.\n";
    return spec;
}

}  // namespace

std::vector<CommandSpec> local_commands() {
    return {
        compare_command(),
        {"bisect plan",
         {},
         "the search alone: another program builds and measures, this one says what next",
         {{"stdio", "", "one JSON object a line on standard input and output"}},
         {"vigil bisect plan --stdio"}}};
}

}  // namespace vigil::cli
