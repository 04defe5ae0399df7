#include "worker/run/together.hpp"

#include <exception>
#include <fstream>
#include <string>
#include <thread>

#include "schema/model/error.hpp"

namespace vigil::worker {

namespace {

namespace fs = std::filesystem;

void make_file(const fs::path& path) {
    std::ofstream out(path);
    out << std::flush;
    if (!out.good()) throw Error(Errc::unavailable, "making " + path.string() + " failed");
}

}  // namespace

std::vector<RunReport> run_together(
    Runner& runner, std::vector<RunRequest> requests, const fs::path& folder) {
    const auto members = requests.size();
    fs::remove_all(folder);
    fs::create_directories(folder);
    make_file(folder / "turn");
    for (std::size_t i = 0; i < members; ++i) {
        make_file(folder / ("member-" + std::to_string(i)));
        auto& request = requests[i];
        request.mounts.push_back({folder, turns_path, Access::read_only});
        request.environment["VIGIL_TURNS"] = runner.sandboxed() ? turns_path : folder.string();
        request.environment["VIGIL_TURNS_MEMBER"] = std::to_string(i);
        request.environment["VIGIL_TURNS_MEMBERS"] = std::to_string(members);
        request.limits.wall_time_s *= static_cast<std::int64_t>(members);
    }
    std::vector<RunReport> reports(members);
    std::vector<std::exception_ptr> errors(members);
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < members; ++i) {
            threads.emplace_back([&, i] {
                try {
                    reports[i] = runner.run(requests[i]);
                } catch (...) {
                    errors[i] = std::current_exception();
                }
                // Whoever waits for this one need not any more. If even this file cannot be made,
                // they go on after a while.
                std::ofstream(folder / ("over-" + std::to_string(i)));
            });
        }
    }
    for (const auto& error : errors) {
        if (error) std::rethrow_exception(error);
    }
    return reports;
}

}  // namespace vigil::worker
