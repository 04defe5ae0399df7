#include "service/cli/init/listed.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/text/escape.hpp"
#include "service/local/builds/commands.hpp"
#include "service/local/builds/temporary_folder.hpp"

namespace vigil::cli {

namespace {

namespace fs = std::filesystem;

constexpr int most_seconds = 10;

worker::RunReport run_list(
    const RecipeGuess& guess, const fs::path& root, const Surroundings& surroundings) {
    const local::TemporaryFolder scratch("vigil-init");
    local::World world{
        .out = surroundings.out,
        .environment = surroundings.environment,
        .quiet = true,
        .now_s = surroundings.now_s,
        .child_program = surroundings.child_program};
    world.environment.erase("VIGIL_TOKEN_FILE");
    std::string line = text::shell_word("./" + guess.program);
    for (const auto& argument : guess.list_arguments) line += " " + text::shell_word(argument);
    return local::Commands(world, scratch.path() / "tmp")
        .shell(line, root, most_seconds, worker::Streams::apart);
}

}  // namespace

std::size_t count_names(std::string_view output) {
    std::size_t names = 0;
    while (!output.empty()) {
        const auto line = output.substr(0, output.find('\n'));
        if (line.find_first_not_of(" \t\r") != line.npos) ++names;
        output.remove_prefix(std::min(line.size() + 1, output.size()));
    }
    return names;
}

ListedCases list_cases(const RecipeGuess& guess, const fs::path& root, const Surroundings& world) {
    if (guess.list_arguments.empty()) return {};
    std::error_code ignored;
    const auto program = root / guess.program;
    if (!fs::is_regular_file(fs::status(program, ignored))) {
        return {{}, guess.program + " is not built here, so its benchmarks were not counted"};
    }
    try {
        const auto report = run_list(guess, root, world);
        const auto failure = local::failure_of(report);
        if (failure.empty()) return {count_names(report.output), ""};
        return {{}, fmt::format("{} {}: {}", guess.program, guess.list_arguments.front(), failure)};
    } catch (const Error& error) {
        return {{}, error.what()};
    }
}

}  // namespace vigil::cli
