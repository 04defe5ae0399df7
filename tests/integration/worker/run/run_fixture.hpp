#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch.hpp>

#include "tests/support/scratch_folder.hpp"
#include "worker/run/process_runner.hpp"

namespace vigil::test {

inline void write_file(const std::filesystem::path& file, const std::string& content) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << content;
}

inline worker::ProcessRunner make_runner(
    worker::SandboxMode mode = worker::SandboxMode::automatic) {
    return worker::ProcessRunner(
        {.child_program = std::filesystem::path(VIGIL_BINARY_DIR) / "vigil-child",
         .sandbox = mode,
         .read_only_paths = {},
         .whose = worker::Whose::others,
         .uncontained = worker::Uncontained::allowed});
}

/// Whether there is a sandbox to test; says so when there is none.
inline bool has_sandbox(const worker::ProcessRunner& runner) {
    if (!runner.sandboxed()) {
        WARN("not tested, " << runner.warnings().front());
        SUCCEED();
    }
    return runner.sandboxed();
}

/// A product's folder with one file, and a scratch folder, for one request.
struct RunPlace {
    ScratchFolder root;
    std::filesystem::path product = root.path() / "product";
    std::filesystem::path scratch = root.path() / "scratch";

    RunPlace() {
        write_file(product / "data", "of the product\n");
        std::filesystem::create_directories(scratch);
    }

    worker::RunRequest request(Command command) const {
        worker::RunRequest made;
        made.command = std::move(command);
        made.limits.wall_time_s = 600;
        made.folder = product;
        made.scratch = scratch;
        return made;
    }
    worker::RunRequest shell(const std::string& script) const {
        return request({"/bin/sh", "-c", script});
    }
};

}  // namespace vigil::test
