#include <cmath>
#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/harness/read.hpp"
#include "schema/model/error.hpp"
#include "service/cli/history/benchmark_files.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/unit/service/cli/said.hpp"

using namespace vigil;
using Catch::Contains;
using cli::HistoryFile;
using cli::NamedText;
using nlohmann::json;

namespace {

json repetition(const std::string& name, double time, const std::string& unit = "ns") {
    return {
        {"name", name},
        {"run_name", name},
        {"run_type", "iteration"},
        {"real_time", time},
        {"cpu_time", time},
        {"time_unit", unit}};
}

json google_file(const std::string& date, const std::vector<json>& benchmarks) {
    return {
        {"context", {{"date", date}, {"host_name", "m1"}, {"num_cpus", 8}}},
        {"benchmarks", benchmarks}};
}

json hyperfine_file(const std::string& command, const std::vector<double>& times) {
    return {{"results", {{{"command", command}, {"mean", 9.0}, {"times", times}}}}};
}

HistoryFile read_files(const std::vector<json>& documents) {
    std::vector<NamedText> files;
    for (std::size_t i = 0; i < documents.size(); ++i) {
        files.push_back({fmt::format("{}.json", i + 1), documents[i].dump(2)});
    }
    return cli::read_benchmark_files(files);
}

std::string files_refusal_of(const std::vector<json>& documents) {
    try {
        read_files(documents);
    } catch (const Error& error) {
        CHECK(error.code() == Errc::invalid_argument);
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("Files of Google Benchmark become one history a benchmark", "[service][cli]") {
    const auto file = read_files(
        {google_file(
             "2026-03-01T04:05:06+02:00",
             {repetition("BM_A/8", 3, "us"),
              repetition("BM_A/8", 1, "us"),
              repetition("BM_A/8", 2, "us"),
              repetition("BM_B", 70)}),
         google_file("2026-03-02T04:05:06+02:00", {repetition("BM_A/8", 2500)}),
         google_file("2026/03/03-04:05:06", {repetition("BM_B", 0.08, "us")})});
    REQUIRE(file.series.size() == 2);
    const auto& a = file.series[0];
    CHECK(a.name == "BM_A/8");
    CHECK(a.direction == Direction::lower_is_better);
    CHECK(
        a.nights == std::vector<std::string>{
                        "2026-03-01T02:05:06Z", "2026-03-02T02:05:06Z", "2026-03-03T04:05:06Z"});
    CHECK(a.values[0] == Approx(2));
    CHECK(a.samples.at(0).size() == 3);
    CHECK(a.values[1] == Approx(2.5));  // in the unit of its first night
    CHECK(std::isnan(a.values[2]));
    CHECK(file.series[1].values[2] == Approx(80));
    REQUIRE(file.notes.size() == 1);
    CHECK_THAT(file.notes[0], Contains("2 of 2 benchmarks were not measured on every night"));
}

TEST_CASE("Aggregates count only where there is nothing else", "[service][cli]") {
    const auto aggregate = [](const std::string& what, double time) {
        json one = repetition("BM_A_" + what, time);
        one["run_name"] = "BM_A";
        one["run_type"] = "aggregate";
        one["aggregate_name"] = what;
        return one;
    };
    const auto alone = read_files({google_file(
        "2026-03-01",
        {aggregate("median", 5),
         aggregate("mean", 7),
         aggregate("stddev", 1),
         aggregate("cv", 0)})});
    REQUIRE(alone.series.size() == 1);
    CHECK(alone.series[0].values == std::vector<double>{5});
    const auto beside =
        read_files({google_file("2026-03-01", {repetition("BM_A", 6), aggregate("median", 5)})});
    CHECK(beside.series[0].values == std::vector<double>{6});
}

TEST_CASE("Files of hyperfine are nights in the order they are given", "[service][cli]") {
    json failed = hyperfine_file("./mlp", {1.5, 9});
    failed["results"][0]["exit_codes"] = {0, 1};
    json untimed{{"results", {{{"command", "./mlp"}, {"mean", 4.0}, {"median", 3.5}}}}};
    const auto file = read_files({hyperfine_file("./mlp", {1.25, 1.5, 1}), failed, untimed});
    REQUIRE(file.series.size() == 1);
    CHECK(file.series[0].nights == std::vector<std::string>{"1", "2", "3"});
    CHECK(file.series[0].values == std::vector<double>{1.25, 1.5, 3.5});
    REQUIRE(file.notes.size() == 1);
    CHECK_THAT(file.notes[0], Contains("1 repetition ended with an error"));
}

TEST_CASE("Files out of their dates' order are sorted, and it is said", "[service][cli]") {
    auto first = google_file("2026-03-01", {repetition("a", 1)});
    auto second = google_file("2026-03-02", {repetition("a", 2)});
    second["context"]["host_name"] = "m2";
    second["context"]["num_cpus"] = 16;
    const auto file = read_files({second, first});
    CHECK(file.series[0].values == std::vector<double>{1, 2});
    CHECK(file.series[0].moves_at(1));
    REQUIRE(file.notes.size() == 2);
    CHECK_THAT(file.notes[0], Contains("sorted"));
    CHECK_THAT(file.notes[1], Contains("2 machines"));
    second["context"].erase("date");
    const auto numbered = read_files({second, first});
    CHECK(numbered.series[0].nights == std::vector<std::string>{"1", "2"});
    CHECK_THAT(numbered.notes[0], Contains("1.json says no date"));
}

TEST_CASE("A benchmark that failed was not measured that night", "[service][cli]") {
    json failed = repetition("a", 0);
    failed["error_occurred"] = true;
    const auto file = read_files(
        {google_file("2026-03-01", {repetition("a", 1)}), google_file("2026-03-02", {failed})});
    CHECK(std::isnan(file.series[0].values[1]));
    CHECK_THAT(file.notes[0], Contains("1 repetition ended with an error"));
}

TEST_CASE("A benchmark file that cannot be used is refused with its place", "[service][cli]") {
    const auto one = [](json entry) {
        return files_refusal_of({google_file("2026-03-01", {std::move(entry)})});
    };
    CHECK_THAT(one(repetition("a", -1)), Contains("reading 1.json: file.benchmarks[0].real_time"));
    CHECK_THAT(one(repetition("a", 1, "fortnights")), Contains("time_unit must be ns, us"));
    CHECK_THAT(one(repetition("", 1)), Contains("a benchmark without a name"));
    CHECK_THAT(one({{"name", 7}}), Contains("file.benchmarks[0].name must be a string"));
    CHECK_THAT(
        files_refusal_of({google_file("soon", {repetition("a", 1)})}),
        Contains("context.date is no"));
    CHECK_THAT(
        files_refusal_of({google_file("7", {repetition("a", 1)})}), Contains("context.date is no"));
    CHECK_THAT(files_refusal_of({google_file("2026-03-01", {})}), Contains("holds no benchmark"));
    CHECK_THAT(files_refusal_of({{{"benchmarks", 7}}}), Contains("none of the known formats"));
    CHECK_THAT(files_refusal_of({hyperfine_file("a", {-1})}), Contains("file.results[0].times[0]"));
    CHECK_THAT(
        files_refusal_of(
            {google_file("2026-03-01", {repetition("a", 1)}), hyperfine_file("a", {1})}),
        Contains("1.json and 2.json are of different programs"));
    const auto night = google_file("2026-03-01", {repetition("a", 1)});
    CHECK_THAT(files_refusal_of({night, night}), Contains("the same night twice"));
    const auto hostile = [](const std::string& text) {
        try {
            cli::read_benchmark_files({{"h.json", text}});
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK_THAT(hostile("{\"results\":" + std::string(100'000, '[')), Contains("h.json"));
    CHECK_THAT(hostile("{\"results\":[],\"results\":[]}"), Contains("h.json"));
    CHECK_THAT(hostile("{\"results\":[{\"command\":\"a\",\"mean\":NaN}]}"), Contains("h.json"));
    CHECK_THAT(hostile("{\"results\":[{\"command\":\"a\",\"mean\":1e999}]}"), Contains("h.json"));
}

TEST_CASE("Of many files those that cannot be used are left out and named", "[service][cli]") {
    const auto night = [](int day, json results) {
        return json{
            {"commit_hash", std::string(40, 'a')},
            {"env_name", "py3.12"},
            {"date", 1'700'000'000'000 + day * 86'400'000LL},
            {"params", {{"machine", "m"}, {"cpu", "x"}}},
            {"result_columns", {"result", "params", "version"}},
            {"results", std::move(results)},
            {"version", 2}};
    };
    const json ran = {{"b.time_scan", {{3.5}, json::array(), "v"}}};
    const json failed = {{"b.time_scan", {nullptr, json::array(), "v"}}};
    const json machine = {{"arch", "arm64"}, {"machine", "m"}, {"num_cpu", "8"}, {"version", 1}};
    const auto file = read_files(
        {night(0, ran), machine, night(1, failed), night(2, ran), night(3, json::object())});
    REQUIRE(file.series.size() == 1);
    CHECK(file.series[0].name == "b.time_scan [py3.12]");
    REQUIRE(file.series[0].values.size() == 4);
    CHECK(file.series[0].values[0] == 3.5);
    CHECK(std::isnan(file.series[0].values[1]));
    CHECK(file.series[0].values[2] == 3.5);
    const auto notes = fmt::format("{}", fmt::join(file.notes, "\n"));
    CHECK_THAT(notes, Contains("left out: reading 2.json: asv's description of a machine"));
    CHECK_THAT(notes, Contains("3.json: nothing was measured in this night"));
    CHECK_THAT(notes, Contains("5.json: nothing was measured in this night"));
    CHECK_THAT(files_refusal_of({machine, machine}), Contains("1.json: asv's description"));
}

TEST_CASE("Two environments of one time are two series of one night", "[service][cli]") {
    const auto report = [](const std::string& environment, double value) {
        return json{
            {"commit_hash", std::string(40, 'b')},
            {"env_name", environment},
            {"date", 1'700'000'000'000},
            {"result_columns", {"result"}},
            {"results", {{"b.time_scan", json::array({value})}}}};
    };
    const auto file = read_files({report("py3.11", 4), report("py3.13", 2)});
    REQUIRE(file.series.size() == 2);
    CHECK(file.series[0].values == std::vector<double>{4});
    CHECK(file.series[1].values == std::vector<double>{2});
    CHECK_THAT(
        files_refusal_of({report("py3.11", 4), report("py3.11", 5)}),
        Contains("the same night twice"));
}

TEST_CASE("A history is not taken for a benchmark's file", "[service][cli]") {
    CHECK(harness::is_report(google_file("2026-03-01", {}).dump()));
    CHECK(harness::is_report("\xEF\xBB\xBF\n" + hyperfine_file("a", {1}).dump(4)));
    CHECK_FALSE(harness::is_report(""));
    CHECK_FALSE(harness::is_report("night,value\n1,2\n"));
    CHECK_FALSE(harness::is_report("{\"series\":\"results\",\"night\":1,\"value\":2}"));
    CHECK_FALSE(harness::is_report("{\"values\":[1],\"results\":[2]}"));
    CHECK_FALSE(harness::is_report("{\"results\":{}}"));
}

TEST_CASE("Every quantity of a benchmark is a series", "[service][cli]") {
    json counted = repetition("BM_A", 5);
    counted["items_per_second"] = 200;
    const auto file = read_files({google_file("2026-03-01", {counted})});
    REQUIRE(file.series.size() == 2);
    CHECK(file.series[1].name == "BM_A items_per_second");
    CHECK(file.series[1].direction == Direction::higher_is_better);
    const auto table = cli::read_benchmark_files(
        {{"t.csv",
          "benchmark,time,value,definition\na,2026-03-02,2,v1\na,2026-03-01,1,v1\n"
          "a,2026-03-03,9,v2\n"}});
    REQUIRE(table.series.size() == 2);
    CHECK(table.series[0].values[0] == 1);
    CHECK(table.series[0].values[1] == 2);
    CHECK(table.series[1].name == "a (definition v2)");
}

TEST_CASE("Help names every format that is read", "[service][cli]") {
    for (const char* command : {"import", "detect"}) {
        const auto help = test::say({command, "--help"});
        CHECK(help.code == 0);
        for (const auto& [harness, name] : enum_names<harness::Harness>) {
            CHECK_THAT(help.out, Contains(std::string(name)));
        }
    }
}

TEST_CASE("Benchmark files of many nights are judged like a history", "[service][cli]") {
    const test::ScratchFolder folder;
    std::vector<std::string> args{"detect"};
    for (int i = 0; i < 30; ++i) {
        const double time = (i < 20 ? 100 : 115) * (1 + 0.004 * (i * 7 % 5 - 2));
        const auto file = folder.path() / fmt::format("{:02}.json", i);
        std::ofstream(file)
            << google_file(fmt::format("2026-03-{:02}", i + 1), {repetition("BM_A", time)}).dump();
        args.push_back(file.string());
    }
    const auto say = [&](std::vector<std::string> more) {
        std::vector<std::string> words = args;
        words.insert(words.end(), more.begin(), more.end());
        const auto said = test::say(words);
        return std::pair{said.code, said.out + said.err};
    };
    const auto [code, text] = say({});
    CHECK(code == 1);
    CHECK_THAT(text, Contains("worse  2026-03-21"));
    CHECK_THAT(say({"--explain", "BM_A", "2026-03-21"}).second, Contains("BM_A, night 2026-03-21"));
    CHECK_THAT(say({"--explain", "--series", "BM_A"}).second, Contains("learning: night 1 of the"));
    const auto other = folder.path() / "history.csv";
    std::ofstream(other) << "night,value\n1,2\n";
    args.push_back(other.string());
    const auto [mixed, why] = say({});
    CHECK(mixed == 1);
    CHECK_THAT(why, Contains("left out: reading") && Contains("history.csv: none of the known"));
    args.back() = "-";
    CHECK(say({}).first == 2);
}
