#include "schema/profile/interpreter.hpp"

#include <algorithm>
#include <array>

namespace vigil::profile {

namespace {

struct Known {
    std::string_view name;  ///< of its file, before a version
    std::string_view profiler;
};

constexpr std::string_view of_python = "python3 -m cProfile, or py-spy record";
constexpr std::string_view of_node = "node --cpu-prof";
constexpr std::string_view of_java = "java -XX:StartFlightRecording, or async-profiler";
constexpr std::string_view of_ruby = "rbspy record, or the gem stackprof";
constexpr std::string_view of_perl = "perl -d:NYTProf";
constexpr std::string_view of_shell =
    "set -x with PS4='$EPOCHREALTIME ', or a benchmark that calls the program itself";
constexpr std::string_view of_php = "php -d xdebug.mode=profile";
constexpr std::string_view of_dotnet = "dotnet-trace collect";
constexpr std::string_view of_others = "its own profiler";

constexpr std::array<Known, 29> interpreters{{
    {"python", of_python},     {"libpython", of_python}, {"pypy", of_python},
    {"libpypy", of_python},    {"node", of_node},        {"libnode", of_node},
    {"deno", of_others},       {"bun", of_others},       {"java", of_java},
    {"libjvm", of_java},       {"ruby", of_ruby},        {"libruby", of_ruby},
    {"perl", of_perl},         {"libperl", of_perl},     {"sh", of_shell},
    {"bash", of_shell},        {"dash", of_shell},       {"zsh", of_shell},
    {"ksh", of_shell},         {"busybox", of_shell},    {"php", of_php},
    {"lua", of_others},        {"luajit", of_others},    {"liblua", of_others},
    {"libcoreclr", of_dotnet}, {"mono", of_dotnet},      {"libR", of_others},
    {"guile", of_others},      {"tclsh", of_others},
}};

/// "3.11", ".so.1.0", "-2.7" and the like.
bool is_version(std::string_view text) {
    for (const std::string_view library : {".so", "-sgen"}) {
        const auto at = text.find(library);
        if (at != text.npos) return is_version(text.substr(0, at)) || at == 0;
    }
    return std::ranges::all_of(
        text, [](char c) { return (c >= '0' && c <= '9') || c == '.' || c == '-'; });
}

const Known* find_known(std::string_view name) {
    for (const auto& one : interpreters) {
        if (name.starts_with(one.name) && is_version(name.substr(one.name.size()))) return &one;
    }
    return nullptr;
}

}  // namespace

std::string interpreter_of(std::string_view object) {
    const auto name = object.substr(object.rfind('/') + 1);
    const bool is_name = name.size() <= max_interpreter_bytes && find_known(name) != nullptr;
    return is_name ? std::string(name) : "";
}

std::string_view profiler_for(std::string_view interpreter) {
    const auto* known = find_known(interpreter);
    return known != nullptr ? known->profiler : of_others;
}

}  // namespace vigil::profile
