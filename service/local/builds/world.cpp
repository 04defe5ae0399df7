#include "service/local/builds/world.hpp"

#include <array>
#include <csignal>

namespace vigil::local {

namespace {

constexpr std::array stop_numbers{SIGINT, SIGTERM, SIGHUP};

// A signal handler reaches nothing else.
std::atomic<bool> told_to_stop{false};
std::array<struct sigaction, stop_numbers.size()> actions_before{};

void note_signal(int) {
    told_to_stop = true;
}

}  // namespace

StopSignals::StopSignals() {
    told_to_stop = false;
    struct sigaction action {};
    action.sa_handler = note_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < stop_numbers.size(); ++i) {
        ::sigaction(stop_numbers[i], &action, &actions_before[i]);
    }
}

StopSignals::~StopSignals() {
    for (std::size_t i = 0; i < stop_numbers.size(); ++i) {
        ::sigaction(stop_numbers[i], &actions_before[i], nullptr);
    }
}

const std::atomic<bool>& StopSignals::flag() const {
    return told_to_stop;
}

}  // namespace vigil::local
