#include "service/cli/ask/summarize.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "tests/unit/service/cli/said.hpp"

using namespace vigil;
using namespace vigil::cli;
using Catch::Contains;
using nlohmann::json;

namespace {

test::Said summarize(std::vector<std::string> args, const std::string& input = "") {
    args.insert(args.begin(), "summarize");
    return test::say(args, input);
}

const std::string examples = std::string(VIGIL_SOURCE_DIR) + "/tests/data/tables/";

json run_json(const std::string& variant, const std::string& outcome, double wall_ns) {
    return {
        {"project", "lab"},
        {"machine_class", "xeon"},
        {"purpose", "nightly"},
        {"benchmark", "mlp"},
        {"variant", variant},
        {"outcome", outcome},
        {"measurements",
         {{{"metric", "wall_time_ns"}, {"unit", "ns"}, {"median", wall_ns}},
          {{"metric", "cpu_time_ns"}, {"unit", "ns"}, {"median", 7.0}},
          {{"metric", "peak_alloc_bytes"}, {"unit", "bytes"}, {"median", wall_ns / 10}}}}};
}

std::string source_text(const std::string& name) {
    std::ifstream file(std::string(VIGIL_SOURCE_DIR) + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// What `tests/data/published_claims.md` claims of a published number.
struct Claim {
    std::string published;  ///< "91%", "1.04x", "17.21"
    std::vector<std::string> command;
    std::string where;  ///< "dashboard.torchbench.runner_v1.speedup"
};

std::vector<std::string> parts_of(const std::string& text, char between) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, between);) parts.push_back(part);
    return parts;
}

std::string without_marks(std::string text) {
    std::erase_if(text, [](char c) { return c == '`'; });
    const auto begin = text.find_first_not_of(' ');
    return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::vector<Claim> published_claims() {
    std::vector<Claim> claims;
    for (const auto& line : parts_of(source_text("tests/data/published_claims.md"), '\n')) {
        const auto cells = parts_of(line, '|');
        if (cells.size() != 4 || cells[2].find("vigil summarize ") == std::string::npos) continue;
        auto command = parts_of(without_marks(cells[2]), ' ');
        command.erase(command.begin(), command.begin() + 2);
        for (auto& word : command) {
            if (word.starts_with("tests/")) word.insert(0, std::string(VIGIL_SOURCE_DIR) + "/");
        }
        claims.push_back({without_marks(cells[1]), command, without_marks(cells[3])});
    }
    return claims;
}

/// "a.b", and "a[model=x][batch=-1].b" for the one element of a list that says so.
json value_at(json value, const std::string& where) {
    for (const auto& step : parts_of(where, '.')) {
        auto words = parts_of(step, '[');
        value = value.at(words.front());
        for (std::size_t i = 1; i < words.size(); ++i) {
            const auto equals = words[i].find('=');
            const auto name = words[i].substr(0, equals);
            const auto wanted = words[i].substr(equals + 1, words[i].size() - equals - 2);
            json left = json::array();
            for (const auto& one : value) {
                const auto said = one.value(name, json());
                if ((said.is_string() ? said.get<std::string>() : said.dump()) == wanted) {
                    left.push_back(one);
                }
            }
            value = left;
        }
        if (words.size() > 1) {
            REQUIRE(value.size() == 1);
            const json only = value.front();
            value = only;
        }
    }
    return value;
}

}  // namespace

TEST_CASE("Every published number that is claimed follows from its rows", "[service][cli]") {
    const auto claims = published_claims();
    REQUIRE(claims.size() == 96);
    std::map<std::string, json> printed;  // by file
    for (const auto& claim : claims) {
        auto command = claim.command;
        INFO(claim.where);
        const auto [at, is_new] = printed.try_emplace(command.front());
        command.emplace_back("--json");
        if (is_new) at->second = json::parse(summarize(command).out);
        const double value = value_at(at->second, claim.where).get<double>();
        const auto digits = claim.published.substr(0, claim.published.find_first_of("x%"));
        const auto point = digits.find('.');
        const int decimals = point == digits.npos ? 0 : static_cast<int>(digits.size() - point - 1);
        const bool percent = claim.published.ends_with('%');
        CHECK(text::rounded(percent ? 100 * value : value, decimals) == digits);
    }
}

