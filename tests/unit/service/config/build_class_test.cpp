#include "service/config/build_class.hpp"

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

Config pair_of_classes() {
    Config config;
    config.machine_classes["lab"].build_class = "builders";
    config.machine_classes["builders"];
    auto& project = config.projects["toy"];
    project.matrix = {{"core", {"lab"}}};
    project.recipe.commands = {{"make", "-j8"}};
    return config;
}

}  // namespace

TEST_CASE("A class that builds for another is there and measures nothing", "[service][config]") {
    auto config = pair_of_classes();
    CHECK(build_class_problem(config, "lab").empty());
    CHECK(build_class_problem(config, "builders").empty());
    config.projects["toy"].matrix[0].machine_classes.emplace_back("builders");
    CHECK_THAT(build_class_problem(config, "lab"), Contains("on which project toy measures"));
    config.projects.clear();
    config.machine_classes["builders"].canary.emplace();
    CHECK_THAT(build_class_problem(config, "lab"), Contains("has a canary"));
    config.machine_classes["builders"] = {};
    config.machine_classes["builders"].build_class = "others";
    CHECK_THAT(build_class_problem(config, "lab"), Contains("for which others builds"));
    CHECK_THAT(build_class_problem(config, "builders"), Contains("does not have"));
    config.machine_classes["builders"].build_class = "builders";
    CHECK_THAT(build_class_problem(config, "builders"), Contains("this class itself"));
}

TEST_CASE("A recipe for the CPU that builds is refused where another one measures", "[config]") {
    auto config = pair_of_classes();
    auto& project = config.projects["toy"];
    CHECK(matrix_class_problem(config, project, "lab").empty());
    project.recipe.environment = {{"CXXFLAGS", "-O2 -march=native"}};
    CHECK_THAT(matrix_class_problem(config, project, "lab"), Contains("has -march=native"));
    project.recipe.environment.clear();
    project.recipe.commands = {{"/bin/sh", "-c", "RUSTFLAGS='-C target-cpu=native' cargo build"}};
    CHECK_THAT(matrix_class_problem(config, project, "lab"), Contains("target-cpu=native"));
    config.machine_classes["lab"].build_class.clear();
    CHECK(matrix_class_problem(config, project, "lab").empty());
}
