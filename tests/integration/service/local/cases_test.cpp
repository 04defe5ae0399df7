#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "service/local/answer.hpp"
#include "service/local/bisect.hpp"
#include "service/local/compare.hpp"
#include "service/local/explain.hpp"
#include "service/local/journal.hpp"
#include "tests/integration/service/local/small_repository.hpp"

using namespace vigil;
using namespace vigil::local;
using namespace vigil::local::test;
using Catch::Contains;
using vigil::test::ScratchFolder;

namespace {

/// Prints Google Benchmark's JSON of 30 cases; `v` is what the commit's build made.
/// @param rules  awk, that sets the time `t` of case `i`
std::string program(const std::string& rules, int cases = 30) {
    return fmt::format(
        "awk -v v=$(cat out/value) 'BEGIN{{printf \"{{\\\"context\\\":{{}},\\\"benchmarks\\\":[\"; "
        "for(i=0;i<{};i++){{t=1000+i; n=\"BM_case/\" i; e=\"\"; {} printf "
        "\"%s{{\\\"name\\\":\\\"%s\\\",\\\"run_type\\\":\\\"iteration\\\",\\\"iterations\\\":9,"
        "\\\"real_time\\\":%f,\\\"cpu_time\\\":%f,\\\"time_unit\\\":\\\"us\\\"%s}}\","
        "(i?\",\":\"\"),n,t,t/2,e}} print \"]}}\"}}'",
        cases,
        rules);
}

LocalRequest all_cases(
    const SmallRepository& repository, const ScratchFolder& folder, int back, std::string bench) {
    auto request = request_on(repository, folder / "state", back);
    request.order.measure = Measure::time;
    request.order.bench = std::move(bench);
    return request;
}

const nlohmann::json& case_in(const nlohmann::json& json, const std::string& name) {
    for (const auto& one : json.at("cases")) {
        if (one.at("case") == name) return one;
    }
    FAIL("no case " + name);
    return json;
}

constexpr const char* one_worse_one_better = "if(i==7) t=v; if(i==9) t=1000000/v;";

}  // namespace

TEST_CASE("All cases that a program prints are judged at once", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(3, 2));
    auto request = all_cases(repository, folder, 3, program(one_worse_one_better));
    Scene scene;
    const auto result = compare(request, scene.world);
    CHECK(result.judgement.verdict == Verdict::regression);
    CHECK(result.judgement.comparison.change_ratio == Approx(0.15).margin(0.001));
    const auto text = compare_text(result);
    CHECK_THAT(
        text,
        Contains("worse: 1 of 30 cases") && Contains("BM_case/7") && Contains("+15.0 %") &&
            Contains("1 better; 28 without a change") && Contains("best      BM_case/9 -13.0 %") &&
            Contains("time of each case, as Google Benchmark prints it"));
    const auto json = compare_json(result);
    CHECK(json.at("verdict") == "worse");
    CHECK(json.at("read_as").at("benchmark") == "BM_case/7");
    CHECK(json.at("unit") == "ns");
    REQUIRE(json.at("cases").size() == 30);
    CHECK(case_in(json, "BM_case/7").at("verdict") == "worse");
    CHECK(case_in(json, "BM_case/9").at("verdict") == "better");
    CHECK(case_in(json, "BM_case/12").at("verdict") == "same");
    CHECK(json.at("runs").get<int>() >= 16);
    CHECK_THAT(scene.lines.text(), Contains("30 cases, 2 open; worst so far: BM_case/7 +15.0 %"));

    request.order.select = "BM_case/9";
    Scene one;
    const auto single = compare(request, one.world);
    CHECK(single.judgement.verdict == Verdict::improvement);
    CHECK_FALSE(compare_json(single).contains("cases"));
}

TEST_CASE("CPU time of each case is judged, and a quantity that some have", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(3, 2));
    auto request = all_cases(
        repository,
        folder,
        3,
        program("if(i>4) e=\",\\\"items_per_second\\\":\" (i==7 ? 1000000/v : 1000);"));
    request.order.measure = Measure::quantity;
    request.order.quantity = "items_per_second";
    Scene scene;
    const auto result = compare(request, scene.world);
    CHECK(result.judgement.verdict == Verdict::regression);
    CHECK_THAT(compare_text(result), Contains("worse: 1 of 25 cases"));
    request.order.measure = Measure::cpu;
    request.order.quantity.clear();
    Scene cpu;
    const auto times = compare(request, cpu.world);
    CHECK(times.judgement.verdict == Verdict::noise);
    CHECK_THAT(
        compare_text(times),
        Contains("none of 30 cases is worse beyond the threshold") &&
            Contains("CPU time of each case"));
    request.order.measure = Measure::quantity;
    request.order.quantity = "cycles";
    CHECK_THROWS_WITH(compare(request, cpu.world), Contains("--metric cycles"));
}