TEST_CASE("Two files are held against each other", "[service][cli]") {
    const std::string head = "dev,name,batch_size,speedup,abs_latency,accuracy\n";
    const std::string old = head + "cpu,a,1,1.5,10,pass\ncpu,b,1,1.5,10,pass\ncpu,c,1,1,1,pass\n";
    const auto file = std::filesystem::temp_directory_path() /
                      ("vigil-against-" + std::to_string(::getpid()) + ".csv");
    std::ofstream(file) << old;
    const std::string later = head + "cpu,a,1,1.5,12,pass\ncpu,b,1,0,0,fail_to_run\n";
    const auto text = summarize({"-", "--against", file.string()}, later);
    CHECK(text.code == 0);
    CHECK_THAT(text.out, Contains("## New failures") && Contains("pass -> fail_to_run"));
    CHECK_THAT(text.out, Contains("+20.0%") && Contains("## Only before"));
    const auto value =
        json::parse(summarize({"-", "--against", file.string(), "--json"}, later).out);
    CHECK(value.at("worse").at(0).at("change_ratio").get<double>() == Approx(0.2));
    CHECK(value.at("new_failures").at(0).at("model") == "b");
    CHECK(value.at("only_before").size() == 1);
    const auto wide = json::parse(
        summarize({"-", "--against", file.string(), "--json", "--threshold", "30%"}, later).out);
    CHECK(wide.at("worse").empty());
    CHECK(summarize({"-", "--against", file.string()}, "name,speedup\nz,1\n").code == 5);
    CHECK(summarize({"--against", "x"}).code == 2);
    std::filesystem::remove(file);
}

TEST_CASE("A dashboard's file is summarised with its headlines and models", "[service][cli]") {
    const auto whole = summarize({examples + "dashboard.json"});
    CHECK(whole.code == 0);
    CHECK_THAT(whole.out, Contains("| runner_v1 | 1.31x | 1.01x |"));
    CHECK_THAT(whole.out, Contains("## alpha suite: models"));
    CHECK(whole.err.empty());
    const auto short_one =
        summarize({examples + "dashboard.json", "--headline", "--rule", "hud_v2"});
    CHECK_THAT(short_one.out, Contains("1.04x") && !Contains("models") && !Contains("runner_v1"));
}

TEST_CASE("Several files are one list, - is standard input", "[service][cli]") {
    const auto both = summarize(
        {examples + "dashboard.json", "-", "--json"},
        "suite,model,speedup,status\nalpha,more,4,pass\n");
    CHECK(both.code == 0);
    const auto value = json::parse(both.out);
    CHECK(value.at("dashboard").at("alpha").at("runner_v1").at("total") == 6);
}

TEST_CASE("Control characters of a file never reach the terminal", "[service][cli]") {
    const auto said = summarize({"-"}, "model,speedup\na\x1b[2Jb,1\n");
    CHECK(said.code == 0);
    CHECK_THAT(said.out, Contains("a[2Jb") && !Contains("\x1b"));
}

TEST_CASE("What cannot be summarised is said in one line", "[service][cli]") {
    CHECK(summarize({"/no/such/file"}).code == 4);
    CHECK(summarize({"-"}, "{").code == 4);
    CHECK(summarize({"-"}, "words\n").code == 5);
    CHECK(summarize({"-", "--rule", "best"}).code == 2);
    CHECK_THAT(summarize({"-", "--rule", "best"}).err, Contains("runner_v1"));
    CHECK(summarize({"--nightly", "x"}).code == 2);
    CHECK(summarize({"-", "--nightly", "1"}).code == 2);
    CHECK(summarize({"/"}).code != 0);
}

TEST_CASE("The rule may be called paired", "[service][cli]") {
    CHECK_THAT(
        summarize({examples + "dashboard.json", "--rule=paired"}).out, Contains("paired_v1"));
}

