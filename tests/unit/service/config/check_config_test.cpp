// One run says all that is wrong with a config.

#include "service/config/check_config.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

const std::string right_config = R"({
  "state_dir": "state",
  "machine_classes": { "m": {} },
  "workers": { "w": { "machine_class": "m" } },
  "projects": {
    "p": {
      "source": { "kind": "git", "repository": "/srv/p.git" },
      "recipe": { "commands": ["make"], "outputs": ["out"] },
      "suites": { "s": { "b": { "command": ["./b"] } } },
      "matrix": [{ "suite": "s", "machine_classes": ["m"] }]
    }
  }
})";

std::string text_with(std::string text, const std::string& what, const std::string& instead) {
    const auto at = text.find(what);
    REQUIRE(at != text.npos);
    return text.replace(at, what.size(), instead);
}

CheckedConfig checked_text(const std::string& text) {
    return check_config(text, "/etc/vigil/vigild.json");
}

bool lists_words(const std::vector<std::string>& all, const std::string& words) {
    return std::any_of(
        all.begin(), all.end(), [&](const auto& one) { return one.find(words) != one.npos; });
}

}  // namespace

TEST_CASE("A config that is right has neither errors nor warnings", "[service][config]") {
    const auto found = checked_text(right_config);
    CHECK(found.errors.empty());
    CHECK(found.warnings.empty());
    CHECK(found.config.projects.at("p").suites.at("s").size() == 1);
}

TEST_CASE("All errors are told in one run, each where it stands", "[service][config]") {
    auto text =
        text_with(right_config, R"("m": {})", R"("m": { "min_memory_bytes": "much", "gpus": 1 })");
    text = text_with(text, R"({ "machine_class": "m" })", R"({ "machine_class": "n" })");
    text = text_with(text, R"("outputs": ["out"])", R"("outputs": ["/out", "a/../b"])");
    text = text_with(text, R"("suite": "s")", R"("suite": "t")");
    text = text_with(text, R"("state_dir": "state")", R"("state_dir": 7, "log_level": "loud")");
    const auto found = checked_text(text);
    for (const auto* words :
         {":2:3: state_dir must be a text, not 7",
          ":2:19: log_level must be one of debug, info, warn, error, not",
          ":3:31: machine_classes.m.min_memory_bytes must be an integer",
          ":3:59: machine_classes.m.gpus is not a known key",
          ":4:23: workers.w.machine_class names the machine class \"n\"",
          ":8:41: projects.p.recipe.outputs [0]",
          ":8:41: projects.p.recipe.outputs [1]",
          ":10:20: projects.p.matrix[0].suite names the suite \"t\""}) {
        CAPTURE(words);
        CHECK(lists_words(found.errors, words));
    }
    CHECK(found.errors.size() == 8);
    CHECK_THROWS_WITH(
        parse_config(text, "/etc/vigil/vigild.json"),
        Contains("state_dir must be a text") && Contains("; and 7 more, which vigild --check"));
}

TEST_CASE("What is wrong as a whole is told once, and nothing within it", "[service][config]") {
    auto text = text_with(right_config, R"({ "kind": "git", "repository": "/srv/p.git" })", "[]");
    text = text_with(text, R"([{ "suite": "s", "machine_classes": ["m"] }])", R"([7])");
    text = text_with(text, R"("b": { "command": ["./b"] })", R"("b": "./b")");
    const auto found = checked_text(text);
    for (const auto* words :
         {"projects.p.source must be an object, not a list",
          "projects.p.suites.s.b must be an object, not",
          "projects.p.matrix[0] must be an object, not 7"}) {
        CAPTURE(words);
        CHECK(lists_words(found.errors, words));
    }
    CHECK_FALSE(lists_words(found.errors, "is missing"));
}

TEST_CASE("A text that is no JSON has one error", "[service][config]") {
    for (const auto* text : {"{", "", "[]", "{\"state_dir\": }"}) {
        CAPTURE(text);
        CHECK(checked_text(text).errors.size() == 1);
    }
}

TEST_CASE("What nobody filled in is refused, wherever it stands", "[service][config]") {
    auto text =
        text_with(right_config, R"(["./b"])", R"("echo 'FILL IN: the command' >&2; exit 1")");
    text = text_with(text, R"("/srv/p.git")", R"("FILL IN")");
    auto found = checked_text(text);
    CHECK(
        lists_words(found.errors, ":9:33: projects.p.suites.s.b.command is still marked FILL IN"));
    CHECK(lists_words(found.errors, ":7:34: projects.p.source.repository is still marked FILL IN"));
    CHECK(found.errors.size() == 2);
    text = text_with(right_config, R"("recipe")", "// FILL IN: what builds it\n      \"recipe\"");
    found = checked_text(text);
    CHECK(found.errors.empty());
    REQUIRE(found.warnings.size() == 1);
    CHECK_THAT(
        found.warnings[0], Contains(":8:10: a comment is still marked FILL IN: what builds it"));
}

TEST_CASE("A program with several results and no select is warned of", "[service][config]") {
    const auto benchmark = [](const std::string& keys) {
        return text_with(right_config, R"({ "command": ["./b"] })", "{" + keys + "}");
    };
    const std::string google = R"("command": ["./b"], "samples": {"format": "google_benchmark")";
    auto found = checked_text(benchmark(google + R"(}, "variants": {"x": {}, "y": {}})"));
    CHECK(found.errors.empty());
    REQUIRE(found.warnings.size() == 1);
    CHECK_THAT(found.warnings[0], Contains("projects.p.suites.s.b.samples has no select"));
    CHECK(checked_text(benchmark(google + R"(, "select": "BM_sort"})")).warnings.empty());
    const auto filtered = text_with(google, R"("./b")", R"("./b", "--benchmark_filter=^BM_sort$")");
    CHECK(checked_text(benchmark(filtered + "}")).warnings.empty());
    found = checked_text(benchmark(R"("command": "cargo bench --bench parse")"));
    REQUIRE(found.warnings.size() == 1);
    CHECK_THAT(
        found.warnings[0],
        Contains("projects.p.suites.s.b runs criterion") && Contains("\"harness\""));
}
