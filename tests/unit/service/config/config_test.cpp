#include "service/config/config.hpp"

#include <filesystem>
#include <fstream>
#include <regex>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/wire/json.hpp"
#include "service/config/keys.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    REQUIRE(file);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    REQUIRE(text.find(from) != text.npos);
    for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
}

/// A small config that is right; a line per key, so that errors can be placed.
const std::string small = R"({
  "state_dir": "state",
  "machine_classes": {"any": {}},
  "workers": {"w1": {"machine_class": "any"}},
  "report_targets": {"out": {"kind": "standard_output"}},
  "projects": {
    "toy": {
      "source": {"kind": "git", "repository": "/srv/toy.git"},
      "recipe": {
        "commands": ["make", ["cmake", "--install", "b"]],
        "outputs": ["out"]
      },
      "suites": {"core": {"start": {"command": ["out/x"]}}},
      "matrix": [
        {"suite": "core", "machine_classes": ["any"]}
      ],
      "schedule": {"cron": "0 1 * * *", "time_zone": "UTC"},
      "reports": ["out"]
    }
  }
}
)";

Config parse(const std::string& text) {
    return parse_config(text, "/etc/vigil/vigild.json");
}

std::string refusal(const std::string& text) {
    try {
        parse(text);
    } catch (const Error& error) {
        CHECK(error.code() == Errc::invalid_argument);
        CHECK_THAT(error.what(), Contains("/etc/vigil/vigild.json:"));
        CHECK(std::string(error.what()).find('\n') == std::string::npos);
        return error.what();
    }
    FAIL("accepted: " << text);
    return "";
}

std::string refusal(const std::string& from, const std::string& to) {
    CAPTURE(from, to);
    return refusal(replaced(small, from, to));
}

/// The benchmark "start" of `small`, written otherwise, unfolded.
std::vector<BenchmarkPlan> plans(const std::string& benchmark) {
    const auto config = parse(replaced(small, R"({"command": ["out/x"]})", benchmark));
    return config.projects.at("toy").suites.at("core");
}

const fs::path example_file = fs::path(VIGIL_SOURCE_DIR) / "deploy/vigild.example.json";

/// The example with what it has commented out, and its secrets in `folder`.
std::string example(const fs::path& folder) {
    for (const auto* name :
         {"tracker.token",
          "app.pem",
          "slack.url",
          "mail.password",
          "ci.secret",
          "webhook.secret",
          "object-store.key",
          "lab.secret"}) {
        std::ofstream(folder / name) << "secret\n";
        fs::permissions(folder / name, fs::perms::owner_read | fs::perms::owner_write);
    }
    const auto text = text_of(example_file);
    const auto whole = std::regex_replace(text, std::regex("/\\*|\\*/"), "");
    REQUIRE(whole.size() < text.size());
    return replaced(whole, "/etc/vigil/", folder.string() + "/");
}

}  // namespace

TEST_CASE("A small config gets its defaults", "[service][config]") {
    const auto config = parse(small);
    CHECK(config.state_dir == "/etc/vigil/state");
    CHECK(config.http.port == 8321);
    CHECK(config.http.address == "127.0.0.1");
    CHECK(config.report_targets.at("out").name == "out");
    const auto& toy = config.projects.at("toy");
    CHECK(toy.name == "toy");
    CHECK(toy.source.branch == "main");
    CHECK(toy.recipe.commands[0] == Command{"/bin/sh", "-c", "make"});
    CHECK(toy.recipe.commands[1] == Command{"cmake", "--install", "b"});
    CHECK(toy.recipe.limits == Recipe{}.limits);
    CHECK(toy.judged == ProjectConfig{}.judged);
    CHECK(toy.schedule->cron == "0 1 * * *");
    CHECK_FALSE(config.webhook.has_value());
    REQUIRE(toy.suites.at("core").size() == 1);
    CHECK(toy.suites.at("core")[0].variant == "default");
    CHECK(toy.suites.at("core")[0].benchmark == "start");
}

