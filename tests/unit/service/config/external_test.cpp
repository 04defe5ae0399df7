// A project that is measured elsewhere.

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "service/config/config.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

Config with_far(const std::string& keys) {
    return parse_config(
        R"({"state_dir": "s", "projects": {"far": {"source": {"kind": "elsewhere"})" + keys + "}}}",
        "far.json");
}

std::string far_refusal(const std::string& keys) {
    try {
        with_far(keys);
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

}  // namespace

TEST_CASE("What is measured elsewhere needs nothing to measure it by", "[service][config]") {
    const auto config = with_far(R"(, "thresholds": {"time_ratio": 0.1})");
    const auto& far = config.projects.at("far");
    CHECK(is_external(far));
    CHECK(far.judged.size() == enum_names<Metric>.size());
    CHECK(far.source.settle_s == 60);
    CHECK(far.thresholds.time_ratio == 0.1);
    const auto again = parse_config(effective_config(config), "effective.json");
    CHECK(again.projects.at("far").judged == far.judged);
}

TEST_CASE("What means nothing elsewhere is refused with the reason", "[service][config]") {
    for (const std::string key : {"recipe", "suites", "matrix", "schedule", "runs_per_night"}) {
        CAPTURE(key);
        const auto refused = far_refusal(", \"" + key + "\": {}");
        CHECK_THAT(refused, Contains("projects.far." + key + " means nothing in a project"));
    }
}

TEST_CASE("Who measures again elsewhere has an address and a secret", "[service][config]") {
    const test::ScratchFolder folder;
    const auto secret = (folder / "secret").string();
    std::ofstream(secret) << "s3cret\n";
    std::filesystem::permissions(secret, std::filesystem::perms::owner_read);
    const auto asked = [&](const std::string& callback) {
        return parse_config(
            R"({"state_dir": "s", "projects": {"far": {"confirm_runs_per_night": 8, "source":
               {"kind": "elsewhere", "callback": )" +
                callback + "}}}}",
            "far.json");
    };
    const auto hook = asked(
        R"({"kind": "webhook", "url": "https://ci.example/ab", "secret_file": ")" + secret + "\"}");
    const auto& far = hook.projects.at("far");
    REQUIRE(far.source.callback);
    CHECK(far.source.callback->url == "https://ci.example/ab");
    CHECK(far.source.callback->answer_within_s == 7200);
    CHECK(far.confirm_runs_per_night == 8);
    CHECK(can_measure_again(far));
    CHECK(
        parse_config(effective_config(hook), "effective.json").projects.at("far").source.callback);

    const auto github =
        asked(R"({"kind": "github", "repository": "a/b", "token_file": ")" + secret + "\"}");
    CHECK(github.projects.at("far").source.callback->base_url == "https://api.github.com");

    const auto refusal = [&](const std::string& callback) -> std::string {
        try {
            asked(callback);
        } catch (const Error& error) {
            return error.what();
        }
        return "none";
    };
    CHECK_THAT(refusal(R"({"kind": "webhook"})"), Contains("url"));
    CHECK_THAT(
        refusal(R"({"kind": "webhook", "url": "http://ci.example/", "secret_file": "x"})"),
        Contains("projects.far.source.callback.url"));
    CHECK_THAT(
        refusal(
            R"({"kind": "github", "url": "https://x", "repository": "a/b", "token_file": "x"})"),
        Contains("projects.far.source.callback.url"));
    CHECK_THAT(
        refusal(R"({"kind": "webhook", "url": "https://x", "secret_file": "not-there"})"),
        Contains("projects.far.source.callback.secret_file"));
}

TEST_CASE("Runs of a night mean nothing where nobody measures again", "[service][config]") {
    CHECK_THAT(
        far_refusal(R"(, "confirm_runs_per_night": 8)"),
        Contains("projects.far.confirm_runs_per_night means nothing where nobody"));
    CHECK_FALSE(can_measure_again(with_far("").projects.at("far")));
}
