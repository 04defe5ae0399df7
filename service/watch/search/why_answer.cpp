#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bisect/why/sampling.hpp"
#include "bisect/why/why.hpp"
#include "schema/profile/flame.hpp"
#include "schema/profile/operators.hpp"
#include "schema/profile/profile_json.hpp"
#include "service/watch/search/why.hpp"

// What came of the profiles of both sides.

namespace vigil::service {

namespace {

constexpr std::array<const char*, 2> sides{"parent", "culprit"};
constexpr const char* no_perf =
    "perf, which samples at full speed, is not on the worker: apt-get install linux-perf there, "
    "with kernel.perf_event_paranoid at most 2";

/// A profile of each side by one profiler.
struct BothProfiles {
    profile::Profile before, after;
};

/// @param first  step of the parent
/// @throws Error saying which side has none, and why
BothProfiles profiles_of(const std::vector<ProfiledStep>& steps, int first, Profiler profiler) {
    const std::string tool = profiler == Profiler::operators ? "for operators"
                             : profiler == Profiler::perf    ? "under perf"
                                                             : "under valgrind";
    BothProfiles both;
    for (int side = 0; side < 2; ++side) {
        const auto& name = sides.at(static_cast<std::size_t>(side));
        const auto found = std::ranges::find(steps, first + side, &ProfiledStep::step);
        if (found == steps.end()) {
            throw Error(
                Errc::unavailable,
                fmt::format("the {}'s build failed when it was to be profiled", name));
        }
        if (found->outcome != Outcome::passed || found->profile.empty()) {
            const bool is_late = found->outcome == Outcome::timeout && tool == "under valgrind";
            throw Error(
                Errc::unavailable,
                fmt::format(
                    "the {}'s run {} gave no profile ({}): {}{}",
                    name,
                    tool,
                    to_string(found->outcome),
                    found->message.empty() ? "it wrote none" : found->message,
                    is_late ? "; valgrind makes a program some 50 times slower: give the "
                              "benchmark less to do, or raise why.timeout_s"
                            : ""));
        }
        try {
            (side == 0 ? both.before : both.after) = profile::parse_profile(found->profile);
        } catch (const Error& error) {
            throw Error(
                Errc::unavailable, fmt::format("the profiles cannot be read: {}", error.what()));
        }
    }
    return both;
}

}  // namespace

WhyAnswer answer_of(
    const std::vector<ProfiledStep>& steps,
    const std::vector<ProfiledBy>& profiles,
    const std::set<std::string>& touched) {
    WhyAnswer answer;
    std::vector<profile::Why> found;
    bool is_open = true;               // why its time changed, as far as callgrind tells
    std::optional<std::size_t> exact;  // where callgrind's counts stand
    for (std::size_t i = 0; i < profiles.size(); ++i) {
        const auto& [profiler, kind, change_ratio] = profiles[i];
        if (profiler == Profiler::perf && !is_open) continue;
        if (profiler == Profiler::callgrind) exact = found.size();
        try {
            auto both = profiles_of(steps, static_cast<int>(2 * i), profiler);
            if (profiler == Profiler::operators && kind == MetricKind::memory) {
                profile::by_memory(both.before, both.after);
            }
            auto why = why::explain(both.before, both.after, change_ratio, touched);
            if (profiler == Profiler::callgrind) {
                is_open = why::leaves_open(why, both.after, change_ratio);
            }
            const auto at =
                profiler == Profiler::perf ? exact.value_or(found.size()) : found.size();
            found.insert(found.begin() + static_cast<std::ptrdiff_t>(at), std::move(why));
            auto flame = profile::flame_svg(both.before, both.after, {"the parent", "the culprit"});
            if (!flame.empty()) answer.flame = std::move(flame);
        } catch (const Error& error) {
            answer.why_none += (answer.why_none.empty() ? "" : "; ") + std::string(error.what());
        }
    }
    const bool has_perf = std::ranges::count(profiles, Profiler::perf, &ProfiledBy::profiler) > 0;
    const bool lacks_perf =
        std::ranges::count(profiles, Profiler::callgrind, &ProfiledBy::profiler) > 0 && !has_perf;
    if (is_open && lacks_perf) {
        answer.why_none += std::string(answer.why_none.empty() ? "" : "; ") + no_perf;
    }
    answer.found = why::one_of(std::move(found), answer.why_none);
    if (answer.found) answer.why_none.clear();
    return answer;
}

}  // namespace vigil::service
