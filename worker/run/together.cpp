#include "worker/run/together.hpp"

#include <exception>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>

#include "schema/model/error.hpp"
#include "worker/run/fresh_folder.hpp"
#include "worker/run/launch.hpp"

namespace vigil::worker {

namespace {

namespace fs = std::filesystem;

void make_file(const fs::path& path) {
    std::ofstream out(path);
    out << std::flush;
    if (!out.good()) throw Error(Errc::unavailable, "making " + path.string() + " failed");
}

void make_turns(const fs::path& folder, std::vector<RunRequest>& requests, bool sandboxed) {
    make_fresh(folder);
    make_file(folder / "turn");
    for (std::size_t i = 0; i < requests.size(); ++i) {
        make_file(folder / ("member-" + std::to_string(i)));
        auto& request = requests[i];
        request.mounts.push_back({folder, turns_path, MountAccess::read_only});
        request.environment["VIGIL_TURNS"] = sandboxed ? turns_path : folder.string();
        request.environment["VIGIL_TURNS_MEMBER"] = std::to_string(i);
        request.environment["VIGIL_TURNS_MEMBERS"] = std::to_string(requests.size());
    }
}

}  // namespace

std::vector<RunReport> run_together(
    Runner& runner, std::vector<RunRequest> requests, Sharing sharing, const fs::path& folder) {
    const auto members = requests.size();
    if (sharing == Sharing::turns) make_turns(folder, requests, runner.sandboxed());
    for (auto& request : requests) {
        // The last one: the first takes most of the machine's interrupts.
        const auto own = request.processors.empty() ? own_processors() : request.processors;
        if (sharing == Sharing::processor) request.processors = {own.back()};
        request.limits.wall_time_s *= static_cast<std::int64_t>(members);
    }
    std::vector<RunReport> reports(members);
    std::vector<std::exception_ptr> errors(members);
    const auto run_one = [&](std::size_t i) {
        try {
            reports[i] = runner.run(requests[i]);
        } catch (...) {
            errors[i] = std::current_exception();
        }
        // Whoever waits for this one need not any more. If even this file cannot be made, they go
        // on after a while.
        if (sharing == Sharing::turns) std::ofstream(folder / ("over-" + std::to_string(i)));
    };
    try {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < members; ++i) threads.emplace_back(run_one, i);
    } catch (const std::system_error& error) {
        throw Error(Errc::unavailable, std::string("starting a thread: ") + error.what());
    }
    for (const auto& error : errors) {
        if (error) std::rethrow_exception(error);
    }
    return reports;
}

}  // namespace vigil::worker
