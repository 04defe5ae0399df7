#include "service/cli/local.hpp"

#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/wire/json.hpp"
#include "service/cli/actions.hpp"
#include "service/local/compare.hpp"

namespace vigil::cli {

namespace {

/// The surroundings as a search on this machine wants them; builds and runs get no token.
local::World world_of(const Surroundings& world, const local::StopSignals& signals, bool as_json) {
    local::World mine;
    mine.out = as_json ? world.err : world.out;
    mine.environment = world.environment;
    mine.environment.erase("VIGIL_TOKEN_FILE");
    mine.terminal = world.terminal && !as_json;
    mine.width = world.width;
    mine.now_s = world.now_s;
    mine.stop = &signals.flag();
    mine.child_program = world.child_program;
    return mine;
}

ExitCode code_of(const local::CompareResult& result) {
    if (result.stopped) return ExitCode::stopped;
    if (!result.judgement.decided) return ExitCode::unsure;
    switch (result.judgement.verdict) {
        case Verdict::regression: return ExitCode::negative;
        case Verdict::watch: return ExitCode::unsure;
        default: return ExitCode::ok;
    }
}

}  // namespace

ExitCode compare_commits(const Invocation& invocation, const Surroundings& world) {
    const bool as_json = invocation.has("json");
    const auto request = request_of(invocation, world.environment);
    const local::StopSignals signals;
    const auto result = local::compare(request, world_of(world, signals, as_json));
    *world.out
        << (as_json ? wire::write_json(local::compare_json(result)) + "\n"
                    : local::compare_text(result));
    world.out->flush();
    return code_of(result);
}

}  // namespace vigil::cli