TEST_CASE("A benchmark unfolds into one plan for each variant", "[service][config]") {
    const auto found = plans(R"({"kind": "torch", "command": ["--model", "mlp"],
        "environment": {"A": "1", "B": "1"}, "limits": {"wall_time_s": 7},
        "variants": {"infer": {"args": ["--mode", "infer"], "environment": {"B": "2"}},
                     "train": {"command": ["--model", "big"], "limits": {"processes": 9}}}})");
    REQUIRE(found.size() == 2);
    CHECK(found[0].variant == "infer");
    CHECK(found[0].kind == BenchmarkKind::torch);
    CHECK(found[0].samples.format == SampleFormat::vigil);
    CHECK(found[0].command == Command{"--model", "mlp", "--mode", "infer"});
    CHECK(found[0].environment == EnvironmentVariables{{"A", "1"}, {"B", "2"}});
    CHECK(found[0].limits.wall_time_s == 7);
    CHECK(found[1].command == Command{"--model", "big"});
    CHECK(found[1].environment == EnvironmentVariables{{"A", "1"}, {"B", "1"}});
    CHECK(found[1].limits.wall_time_s == 7);
    CHECK(found[1].limits.processes == 9);
}

TEST_CASE("Arguments of a variant follow a shell's text as words", "[service][config]") {
    const auto found = plans(R"({"command": "cd out && ./x",
        "variants": {"a": {}, "b": {"args": ["two words", "$HOME"]}}})");
    REQUIRE(found.size() == 2);
    CHECK(found[0].command == Command{"/bin/sh", "-c", "cd out && ./x"});
    CHECK(
        found[1].command ==
        Command{"/bin/sh", "-c", "cd out && ./x \"$@\"", "sh", "two words", "$HOME"});
}

TEST_CASE(
    "An unknown key is named with line, column and the nearest known one", "[service][config]") {
    CHECK_THAT(
        refusal("\"schedule\"", "\"shedule\""),
        Contains(":17:7: projects.toy.shedule is not a known key") &&
            Contains("did you mean \"schedule\"?"));
    CHECK_THAT(
        refusal("\"recipe\"", "\"recipies\""),
        Contains(":9:7: projects.toy.recipies is not a known key; did you mean \"recipe\"?"));
    CHECK_THAT(
        refusal("\"cron\"", "\"Cron\""), Contains("schedule.Cron") && Contains("mean \"cron\""));
    CHECK_THAT(
        refusal("{\"any\": {}}", "{\"any\": {\"xyzzy\": 1}}"),
        Contains(
            ":3:31: machine_classes.any.xyzzy is not a known key; known here: build_class, canary, "
            "cpu_model"));
    CHECK_THAT(
        refusal("\"kind\": \"git\",", "\"kind\": \"git\", \"package\": \"x\","),
        Contains("source.package is not a known key"));
    CHECK_THAT(
        refusal("\"state_dir\": \"state\",", "\"state_dir\": \"state\", \"htpp\": {},"),
        Contains(":2:25: htpp is not a known key; did you mean \"http\"?"));
}

TEST_CASE("A missing key is named where it should stand", "[service][config]") {
    CHECK_THAT(refusal("\"state_dir\": \"state\",", ""), Contains(":1:1: state_dir is missing"));
    CHECK_THAT(
        refusal("\"kind\": \"git\", ", ""), Contains(":8:7: projects.toy.source.kind is missing"));
    CHECK_THAT(
        refusal(", \"repository\": \"/srv/toy.git\"", ""),
        Contains("projects.toy.source.repository is missing"));
    CHECK_THAT(
        refusal("\"outputs\": [\"out\"]", "\"environment\": {}"),
        Contains("projects.toy.recipe.outputs is missing"));
}

