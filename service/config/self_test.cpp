#include "service/config/self_test.hpp"

#include <fmt/format.h>

namespace vigil::service {

namespace {

constexpr int usual_loops = 300'000;    // about 0.2 s of a shell's time
constexpr int planted_loops = 450'000;  // half more
constexpr int innocent_commits = 2;

}  // namespace

std::size_t self_test_benchmark(int number) {
    return static_cast<std::size_t>(number) % self_test_benchmarks;
}

std::string self_test_benchmark_name(std::size_t benchmark) {
    return fmt::format("work-{}", benchmark + 1);
}

std::vector<SelfTestCommit> plan_self_test_night(int number) {
    std::array<int, self_test_benchmarks> loops{};
    loops.fill(usual_loops);
    std::vector<SelfTestCommit> commits{
        {fmt::format("Night {}: all is as fast as before", number), loops, false}};
    const int planted_at = number % (innocent_commits + 1);
    for (int i = 0; i <= innocent_commits; ++i) {
        const bool is_planted = i == planted_at && number >= quiet_self_test_nights;
        const auto benchmark = self_test_benchmark(number);
        if (is_planted) loops.at(benchmark) = planted_loops;
        commits.push_back(
            {is_planted ? fmt::format(
                              "Night {}: {} is slower, on purpose",
                              number,
                              self_test_benchmark_name(benchmark))
                        : fmt::format("Night {}: note {}", number, i + 1),
             loops,
             is_planted});
    }
    return commits;
}

std::string self_test_repository(const Config& config) {
    return config.state_dir + "/self-test.git";
}

void add_self_test_project(Config& config) {
    if (!config.self_test) return;
    ProjectConfig project;
    project.name = self_test_name;
    project.source.kind = SourceKind::git;
    project.source.repository = self_test_repository(config);
    project.source.branch = "main";
    project.recipe.outputs = {"work"};
    for (std::size_t i = 0; i < self_test_benchmarks; ++i) {
        BenchmarkPlan plan;
        plan.benchmark = self_test_benchmark_name(i);
        plan.variant = "run";
        plan.command = {"sh", "work/run.sh", plan.benchmark};
        project.suites[project.name].push_back(std::move(plan));
    }
    project.matrix = {{project.name, {config.self_test->machine_class}}};
    project.judged = {Metric::cpu_time_ns};
    project.schedule = config.self_test->schedule;
    project.reports = config.self_test->reports;
    project.why.profiles_per_day = 0;
    config.projects[project.name] = std::move(project);
}

}  // namespace vigil::service
