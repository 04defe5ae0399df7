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
