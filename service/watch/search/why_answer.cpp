#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bisect/why/why.hpp"
#include "schema/profile/flame.hpp"
#include "schema/profile/operators.hpp"
#include "schema/profile/profile_json.hpp"
#include "service/watch/search/why.hpp"

// What came of the profiles of both sides.

namespace vigil::service {

namespace {

constexpr std::array<const char*, 2> sides{"parent", "culprit"};

/// A profile of each side by one profiler.
struct BothProfiles {
    profile::Profile before, after;
};

/// @param first  step of the parent
/// @throws Error saying which side has none, and why
BothProfiles profiles_of(const std::vector<ProfiledStep>& steps, int first, Profiler profiler) {
    const std::string tool = profiler == Profiler::operators ? "for operators" : "under valgrind";
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
            const bool is_late =
                found->outcome == Outcome::timeout && profiler != Profiler::operators;
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
    const std::vector<Profiler>& profilers,
    MetricKind kind,
    double change_ratio,
    const std::set<std::string>& touched) {
    WhyAnswer answer;
    std::vector<profile::Why> found;
    for (std::size_t i = 0; i < profilers.size(); ++i) {
        try {
            auto both = profiles_of(steps, static_cast<int>(2 * i), profilers[i]);
            if (profilers[i] == Profiler::operators && kind == MetricKind::memory) {
                both.before = profile::by_bytes(std::move(both.before));
                both.after = profile::by_bytes(std::move(both.after));
            }
            found.push_back(why::explain(both.before, both.after, change_ratio, touched));
            auto flame = profile::flame_svg(both.before, both.after, {"the parent", "the culprit"});
            if (!flame.empty()) answer.flame = std::move(flame);
        } catch (const Error& error) {
            answer.why_none += (answer.why_none.empty() ? "" : "; ") + std::string(error.what());
        }
    }
    answer.found = why::one_of(std::move(found), answer.why_none);
    if (answer.found) answer.why_none.clear();
    return answer;
}

}  // namespace vigil::service
