// A project of archives whose revisions are built from their source.

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "service/config/config.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

ProjectConfig project_with(const std::string& source, const std::string& keys) {
    constexpr const char* text = R"({{
        "state_dir": "s",
        "machine_classes": {{"any": {{}}}},
        "workers": {{"one": {{"machine_class": "any"}}}},
        "projects": {{"lab": {{
            "source": {{{}}},
            "recipe": {{"commands": ["make"], "outputs": ["out"]}}{},
            "suites": {{"all": {{"sort": {{"command": ["./sort"]}}}}}},
            "matrix": [{{"suite": "all", "machine_classes": ["any"]}}]}}}}}})";
    return parse_config(fmt::format(text, source, keys), "lab.json").projects.at("lab");
}

std::string refusal(const std::string& source, const std::string& keys) {
    try {
        project_with(source, keys);
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

const std::string archives = R"("kind": "directory", "path": "drop")";
const std::string repository = R"(, "repository": "https://example.org/lab.git")";

}  // namespace

TEST_CASE("Revisions are built by a recipe of their own", "[service][config]") {
    const auto lab = project_with(
        archives + repository,
        R"(, "source_recipe": {"commands": ["cmake ."], "outputs": ["build"]})");
    CHECK_FALSE(why_no_revisions(lab));
    CHECK(are_archives_searched(lab));
    CHECK(find_recipe(lab, InputKind::archive)->outputs == std::vector<std::string>{"out"});
    CHECK(find_recipe(lab, InputKind::source_tree)->outputs == std::vector<std::string>{"build"});
    const auto same = project_with(archives + repository, R"(, "source_recipe": "same")");
    CHECK(*find_recipe(same, InputKind::source_tree) == same.recipe);
}

TEST_CASE("Why no revision can be built is said with the key to set", "[service][config]") {
    CHECK_THAT(why_no_revisions(project_with(archives, "")).value(), Contains("source.repository"));
    CHECK_THAT(
        why_no_revisions(project_with(archives + repository, "")).value(),
        Contains("source_recipe"));
    CHECK_FALSE(why_no_revisions(project_with(R"("kind": "git")" + repository, "")));
    CHECK_FALSE(are_archives_searched(project_with(R"("kind": "git")" + repository, "")));
}

TEST_CASE("A source_recipe that cannot be meant is refused", "[service][config]") {
    CHECK_THAT(refusal(archives, R"(, "source_recipe": "same")"), Contains("source.repository"));
    CHECK_THAT(
        refusal(R"("kind": "git")" + repository, R"(, "source_recipe": "same")"),
        Contains("means nothing in a git project"));
    CHECK_THAT(
        refusal(archives + repository, R"(, "source_recipe": "other")"),
        Contains("projects.lab.source_recipe"));
}
