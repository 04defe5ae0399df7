#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "service/config/config.hpp"

// The self-test: a project of the daemon's own, whose every night brings a regression that is
// known beforehand. Pure.

namespace vigil::service {

/// Its name, as that of any project.
inline constexpr std::string_view self_test_name = "self-test";

/// So many benchmarks take turns, so that each has good nights between two bad ones.
inline constexpr std::size_t self_test_benchmarks = 7;

/// These first nights bring none: there is nothing to compare them with.
inline constexpr int quiet_self_test_nights = 5;

/// A commit of a night of the self-test.
struct SelfTestCommit {
    std::string subject;
    std::array<int, self_test_benchmarks> loops{};  ///< of each benchmark's program
    bool is_planted = false;                        ///< it makes one of them slower
};

/// The commits of a night, oldest first: the first takes the last night's regression back, and one
/// of the others brings the next.
/// @param number  of the night, from 0
std::vector<SelfTestCommit> plan_self_test_night(int number);

/// The benchmark that a night makes slower, from 0.
std::size_t self_test_benchmark(int number);

/// "work-3".
std::string self_test_benchmark_name(std::size_t benchmark);

/// Where its repository lies: a bare one below the state folder.
std::string self_test_repository(const Config& config);

/// Adds the project to a config with `self_test`; nothing where it has none.
void add_self_test_project(Config& config);

}  // namespace vigil::service
