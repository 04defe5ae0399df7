#include <chrono>
#include <iostream>
#include <random>
#include <string_view>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/ioctl.h>

#include "schema/model/error.hpp"
#include "service/cli/run.hpp"

namespace {

constexpr std::size_t usual_width = 80;

std::size_t terminal_width() {
    winsize size{};
    const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : usual_width;
}

std::string random_key() {
    std::random_device random;
    return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

}  // namespace

int main(int argc, char** argv) {
    vigil::cli::Surroundings world;
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
    return vigil::cli::run({argv + 1, argv + argc}, world);
}