TEST_CASE("A value out of range or of another type is refused", "[service][config]") {
    const auto with = [](const std::string& key, const std::string& value) {
        return refusal("\"reports\"", "\"" + key + "\": " + value + ", \"reports\"");
    };
    CHECK_THAT(
        with("runs_per_night", "0"),
        Contains(":18:7: projects.toy.runs_per_night must be an integer from 1 to 100, not 0"));
    CHECK_THAT(with("runs_per_night", "2.5"), Contains("an integer from 1 to 100, not 2.5"));
    CHECK_THAT(with("runs_per_night", "\"3\""), Contains("an integer from 1 to 100, not \"3\""));
    CHECK_THAT(with("runs_per_night", "null"), Contains("an integer from 1 to 100, not null"));
    CHECK_THAT(with("runs_per_night", "99999999999999999999"), Contains("64 bits"));
    CHECK_THAT(
        with("thresholds", R"({"time_ratio": 7})"),
        Contains("thresholds.time_ratio must be a number from 0.001 to 1, not 7"));
    CHECK_THAT(with("thresholds", R"({"time_ratio": 0})"), Contains("0.001 to 1, not 0"));
    CHECK_THAT(with("thresholds", "[]"), Contains("must be an object, not a list"));
    CHECK_THAT(with("judged", R"(["cpu_time"])"), Contains("did you mean \"cpu_time_ns\"?"));
    CHECK_THAT(with("judged", "[]"), Contains("judged is empty"));
    CHECK_THAT(
        with("judged", R"(["cpu_time_ns", "cpu_time_ns"])"), Contains("judged[1] is there twice"));
    CHECK_THAT(with("pinned_version", "7"), Contains("must be a text, not 7"));
    CHECK_THAT(refusal("[\"out\"]\n    }", "\"out\"\n    }"), Contains("must be a list of texts"));
    CHECK_THAT(refusal("[\"any\"]", "[1]"), Contains("must hold texts only, not 1"));
}

TEST_CASE("Broken JSON is refused with line and column", "[service][config]") {
    CHECK_THROWS_WITH(parse("{\n  \"a\": tru\n}"), Contains("vigild.json: line 2, column"));
    CHECK_THROWS_WITH(parse("{\"a\": 1, \"a\": 2}"), Contains("\"a\" is there twice"));
    CHECK_THAT(refusal("[]"), Contains("the config must be an object"));
}

TEST_CASE("Names must exist where they are used", "[service][config]") {
    CHECK_THAT(
        refusal("{\"machine_class\": \"any\"}", "{\"machine_class\": \"ani\"}"),
        Contains(":4:22: workers.w1.machine_class names the machine class \"ani\"") &&
            Contains("did you mean \"any\"?"));
    CHECK_THAT(
        refusal("{\"suite\": \"core\"", "{\"suite\": \"cores\""),
        Contains(":15:10: projects.toy.matrix[0].suite names the suite \"cores\""));
    CHECK_THAT(
        refusal("\"machine_classes\": [\"any\"]", "\"machine_classes\": [\"gpu\"]"),
        Contains("names the machine class \"gpu\""));
    CHECK_THAT(
        refusal("\"reports\": [\"out\"]", "\"reports\": [\"mail\"]"),
        Contains("names the report target \"mail\""));
    CHECK_THAT(
        refusal("{\"any\": {}}", "{\"any\": {}, \"a*b\": {}}"),
        Contains("machine_classes.a*b is no name"));
}

TEST_CASE("A matrix that cannot be measured is refused", "[service][config]") {
    const auto matrix = [](const std::string& entries) {
        auto text = replaced(small, "{\"any\": {}}", "{\"any\": {}, \"gpu\": {}}");
        text = replaced(
            text,
            R"({"start": {"command": ["out/x"]}})",
            R"({"start": {"command": ["out/x"]}}, "more": {"start": {"command": ["y"]}},
               "none": {})");
        return refusal(replaced(text, R"({"suite": "core", "machine_classes": ["any"]})", entries));
    };
    CHECK_THAT(matrix(""), Contains("projects.toy.matrix is empty"));
    CHECK_THAT(
        matrix(R"({"suite": "core", "machine_classes": ["gpu"]})"),
        Contains("no worker has this machine class"));
    CHECK_THAT(
        matrix(R"({"suite": "core", "machine_classes": []})"),
        Contains("machine_classes is empty"));
    CHECK_THAT(
        matrix(R"({"suite": "none", "machine_classes": ["any"]})"),
        Contains("a suite without benchmarks"));
    CHECK_THAT(
        matrix(R"({"suite": "core", "machine_classes": ["any"]},
                  {"suite": "more", "machine_classes": ["any"]})"),
        Contains("matrix[1] measures start default on any, which the matrix does already"));
}

