#include "worker/machine/toolchain.hpp"

#include <unistd.h>

#include <gnu/libc-version.h>
#include <sys/utsname.h>

#include "schema/text/lines.hpp"
#include "worker/run/spawn.hpp"

namespace vigil::worker {

std::string printed_by(const Command& arguments, std::int64_t most_bytes) {
    constexpr std::int64_t wait_ms = 10'000;
    if (::access(arguments.front().c_str(), X_OK) != 0) return "";
    SpawnRequest request;
    request.arguments = arguments;
    request.environment = {"PATH=/usr/bin:/bin", "LANG=C", "LC_ALL=C"};
    request.output_bytes = most_bytes;
    request.wall_time_ms = wait_ms;
    const auto result = spawn(request);
    return result.status == 0 ? result.output.text() : "";
}

std::string output_of(const Command& arguments) {
    constexpr std::int64_t most_bytes = 16 * 1024;
    const auto text = printed_by(arguments, most_bytes);
    return text::one_line(text.substr(0, text.find('\n')), 300);
}

std::string toolchain_text() {
    std::string text;
    const auto add = [&](const std::string& name, const std::string& value) {
        if (!value.empty()) text += name + ": " + value + "\n";
    };
    utsname name{};
    if (::uname(&name) == 0) add("architecture", name.machine);
    add("libc", std::string("glibc ") + ::gnu_get_libc_version());
    for (const std::string tool : {"cc", "c++", "ld", "mold", "cmake", "ninja", "make"}) {
        add(tool, output_of({"/usr/bin/" + tool, "--version"}));
    }
    for (const std::string package :
         {"libtorch-dev", "libstdc++-12-dev", "libopenblas0-pthread", "libonednn-dev"}) {
        add(package,
            output_of({"/usr/bin/dpkg-query", "--show", "--showformat=${Version}\n", package}));
    }
    return text;
}

}  // namespace vigil::worker
