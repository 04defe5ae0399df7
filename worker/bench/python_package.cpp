#include "worker/bench/python_package.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <unistd.h>
#include <vector>

#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "worker/bench/measure/fork_piped.hpp"
#include "worker/bench/models/subject.hpp"

namespace vigil_bench {

namespace {

constexpr std::size_t most_output = std::size_t{64} << 10;

[[noreturn]] void become(const std::vector<std::string>& command, int output) {
    dup2(output, STDOUT_FILENO);
    std::vector<char*> words;
    for (const auto& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execvp(words.front(), words.data());
    _exit(127);
}

/// What it printed; no more of it is kept than a line may have.
std::string output_of(const std::vector<std::string>& command) {
    const auto [process, pipe] = fork_piped([&](int output) { become(command, output); });
    std::string text;
    std::array<char, 4096> part{};
    for (;;) {
        const auto count = read(pipe, part.data(), part.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        if (text.size() < most_output) text.append(part.data(), static_cast<std::size_t>(count));
    }
    close(pipe);
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        throw UnsupportedError("--python: '" + command.front() + "' cannot be started");
    }
    return text;
}

/// @throws std::runtime_error when the line is not as compile_bench.py prints it
double take_line(const nlohmann::json& line, Arguments& arguments) {
    const auto outcome = line.at("outcome").get<std::string>();
    if (outcome != "passed") {
        const auto why = "--python: " + line.value("message", "it gives no reason");
        if (outcome == "unsupported") throw UnsupportedError(why);
        throw std::runtime_error(why);
    }
    const auto& package = line.at("package");
    arguments.inputs = parse_input_shapes(package.at("inputs").get<std::string>());
    if (arguments.inputs.empty()) throw std::runtime_error("--python: the model has no inputs");
    return package.at("compile_time_ns").get<double>();
}

}  // namespace

ScratchPlace::ScratchPlace() {
    const char* folder = std::getenv("TMPDIR");
    path_ = std::string(folder != nullptr ? folder : "/tmp") + "/vigil-bench-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) {
        throw std::runtime_error("making the folder " + path_ + ": " + std::strerror(errno));
    }
}

ScratchPlace::~ScratchPlace() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

double compile_package(Arguments& arguments, const std::string& folder) {
    const auto [program, name] = python_model(arguments.model);
    const std::string file = folder + "/model.pt2";
    std::vector<std::string> command{
        arguments.python,
        program,
        "--model",
        name,
        "--package",
        file,
        "--device",
        arguments.device,
        "--seed",
        std::to_string(arguments.seed),
        "--threads",
        std::to_string(arguments.threads)};
    if (arguments.batch > 0) {
        command.insert(command.end(), {"--batch", std::to_string(arguments.batch)});
    }
    const std::string output = output_of(command);
    double compile_ns = 0;
    try {
        compile_ns = take_line(nlohmann::json::parse(output), arguments);
    } catch (const nlohmann::json::exception&) {
        throw std::runtime_error(
            "--python: " + program + " printed no line of a package; it needs compile_bench.py");
    } catch (const std::invalid_argument& error) {
        throw std::runtime_error(std::string("--python: ") + error.what());
    }
    arguments.called = name;
    arguments.model = file;
    return compile_ns;
}

}  // namespace vigil_bench
