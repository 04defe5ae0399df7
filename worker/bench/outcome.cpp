#include "worker/bench/outcome.hpp"

#include <iostream>
#include <utility>

#include <nlohmann/json.hpp>

#include "worker/bench/last_words.hpp"
#include "worker/bench/models/subject.hpp"

namespace vigil_bench {

namespace {

nlohmann::json& introduced() {
    static nlohmann::json info = nlohmann::json::object();
    return info;
}

}  // namespace

void introduce(nlohmann::json info) {
    introduced() = std::move(info);
}

int exit_code(ExitReason ending) {
    switch (ending) {
        case ExitReason::passed: return 0;
        case ExitReason::failed: return 1;
        case ExitReason::usage: return 2;
        case ExitReason::wrong: return 3;
        case ExitReason::oom: return 4;
        case ExitReason::timeout: return 5;
        case ExitReason::bad_file: return 6;
        case ExitReason::unsupported: return 77;
    }
    return 1;
}

const char* outcome_of(ExitReason ending) {
    switch (ending) {
        case ExitReason::passed: return "passed";
        case ExitReason::failed:
        case ExitReason::usage:
        case ExitReason::bad_file: return "failed";
        case ExitReason::wrong: return "wrong";
        case ExitReason::oom: return "oom";
        case ExitReason::timeout: return "timeout";
        case ExitReason::unsupported: return "unsupported";
    }
    return "failed";
}

ExitReason ending_of(const std::exception& error, const Arguments& arguments) {
    if (dynamic_cast<const UsageError*>(&error) != nullptr) return ExitReason::usage;
    if (dynamic_cast<const UnsupportedError*>(&error) != nullptr) return ExitReason::unsupported;
    if (dynamic_cast<const BadFileError*>(&error) != nullptr) return ExitReason::bad_file;
    if (is_out_of_memory(error)) return ExitReason::oom;
    return is_missing_precision(arguments, error) ? ExitReason::unsupported : ExitReason::failed;
}

std::string words_of(const std::exception& error, ExitReason ending) {
    const std::string message = message_of(error);
    const std::string stage = current_stage();
    if (ending != ExitReason::oom || stage.empty()) return message;
    const char* const where = is_out_of_gpu_memory(error) ? "on the GPU " : "";
    return std::string("out of memory ") + where + "while " + stage + ": " + message;
}

std::string result_line(ExitReason ending, const std::string& message, nlohmann::json document) {
    document["vigil_bench"] = 1;
    document["outcome"] = outcome_of(ending);
    if (ending != ExitReason::passed) {
        document["message"] = message;
        document.erase("samples");
    }
    for (const auto& [name, value] : introduced().items()) {
        if (!document["info"].contains(name)) document["info"][name] = value;
    }
    constexpr int no_indent = -1;
    return document.dump(no_indent, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

int finish(ExitReason ending, const std::string& message, nlohmann::json document) {
    const std::string line = result_line(ending, message, std::move(document));
    forget_last_words();  // from here on there is a result
    if (ending != ExitReason::passed) {
        std::cerr << "vigil-bench: " << outcome_of(ending) << ": " << message << "\n";
    }
    std::cout << line << std::flush;
    return exit_code(ending);
}

}  // namespace vigil_bench