TEST_CASE("Cases of one side, and those that fail, are listed and not judged", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(3, 2));
    const std::string fails =
        "e=\",\\\"error_occurred\\\":true,\\\"error_message\\\":\\\"no data\\\"\"";
    auto request = all_cases(
        repository,
        folder,
        3,
        program(
            "if(i==3) n=\"BM_named_\" v; if(i==5 && v>1000) " + fails + "; if(i==6) " + fails +
            ";"));
    Scene scene;
    const auto result = compare(request, scene.world);
    CHECK(result.judgement.verdict == Verdict::noise);
    const auto text = compare_text(result);
    CHECK_THAT(
        text,
        Contains("none of 27 cases") && Contains("only good BM_named_1000, BM_case/5") &&
            Contains("only bad  BM_named_1150") && Contains("no value  BM_case/6"));
    const auto json = compare_json(result);
    CHECK_THAT(case_in(json, "BM_case/5").at("reason").get<std::string>(), Contains("no data"));
    CHECK(case_in(json, "BM_named_1150").at("verdict") == "only_bad");

    request.order.bench = program("n=\"BM_\" v \"_\" i;");
    CHECK_THROWS_WITH(compare(request, scene.world), Contains("no case in common"));
}

TEST_CASE("Of very many cases the first 5000 are taken, with plain names", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(3, 2));
    auto request = all_cases(
        repository, folder, 3, program("if(i==2) {t=v*v*v; n=\"\\\\u001b[31mBM\\\\n2\"}", 6000));
    request.max_blocks = 1;
    Scene scene;
    const auto result = compare(request, scene.world);
    CHECK(result.judgement.verdict == Verdict::regression);
    REQUIRE(result.cases);
    CHECK(result.cases->counts.cases == 5000);
    CHECK(result.cases->counts.left_out == 1000);
    const auto text = compare_text(result) + scene.lines.text();
    CHECK_THAT(text, Contains("1000 left out") && !Contains("\x1b"));
}

TEST_CASE("A search is about the case with the largest change", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(6, 4));
    auto request = all_cases(
        repository, folder, 6, program("if(i==7) t=v*v; if(i==8) t=v; if(i==9) t=1000000/v;"));
    Scene scene;
    const auto result = bisect(request, scene.world);
    REQUIRE(result.decision.done);
    CHECK(result.decision.endings.front().ending == search::Ending::culprit);
    CHECK(result.decision.endings.front().first == 4);
    CHECK(result.story.order().select == "BM_case/7");
    const auto text = answer_text({{result.story, result.decision}});
    CHECK_THAT(
        text,
        Contains("searched BM_case/7; all cases between the ends: worse: 2 of 30 cases") &&
            Contains("--case BM_case/7") && Contains("BM_case/8") && Contains("BM_case/9"));
    const auto json = answer_json({{result.story, result.decision}});
    CHECK(json.at("chosen_case").at("case") == "BM_case/7");
    CHECK(json.at("chosen_case").at("worse") == 2);
    CHECK(json.at("chosen_case").at("others").size() == 2);

    const auto log = read_log(result.log);
    for (const auto& entry : log) {
        CHECK(write_entry(parse_entry(write_entry(entry), "it")) == write_entry(entry));
    }
    CHECK(replay(log).difference.empty());
    CHECK_THAT(explain(log, 60), Contains("searched BM_case/7"));
    Scene again;
    const auto told = bisect(request, again.world);
    CHECK(told.story.order().select == "BM_case/7");
    CHECK(told.story.runs() == result.story.runs());
    CHECK(told.log == result.log);

    request.order.better = true;
    Scene better;
    const auto improved = bisect(request, better.world);
    CHECK(improved.story.order().select == "BM_case/9");
    CHECK(improved.decision.endings.front().first == 4);
}

TEST_CASE("A search that is stopped goes on with the case it chose", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(6, 4));
    auto request = all_cases(repository, folder, 6, program("if(i==7) t=v;"));
    // Before the cases are measured, while they are, and later.
    for (const int lines : {4, 7, 14}) {
        Scene scene;
        scene.lines.stop_after(lines);
        CHECK(bisect(request, scene.world).stopped);
    }
    Scene scene;
    const auto result = bisect(request, scene.world);
    CHECK_FALSE(result.stopped);
    CHECK(result.story.order().select == "BM_case/7");
    CHECK(result.decision.endings.front().first == 4);
    CHECK(replay(read_log(result.log)).difference.empty());
}

TEST_CASE(
    "Where no case differs the change is not reproduced, with the counts", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", step_at(4, 2));
    const auto request = all_cases(repository, folder, 4, program(""));
    Scene scene;
    const auto result = bisect(request, scene.world);
    REQUIRE(result.decision.done);
    CHECK(result.decision.endings.front().ending == search::Ending::not_reproduced);
    CHECK_THAT(
        answer_text({{result.story, result.decision}}),
        Contains("none of 30 cases is worse") && Contains("30 without a change"));
}