TEST_CASE("Processes of a night are one result a variant, by their medians", "[service][cli]") {
    tables::NightResults night;
    for (const double wall_ns : {3e6, 1e6, 2e6})
        night.add(*cli::night_run_of(run_json("infer-jit-b4", "passed", wall_ns)));
    night.add(*cli::night_run_of(run_json("infer-eager-b4", "passed", 4e6)));
    auto other = run_json("infer-jit-b4", "passed", 9e9);
    other["purpose"] = "confirm";
    CHECK_FALSE(cli::night_run_of(other));
    CHECK_FALSE(cli::night_run_of(json::array()));
    const auto list = night.take();
    REQUIRE(list.results().size() == 2);
    const auto& jit = list.results()[1];
    CHECK(jit.suite == "lab on xeon");
    CHECK(jit.backend == "jit");
    CHECK(jit.batch == 4);
    CHECK(jit.get(tables::Field::time_s) == Approx(2e-3));
    CHECK(jit.get(tables::Field::peak_bytes) == Approx(2e5));
    const auto summary = tables::summarize(list, {});
    CHECK(*summary.dashboard.at(0).headlines[0].speedup.value == Approx(2.0));
}

TEST_CASE("What the runs of a night said beside their samples is in the tables", "[service][cli]") {
    tables::NightResults night;
    for (const double compile_ns : {2e9, 4e9}) {
        auto run = run_json("jit", "passed", 1e6);
        run["said"] = {
            {{"name", "compile_time_ns"}, {"value", compile_ns}},
            {{"name", "leak"}, {"value", 12}},
            {{"name", "batch"}, {"value", 16}},
            {{"name", "instructions"}, {"value", nullptr}, {"text", "no counter"}}};
        night.add(*cli::night_run_of(run));
    }
    const auto list = night.take();
    const auto& result = list.results().at(0);
    CHECK(result.get(tables::Field::compile_s) == 3);
    CHECK(result.get(tables::Field::leak_bytes) == 12);
    CHECK(result.batch == 16);
    CHECK(result.facts.at("variant") == "jit");
}

TEST_CASE("One failed process is a failed result", "[service][cli]") {
    tables::NightResults night;
    for (const auto* outcome : {"passed", "oom", "passed"}) {
        night.add(*cli::night_run_of(run_json("jit", outcome, 1e6)));
    }
    CHECK(night.take().results().at(0).status == "oom");
}

TEST_CASE("What the same night measured again and did not find is not counted", "[service][cli]") {
    tables::ResultChanges changes;
    const auto pair = [](const std::string& model, const std::string& number, double ratio) {
        return tables::NumberPair{
            model, "-", "infer", number, 100, 100 * (1 + ratio), ratio, "infer", ""};
    };
    changes.worse = {
        pair("noisy", "cpu_time_s", 0.3),
        pair("slow", "cpu_time_s", 0.25),
        pair("unasked", "cpu_time_s", 0.2),
        pair("fat", "peak_bytes", 0.2)};
    changes.better = {pair("lucky", "time_s", -0.2)};
    const auto asked = [](const char* model, const char* metric, json low, double high, int runs) {
        return json{
            {"benchmark", model},
            {"variant", "infer"},
            {"metric", metric},
            {"confirmed", {{"low", low}, {"high", high}, {"runs_after", runs}}}};
    };
    take_out_noise(
        changes,
        json::array(
            {asked("noisy", "cpu_time_ns", -0.01, 0.02, 8),
             asked("slow", "cpu_time_ns", 0.2, 0.3, 8),
             asked("unasked", "wall_time_ns", -0.01, 0.01, 8),
             asked("fat", "peak_process_bytes", nullptr, 0.1, 4),
             asked("lucky", "wall_time_ns", -0.02, 0.01, 8),
             {{"benchmark", "slow"}, {"variant", "infer"}, {"confirmed", json::object()}}}));
    REQUIRE(changes.worse.size() == 2);
    CHECK(changes.worse[0].model == "slow");
    CHECK(changes.worse[1].model == "unasked");
    CHECK(changes.better.empty());
    CHECK(changes.noise.size() == 3);
    CHECK_THAT(tables::changes_text(changes), Contains("Measured again that night, and not there"));
}
