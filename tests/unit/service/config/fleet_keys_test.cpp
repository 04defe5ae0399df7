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

Config parse(const std::string& fleet) {
    return parse_config(
        R"({"state_dir": "state", "machine_classes": {"a100": {}, "cpu": {}},
"workers": {"w1": {"machine_class": "cpu"}}, "fleet": )" +
            fleet + "}",
        "/etc/vigil/vigild.json");
}

std::string refusal(const std::string& fleet) {
    try {
        parse(fleet);
    } catch (const Error& error) {
        return error.what();
    }
    FAIL("accepted: " << fleet);
    return "";
}

}  // namespace

TEST_CASE("A fleet's worker has the class in its name", "[service][config]") {
    const auto config =
        parse(R"({"folder": "shared", "machine_classes": {"a100": {"worker_file": "w.json"}}})");
    CHECK(config.fleet->folder == "/etc/vigil/shared");
    CHECK(config.fleet->worker == "vigil-worker");
    CHECK(config.fleet->machine_classes.at("a100").worker_file == "/etc/vigil/w.json");
    REQUIRE(find_worker_class(config, "w1") != nullptr);
    CHECK(*find_worker_class(config, "w1") == "cpu");
    REQUIRE(find_worker_class(config, "a100@node1") != nullptr);
    CHECK(*find_worker_class(config, "a100@node1") == "a100");
    for (const auto* stranger : {"w2", "a100", "cpu@node1", "@node1", ""}) {
        CAPTURE(stranger);
        CHECK(find_worker_class(config, stranger) == nullptr);
    }
    Config without = config;
    without.fleet.reset();
    CHECK(find_worker_class(without, "a100@node1") == nullptr);
}

TEST_CASE("What a fleet cannot mean is refused", "[service][config]") {
    CHECK_THAT(refusal("{}"), Contains("folder"));
    CHECK_THAT(
        refusal(R"({"folder": "x", "machine_classes": {"a100": {}}})"), Contains("worker_file"));
    CHECK_THAT(
        refusal(R"({"folder": "x", "machine_classes": {"h100": {"worker_file": "w"}}})"),
        Contains("names the machine class \"h100\""));
    CHECK_THAT(refusal(R"({"folder": "x", "name": "my-vigil"})"), Contains("letters and digits"));
    for (const auto* value : {"a b", "a;b", "$(x)", "a\\nb", "a`b"}) {
        CAPTURE(value);
        const auto text = R"({"folder": "x", "machine_classes": {"a100": {"worker_file": "w",
"constraint": ")" + std::string(value) +
                          "\"}}}";
        CHECK_THAT(refusal(text), Contains("constraint"));
    }
    CHECK_NOTHROW(parse(
        R"({"folder": "x", "machine_classes": {"a100": {"worker_file": "w",
"constraint": "[rack1|rack2]&intel", "gres": "gpu:a100:2"}}})"));
}

TEST_CASE("Where slurmrestd is asked is a socket or a URL with a token", "[service][config]") {
    const auto with = [](const std::string& keys) {
        return R"({"folder": "x", "machine_classes": {}, )" + keys + "}";
    };
    CHECK(
        parse(with(R"("slurmrestd": "unix:/run/s.socket")")).fleet->slurmrestd ==
        "unix:/run/s.socket");
    const test::ScratchFolder folder;
    const auto file = folder.path() / "jwt";
    std::ofstream(file) << "token\n";
    const auto url = with(
        R"("slurmrestd": "http://127.0.0.1:6820", "slurmrestd_token_file": ")" + file.string() +
        '"');
    std::filesystem::permissions(file, std::filesystem::perms(0644));
    CHECK_THAT(refusal(url), Contains("chmod 600"));
    std::filesystem::permissions(file, std::filesystem::perms(0600));
    CHECK(parse(url).fleet->slurmrestd_token_file == file);
    CHECK_THAT(
        refusal(with(R"("slurmrestd": "http://127.0.0.1:6820")")),
        Contains("needs slurmrestd_token_file"));
    CHECK_THAT(
        refusal(with(R"("slurmrestd_token_file": "jwt")")), Contains("nothing without slurmrestd"));
    CHECK_THAT(
        refusal(with(R"("slurmrestd": "http://head:6820", "slurmrestd_token_file": "jwt")")),
        Contains("unencrypted"));
    const auto long_path = "unix:/" + std::string(120, 'a');
    for (const std::string value :
         {"unix:",
          "unix:/",
          "unix:run/s.socket",
          "/run/s.socket",
          "head:6820",
          "ftp://head",
          "https://u:p@head",
          "https://head/",
          long_path.c_str()}) {
        CAPTURE(value);
        CHECK_THAT(refusal(with(R"("slurmrestd": ")" + value + '"')), Contains("slurmrestd"));
    }
}

TEST_CASE("An object store has a bucket and a key that others cannot read", "[service][config]") {
    const test::ScratchFolder folder;
    const auto key = folder.path() / "key";
    std::ofstream(key) << "id\nsecret\n";
    std::filesystem::permissions(key, std::filesystem::perms(0600));
    const auto parse_store = [&](const std::string& more) {
        return parse_config(
            R"({"state_dir": "state", "object_store": {"access_key_file": ")" + key.string() +
                "\", " + more + "}}",
            "/etc/vigil/vigild.json");
    };
    const std::string plain = R"("endpoint": "https://s3.example", "bucket": "night-1")";
    const auto store = parse_store(plain).object_store;
    CHECK(store->bucket == "night-1");
    CHECK(store->region == "us-east-1");
    CHECK(store->path_style);
    for (const std::string bad :
         {R"("endpoint": "s3.example", "bucket": "night-1")",
          R"("endpoint": "https://s3.example/?x", "bucket": "night-1")",
          R"("endpoint": "", "bucket": "night-1")",
          R"("endpoint": "https://s3.example", "bucket": "a/b")",
          R"("endpoint": "https://s3.example", "bucket": "..")",
          R"("endpoint": "https://s3.example", "bucket": "night-1", "region": "a/b")",
          R"("endpoint": "https://s3.example", "bucket": "night-1", "link_s": 1)"}) {
        CAPTURE(bad);
        CHECK_THROWS_WITH(parse_store(bad), Contains("object_store"));
    }
    std::filesystem::permissions(key, std::filesystem::perms(0644));
    CHECK_THROWS_WITH(parse_store(plain), Contains("chmod 600"));
}