TEST_CASE("A schedule is checked when the config is read", "[service][config]") {
    CHECK_THAT(
        refusal("0 1 * * *", "0 25 * * *"),
        Contains(":17:20: projects.toy.schedule.cron is wrong") && Contains("hour field"));
    CHECK_THAT(refusal("0 1 * * *", "0 0 30 2 *"), Contains("never comes"));
    CHECK_THAT(
        refusal("\"UTC\"", "\"Europe/Berln\""),
        Contains("schedule.time_zone is wrong") && Contains("Europe/Berlin"));
}

TEST_CASE("Texts are checked for what they stand for", "[service][config]") {
    CHECK_THAT(refusal("[\"out\"]\n      }", "[\"../up\"]\n      }"), Contains("leaves the"));
    CHECK_THAT(refusal("[\"out\"]\n      }", "[\"/etc\"]\n      }"), Contains("is absolute"));
    CHECK_THAT(
        refusal("/srv/toy.git", "https://me:secret@example.org/x.git"),
        Contains("holds a password") && !Contains("me:secret"));
    CHECK_THAT(refusal("/srv/toy.git", "--upload-pack=x"), Contains("begins with a dash"));
    CHECK_THAT(
        refusal("\"state_dir\"", "\"http\": {\"address\": \"localhost\"}, \"state_dir\""),
        Contains("http.address must be an IPv4 or IPv6 address"));
    CHECK_THAT(refusal("\"make\",", "\"\","), Contains("recipe.commands[0] is empty"));
    CHECK_THAT(refusal("\"make\",", "[],"), Contains("recipe.commands[0] is empty"));
}

TEST_CASE("What a benchmark prints must have a fitting unit", "[service][config]") {
    const auto with = [](const std::string& benchmark) {
        return refusal(R"({"command": ["out/x"]})", benchmark);
    };
    CHECK_THAT(
        with(R"({"command": ["x"], "samples": {"format": "lines", "printed": "cpu_time_ns",
             "unit": "m"}})"),
        Contains("samples.unit must be ns, us, ms or s"));
    CHECK_THAT(
        with(R"({"command": ["x"], "samples": {"format": "lines", "printed": "reported_value"}})"),
        Contains("samples.unit is missing"));
    CHECK_THAT(
        with(R"({"kind": "torch", "samples": {"format": "lines"}})"),
        Contains("must be vigil for the kind torch"));
    CHECK_THAT(with(R"({"kind": "torch", "command": "--model mlp"})"), Contains("list of texts,"));
    CHECK_THAT(with(R"({"kind": "command"})"), Contains("start.command is missing"));
    CHECK_THAT(with(R"({"variants": {"a": {}}})"), Contains("variants.a.command is missing"));
    CHECK_THAT(with(R"({"kind": "torch", "interleave": 9})"), Contains("interleave"));
    CHECK_THAT(with(R"({"kind": "artifact"})"), Contains("start.command is missing"));
    CHECK_THAT(with(R"({"kind": "artifact", "command": "a b"})"), Contains("list of texts,"));
    CHECK_THAT(
        with(R"({"kind": "artifact", "command": ["../x"]})"),
        Contains("leaves the build's folder"));
    CHECK_THAT(
        with(R"({"kind": "artifact", "command": ["x", ".text", "y"]})"), Contains("ELF section"));
    CHECK_THAT(
        with(R"({"kind": "artifact", "command": ["x"], "variants": {"a": {"args": ["b", "c"]}}})"),
        Contains("variants.a.args is of a path"));
    CHECK_THAT(
        with(R"({"command": ["x"], "wrong_exit_code": 77})"), Contains("same as wrong_exit_code"));
}

