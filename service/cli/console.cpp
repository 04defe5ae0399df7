#include "service/cli/console.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <random>
#include <spawn.h>
#include <string_view>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "schema/model/error.hpp"

namespace vigil::cli {

namespace {

constexpr std::size_t usual_width = 80;

std::size_t terminal_width() {
    winsize size{};
    const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : usual_width;
}

/// Ctrl-C is the script's to take: what it started ends with it, and then so do we.
int run_script(const std::string& script) {
    ::unsetenv("VIGIL_TOKEN_FILE");  // builds and runs get no token
    std::string text = script;
    std::string name = "bash", option = "-c";
    char* arguments[] = {name.data(), option.data(), text.data(), nullptr};
    struct sigaction ignore {
    }, before{};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGINT, &ignore, &before);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    sigset_t defaults;
    ::sigemptyset(&defaults);
    ::sigaddset(&defaults, SIGINT);
    ::posix_spawnattr_setsigdefault(&attributes, &defaults);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    pid_t child = 0;
    const int failure =
        ::posix_spawnp(&child, name.c_str(), nullptr, &attributes, arguments, environ);
    ::posix_spawnattr_destroy(&attributes);
    int status = 0;
    while (failure == 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    ::sigaction(SIGINT, &before, nullptr);
    if (failure != 0) {
        throw Error(Errc::unavailable, std::string("starting bash: ") + std::strerror(failure));
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string random_key() {
    std::random_device random;
    return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

}  // namespace

Surroundings own_surroundings() {
    Surroundings world;
    world.in = &std::cin;
    world.out = &std::cout;
    world.err = &std::cerr;
    world.terminal = ::isatty(STDOUT_FILENO) == 1;
    world.width = world.terminal ? terminal_width() : 0;
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
        const std::string_view text = *variable;
        const auto equals = text.find('=');
        if (equals == text.npos) continue;
        world.environment.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    world.now_s = [] {
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        return std::int64_t{std::chrono::duration_cast<std::chrono::seconds>(now).count()};
    };
    world.pause_s = [](int seconds) { std::this_thread::sleep_for(std::chrono::seconds(seconds)); };
    world.random_key = random_key;
    world.run_script = run_script;
    return world;
}

}  // namespace vigil::cli
