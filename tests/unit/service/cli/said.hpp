#pragma once

#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "service/cli/run.hpp"

namespace vigil::test {

/// How a program of the command line ended, and its standard output and error.
struct Said {
    int code = 0;
    std::string out;
    std::string err;
};

/// Runs a program in this process.
/// @param input     its standard input
/// @param terminal  whether its output is a terminal, which is 80 columns wide then
inline Said say(
    const std::vector<std::string>& args,
    const std::string& input = "",
    bool terminal = false,
    const cli::Program& program = cli::vigil_program()) {
    std::istringstream in(input);
    std::ostringstream out, err;
    cli::Surroundings world;
    world.in = &in;
    world.out = &out;
    world.err = &err;
    world.terminal = terminal;
    world.width = terminal ? 80 : 0;
    const int code = cli::run(args, world, program);
    return {code, out.str(), err.str()};
}

/// The same with `--json`. @throws nlohmann::json::exception if the output is none
inline nlohmann::json say_json(
    std::vector<std::string> args,
    const std::string& input = "",
    const cli::Program& program = cli::vigil_program()) {
    args.push_back("--json");
    return nlohmann::json::parse(say(args, input, false, program).out);
}

/// 1, within .8 %: what a quiet machine adds to night i.
inline double jitter_of(int i) {
    return 1 + 0.004 * (i * 7 % 5 - 2);
}

/// 60 nights that step by `factor` on night 40.
inline std::string stepped_csv(double factor, const std::string& series = "s") {
    std::string text = "series,night,value,label\n";
    for (int i = 0; i < 60; ++i) {
        text += fmt::format(
            "{},{},{},{}\n", series, i, (i < 40 ? 100 : 100 * factor) * jitter_of(i), i == 40);
    }
    return text;
}

/// Three samples a night; two series; `s` steps by 15 % on night 40.
inline std::string sampled_csv(int nights = 60) {
    std::string text = "series,night,value\n";
    for (int i = 0; i < nights; ++i) {
        for (int j = 0; j < 3; ++j) {
            const double jitter = 1 + 0.004 * ((i * 7 + j) % 5 - 2);
            text += fmt::format("s,{},{}\n", i, (i < 40 ? 100 : 115) * jitter);
            text += fmt::format("\"<quiet & \"\"small\"\">\",{},{}\n", i, 50 * jitter);
        }
    }
    return text;
}

}  // namespace vigil::test
