#include "service/local/steadier.hpp"

#include <fmt/format.h>

#include "bisect/stats/summary.hpp"

namespace vigil::local {

namespace {

constexpr double busy_from = 0.9;        // of one thread that computes and has its processor
constexpr double several_threads = 1.1;  // runs at once would wait for each other
constexpr std::size_t few = 4;           // runs that show a busy machine
constexpr double mostly_waits = 0.2;  // for something of its own, more likely than for the machine

}  // namespace

std::string SteadierHint::after(double busy_share) {
    shares_.push_back(busy_share);
    if (measure_ != Measure::time || said_) return "";
    if (shares_.size() != few && shares_.size() != many_) return "";
    const double share = stats::median(shares_);
    if (share > several_threads || share < mostly_waits) return "";
    if (shares_.size() == few && share >= busy_from) return "";  // the machine is quiet
    said_ = true;
    const std::string advice =
        "--metric cpu, its processor time, is steadier on a machine that others use, and sooner "
        "told: its runs share a processor";
    if (share >= busy_from) {
        return "hint: the benchmark computes nearly all of its time, in one thread: " + advice;
    }
    return fmt::format(
        "hint: the benchmark had a processor for {:.0f} % of its time; where it waits for a busy "
        "machine, and for nothing of its own: {}",
        100 * share,
        advice);
}

}  // namespace vigil::local
