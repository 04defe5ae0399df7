#include "worker/lease/build.hpp"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "schema/archive/archive.hpp"
#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "worker/lease/cache_proxy.hpp"
#include "worker/lease/outcome_now.hpp"
#include "worker/run/fresh_folder.hpp"

namespace vigil::worker {

namespace {

namespace fs = std::filesystem;

constexpr const char* ccache_path = "/vigil/ccache";
constexpr const char* own_links = ".compilers";  // in the scratch folder
constexpr std::int64_t second_ns = 1'000'000'000;

bool uses_ccache(const BuildPlace& place) {
    return place.ccache.is_there() && fs::exists(ccache_links);
}

/// What ccache calls the shared cache.
std::string storage_of(const BuildPlace& place, const CacheProxy* proxy, bool inside) {
    if (proxy != nullptr) return proxy->url();
    return "file:" + (inside ? ccache_path : place.ccache.folder.string());
}

EnvironmentVariables build_environment(
    const Recipe& recipe, const BuildPlace& place, const CacheProxy* proxy, bool inside) {
    EnvironmentVariables variables;
    if (uses_ccache(place)) {
        const auto shared = storage_of(place, proxy, inside);
        const bool reads = place.ccache_access == MountAccess::read_only;
        const fs::path own = inside ? fs::path(scratch_path) : place.scratch;
        variables = {
            {"PATH",
             fmt::format(
                 "{}:{}:/usr/local/bin:/usr/bin:/bin", ccache_links, (own / own_links).string())},
            {"CCACHE_DIR", (own / ".ccache").string()},
            {"CCACHE_REMOTE_STORAGE", shared + (reads ? "|read-only" : "")},
            {"CCACHE_REMOTE_ONLY", "1"},
            {"CCACHE_SLOPPINESS", "include_file_ctime,include_file_mtime"}};
    }
    for (const auto& [name, value] : recipe.environment) variables[name] = value;
    return variables;
}

std::string describe_failure(std::size_t number, const Command& command, const RunReport& report) {
    auto text = fmt::format(
        "command {} ({}): {}",
        number,
        text::one_line(command.front(), 100),
        report.end == RunEnd::exited ? fmt::format("exit code {}", report.exit_code)
                                     : report.message);
    const auto line = text::telling_line(report.output);
    return line.empty() ? text : text + ": " + line;
}

RunRequest request_for(
    const Runner& runner,
    const Recipe& recipe,
    const BuildPlace& place,
    const CacheProxy* proxy,
    const Command& command) {
    RunRequest request;
    request.command = command;
    request.environment = build_environment(recipe, place, proxy, runner.sandboxed());
    if (proxy != nullptr) request.channel = proxy->channel();
    request.limits = recipe.limits;
    request.folder = place.tree;
    request.folder_path = build_path;
    request.folder_access = MountAccess::writable;
    request.scratch = place.scratch;
    if (!place.ccache.folder.empty()) {
        request.mounts.push_back({place.ccache.folder, ccache_path, place.ccache_access});
    }
    request.streams = Streams::merged;
    return request;
}

}  // namespace

BuildReport build_product(
    Runner& runner,
    const Recipe& recipe,
    const BuildPlace& place,
    const std::atomic<bool>& stop,
    const std::vector<Mount>& mounts) {
    BuildReport built;
    std::optional<CacheProxy> proxy;
    if (!place.ccache.url.empty()) {
        proxy.emplace(place.ccache, place.ccache_access, runner.sandboxed());
    }
    std::int64_t left_ns = recipe.limits.wall_time_s * second_ns;
    for (std::size_t i = 0; i < recipe.commands.size(); ++i) {
        auto request =
            request_for(runner, recipe, place, proxy ? &*proxy : nullptr, recipe.commands[i]);
        request.limits.wall_time_s = std::max<std::int64_t>(left_ns / second_ns, 1);
        request.mounts.insert(request.mounts.end(), mounts.begin(), mounts.end());
        request.stop = &stop;
        make_fresh(place.scratch);
        if (uses_ccache(place)) add_missing_links(ccache_links, place.scratch / own_links);
        const auto report = runner.run(request);
        built.log += log_text(request, report) + "\n";
        left_ns -= report.wall_time_ns;
        built.wall_time_ns += report.wall_time_ns;
        if (report.end != RunEnd::exited || report.exit_code != 0) {
            built.message = describe_failure(i + 1, recipe.commands[i], report);
            built.stopped = report.end == RunEnd::stopped;
            return built;
        }
    }
    try {
        const auto packed = archive::pack_folder(place.tree, recipe.outputs, place.product);
        built.log += fmt::format("packed {} entries, {} bytes\n", packed.entries, packed.bytes);
        built.built = true;
    } catch (const Error& error) {
        // What it may not read, the build's own commands have locked.
        if (error.code() != Errc::invalid_argument && error.code() != Errc::denied) throw;
        built.message = error.what();
        built.log += built.message + "\n";
    }
    return built;
}

BuildReport build_input(
    Runner& runner,
    const fs::path& input,
    const Recipe& recipe,
    const BuildPlace& place,
    const std::atomic<bool>& stop) {
    clear_away(place.tree);
    try {
        archive::unpack(input, place.tree);
        return build_product(runner, recipe, place, stop);
    } catch (const Error& error) {
        if (error.code() != Errc::invalid_argument) throw;
        BuildReport report;
        report.message = error.what();
        report.log = report.message + "\n";
        return report;
    }
}

Recipe without_caches(Recipe recipe) {
    recipe.environment["CCACHE_DISABLE"] = "1";
    recipe.environment["SCCACHE_RECACHE"] = "1";
    return recipe;
}

RunOutcome build_time(int step, const BuildReport& report) {
    auto outcome = outcome_now(step);
    outcome.started_at_ns -= report.wall_time_ns;
    outcome.duration_ns = report.wall_time_ns;
    outcome.message = text::one_line(report.message);
    const bool is_timed = report.built && report.wall_time_ns > 0;
    if (report.built && !is_timed) outcome.message = "the recipe has no commands to time";
    if (!is_timed) return outcome;
    outcome.outcome = Outcome::passed;
    outcome.samples = {{Metric::build_time_ns, {static_cast<double>(report.wall_time_ns)}}};
    return outcome;
}

}  // namespace vigil::worker
