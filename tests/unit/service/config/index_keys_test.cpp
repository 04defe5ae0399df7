#include <string>

#include <boost/algorithm/string/replace.hpp>
#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "service/config/config.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

const std::string wheels =
    R"("kind": "http-index", "index": "https://x.example/whl", "packages": ["torch"])";

std::string with_source(const std::string& source) {
    return R"({
  "state_dir": "/tmp/state",
  "machine_classes": {"any": {}},
  "workers": {"w1": {"machine_class": "any"}},
  "projects": {
    "toy": {
      "source": {)" +
           source +
           R"(},
      "recipe": {"outputs": ["torch"]},
      "suites": {"core": {"start": {"command": ["torch/x"]}}},
      "matrix": [{"suite": "core", "machine_classes": ["any"]}]
    }
  }
})";
}

std::string index_refusal(const std::string& text) {
    try {
        parse_config(text, "vigild.json");
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("Several local versions are a variant each", "[service][config]") {
    const std::string two = wheels + R"(, "local_version": ["+cpu", "+cu126"])";
    const auto plans = [](const std::string& text) {
        std::string words;
        const auto config = parse_config(text, "vigild.json");
        for (const auto& plan : config.projects.at("toy").suites.at("core")) {
            words += plan.benchmark + "/" + plan.variant + "/" + plan.folder.value_or("") + " ";
        }
        return words;
    };
    CHECK(plans(with_source(two)) == "start/default+cpu/cpu start/default+cu126/cu126 ");
    const std::string command = R"("command": ["torch/x"])";
    const auto with = [&](const std::string& keys) {
        return boost::replace_all_copy(with_source(two), command, command + ", " + keys);
    };
    CHECK(plans(with(R"("local_version": "+cpu")")) == "start/default/cpu ");
    const auto variants =
        with(R"("local_version": "+cpu", "variants": {"a": {}, "b": {"local_version": "+cu126"}})");
    CHECK(plans(variants) == "start/a/cpu start/b/cu126 ");
    const auto shown = effective_config(parse_config(variants, "vigild.json"));
    CHECK(plans(shown) == plans(variants));
    CHECK(effective_config(parse_config(shown, "shown")) == shown);
    CHECK_THAT(
        index_refusal(with(R"("local_version": "+rocm6.4")")),
        Contains("suites.core.start.local_version is none of source.local_version: +cpu, +cu126"));
}

TEST_CASE("A single local version is picked, and no variant", "[service][config]") {
    const auto with = [](const std::string& value) {
        return with_source(wheels + ", \"local_version\": " + value);
    };
    for (const auto* value : {"\"+cu126\"", "[\"+cu126\"]"}) {
        const auto toy = parse_config(with(value), "vigild.json").projects.at("toy");
        CHECK(toy.source.local_versions == std::vector<std::string>{"+cu126"});
        CHECK(toy.suites.at("core").front().variant == "default");
        CHECK_FALSE(toy.suites.at("core").front().folder.has_value());
    }
    for (const auto* value :
         {"\"cpu\"", "\"+\"", "\"+CPU\"", "\"+a..b\"", "\"+../x\"", "\"+a.\""}) {
        CHECK_THAT(index_refusal(with(value)), Contains("must be a local version"));
    }
    CHECK_THAT(index_refusal(with("[\"+cpu\", \"+cpu\"]")), Contains("has +cpu twice"));
    CHECK_THAT(index_refusal(with("[\"\"]")), Contains("has an empty entry"));
    const auto alone = boost::replace_all_copy(
        with("\"+cpu\""), "[\"torch/x\"]", "[\"torch/x\"], \"local_version\": \"+cpu\"");
    CHECK_THAT(index_refusal(alone), Contains("list several in source.local_version"));
}

TEST_CASE("An index has an address and at least one package", "[service][config]") {
    const auto config = parse_config(with_source(wheels), "vigild.json");
    CHECK(config.projects.at("toy").source.layout == IndexLayout::wheels);
    CHECK(config.projects.at("toy").source.machine == "x86_64");
    const auto refused = [&](const std::string& from, const std::string& to) {
        return index_refusal(with_source(boost::replace_all_copy(wheels, from, to)));
    };
    CHECK_THAT(refused("[\"torch\"]", "[]"), Contains("packages is empty"));
    CHECK_THAT(refused(R"(, "packages": ["torch"])", ""), Contains("packages is missing"));
    const auto days = [&](const std::string& names) {
        return refused("[\"torch\"]", "[\"torch\", \"nvidia\"], \"day_from\": " + names);
    };
    CHECK_THAT(days("[\"torch\", \"numpy\"]"), Contains("day_from names numpy, which is none of"));
    CHECK_THAT(days("[\"nvidia\"]"), Contains("day_from lacks torch, the first of packages"));
    CHECK_THAT(refused("\"torch\"", "\"../x\""), Contains("name of a package"));
    CHECK_THAT(refused("https://x.example/whl", "http://x.example/whl"), Contains("unencrypted"));
    CHECK_THAT(refused("\"kind\"", "\"python\": \"cp-311\", \"kind\""), Contains("letters"));
    CHECK_THAT(refused("\"kind\"", "\"dist_tag\": \"x\", \"kind\""), Contains("dist_tag"));
}
