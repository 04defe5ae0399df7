#include "schema/model/case_run.hpp"

#include <catch2/catch.hpp>

using namespace vigil;

namespace {

std::vector<std::string> arguments_for(const std::string& argument, const std::string& name) {
    BenchmarkPlan plan;
    plan.command = {"./bench"};
    plan.cases = CasePlan{{"*"}, {argument}, ""};
    auto command = of_case(plan, name).command;
    command.erase(command.begin());
    return command;
}

std::string written(const std::string& argument, const std::string& name) {
    return arguments_for(argument, name).at(0);
}

}  // namespace

TEST_CASE("A case's name is written as its program's arguments need it", "[cases]") {
    CHECK(
        written("--benchmark_filter=^{case}$", "BM_Sort<int>/64") ==
        "--benchmark_filter=^BM_Sort<int>/64$");
    CHECK(
        written("^{case}$", "a.b*(c)[d]{2}|e+f?\\") ==
        "^a\\.b\\*\\(c\\)\\[d\\]\\{2\\}\\|e\\+f\\?\\\\$");
    CHECK(written("{case:raw}", "x.y [z]") == "x.y [z]");
    CHECK(written("{case:catch2}", "sort, big [slow] / std::sort") == "sort\\, big \\[slow]");
    CHECK(written("^{case:go}$", "lab.org/x.BenchmarkSum/size=10-8") == "^BenchmarkSum$/^size=10$");
    CHECK(written("^{case:go}$", "BenchmarkSum [toolchain=go1.22]") == "^BenchmarkSum$");
    CHECK(written("{case:raw}/{case:raw}", "{case}") == "{case}/{case}");
}

TEST_CASE("Arguments that name no case, or in another way, are refused", "[cases]") {
    const auto problem = [](const std::string& argument) {
        return case_arguments_problem(std::vector{argument});
    };
    CHECK(problem("--filter={case}").empty());
    CHECK(problem("{case:go}").empty());
    CHECK_FALSE(problem("--filter").empty());
    CHECK_FALSE(problem("{case:rust}").empty());
    CHECK_FALSE(problem("{case}{cases}").empty());
    CHECK(case_arguments_problem({}).empty());
}

TEST_CASE("A benchmark of one case becomes whole again", "[cases]") {
    for (const Command& command :
         {Command{"./bench", "-x"}, Command{"/bin/sh", "-c", "cd o && ./b"}}) {
        BenchmarkPlan plan;
        plan.command = command;
        plan.cases = CasePlan{{"*"}, {"-f", "{case:raw}"}, ""};
        const auto one = of_case(plan, "a b");
        CHECK(one.cases->only == "a b");
        CHECK(one.command.back() == "a b");
        const auto whole = of_all_cases(one);
        CHECK(whole.cases->only.empty());
        CHECK(of_case(whole, "a b").command == one.command);
    }
}

TEST_CASE("Patterns say which cases are measured", "[cases]") {
    const CasePlan some{{"BM_*/64", "one"}, {}, ""};
    CHECK(is_measured_case(some, "BM_Sort/64"));
    CHECK(is_measured_case(some, "one"));
    CHECK_FALSE(is_measured_case(some, "BM_Sort/8"));
}
