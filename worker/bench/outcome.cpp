#include "worker/bench/outcome.hpp"

#include <iostream>

#include <nlohmann/json.hpp>

#include "worker/bench/last_words.hpp"
#include "worker/bench/subject.hpp"

namespace vigil_bench {

int exit_code(Ending ending) {
    switch (ending) {
        case Ending::passed: return 0;
        case Ending::failed: return 1;
        case Ending::usage: return 2;
        case Ending::wrong: return 3;
        case Ending::oom: return 4;
        case Ending::timeout: return 5;
        case Ending::bad_file: return 6;
        case Ending::unsupported: return 77;
    }
    return 1;
}

const char* outcome_of(Ending ending) {
    switch (ending) {
        case Ending::passed: return "passed";
        case Ending::failed:
        case Ending::usage:
        case Ending::bad_file: return "failed";
        case Ending::wrong: return "wrong";
        case Ending::oom: return "oom";
        case Ending::timeout: return "timeout";
        case Ending::unsupported: return "unsupported";
    }
    return "failed";
}

Ending ending_of(const std::exception& error, const Arguments& arguments) {
    if (dynamic_cast<const UsageError*>(&error) != nullptr) return Ending::usage;
    if (dynamic_cast<const UnsupportedError*>(&error) != nullptr) return Ending::unsupported;
    if (dynamic_cast<const BadFileError*>(&error) != nullptr) return Ending::bad_file;
    if (is_out_of_memory(error)) return Ending::oom;
    return is_missing_precision(arguments, error) ? Ending::unsupported : Ending::failed;
}

std::string words_of(const std::exception& error, Ending ending) {
    const std::string message = message_of(error);
    const std::string stage = current_stage();
    if (ending != Ending::oom || stage.empty()) return message;
    const char* const where = is_out_of_gpu_memory(error) ? "on the GPU " : "";
    return std::string("out of memory ") + where + "while " + stage + ": " + message;
}

std::string result_line(Ending ending, const std::string& message, nlohmann::json document) {
    document["vigil_bench"] = 1;
    document["outcome"] = outcome_of(ending);
    if (ending != Ending::passed) {
        document["message"] = message;
        document.erase("samples");
    }
    constexpr int no_indent = -1;
    return document.dump(no_indent, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

int finish(Ending ending, const std::string& message, nlohmann::json document) {
    const std::string line = result_line(ending, message, std::move(document));
    forget_last_words();  // from here on there is a result
    if (ending != Ending::passed) {
        std::cerr << "vigil-bench: " << outcome_of(ending) << ": " << message << "\n";
    }
    std::cout << line << std::flush;
    return exit_code(ending);
}

}  // namespace vigil_bench