TEST_CASE("A secret must be a file that others cannot use", "[service][config]") {
    const test::ScratchFolder folder;
    const auto file = folder.path() / "token";
    const auto text = replaced(
        small,
        "{\"kind\": \"standard_output\"}",
        R"({"kind": "issues", "base_url": "https://x.example", "repository": "a/b",
            "token_file": ")" +
            file.string() + "\"}");
    CHECK_THAT(refusal(text), Contains("token_file names the file") && Contains("not exist"));
    std::ofstream(file) << "";
    fs::permissions(file, fs::perms(0600));
    CHECK_THAT(refusal(text), Contains("0 bytes"));
    std::ofstream(file) << "hunter2";
    fs::permissions(file, fs::perms(0644));
    CHECK_THAT(refusal(text), Contains("chmod 600") && !Contains("hunter2"));
    fs::permissions(file, fs::perms(0640));
    CHECK(parse(text).report_targets.at("out").token_file == file);
    CHECK(effective_config(parse(text)).find("hunter2") == std::string::npos);
    CHECK_THAT(
        refusal(replaced(text, "https://x.example", "http://x.example")),
        Contains("would send the token unencrypted"));
    CHECK_NOTHROW(parse(replaced(text, "https://x.example", "http://127.0.0.1:80")));
    CHECK_THAT(refusal(replaced(text, file.string(), "/dev/null")), Contains("which is no file"));
}

TEST_CASE("The example config is accepted as it stands", "[service][config]") {
    CHECK(load_config(example_file.string()).projects.size() == 5);
}

TEST_CASE("The example config is right and knows every key", "[service][config]") {
    const test::ScratchFolder folder;
    const auto text = example(folder.path());
    const auto config = parse_config(text, "vigild.example.json");
    CHECK(config.projects.size() == 6);  // and that of the self-test
    CHECK(config.projects.at("self-test").matrix.at(0).machine_classes.at(0) == "xeon");
    for (const auto& key : list_keys()) {
        CAPTURE(key.path);
        const auto last = key.path.substr(key.path.rfind('.') + 1);
        if (last.starts_with('<') || last.ends_with("[]")) continue;
        CHECK(text.find("\"" + last + "\"") != text.npos);
    }
}

TEST_CASE("The effective config has every key and reads as itself", "[service][config]") {
    const test::ScratchFolder folder;
    const auto config = parse_config(example(folder.path()), "vigild.example.json");
    const auto effective = effective_config(config);
    CHECK(effective_config(parse_config(effective, "vigild.example.json")) == effective);
    const auto value = wire::parse_json(effective, "the effective config");
    CHECK(value["http"]["port"] == 8321);
    CHECK(value["projects"]["drops"]["runs_per_night"] == 3);
    CHECK(value["projects"]["compiler"]["source"]["dist_tag"] == "latest");
    CHECK(
        value["projects"]["tensors"]["suites"]["core"]["mlp"]["variants"]["train"]["limits"]
             ["wall_time_s"] == 1200);
    for (const auto& key : list_keys()) {
        CAPTURE(key.path);
        const auto last = key.path.substr(key.path.rfind('.') + 1);
        if (last.starts_with('<') || last.ends_with("[]")) continue;
        CHECK(effective.find("\"" + last + "\"") != effective.npos);
    }
}

TEST_CASE("A config that is not there is named", "[service][config]") {
    CHECK_THROWS_WITH(load_config("no/such/file.json"), Contains("no/such/file.json"));
    CHECK_THROWS_WITH(load_config("/tmp"), Contains("/tmp") && Contains("cannot be read"));
}
