#include "service/tables/summary.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "service/tables/night.hpp"
#include "service/tables/read.hpp"

using namespace vigil::tables;
using Catch::Contains;

namespace {

std::string example(const std::string& name) {
    std::ifstream file(std::string(VIGIL_SOURCE_DIR) + "/tests/data/tables/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The golden file's text; with VIGIL_UPDATE_GOLDEN set it is written anew first.
std::string golden_tables(const std::string& name, const std::string& actual) {
    if (std::getenv("VIGIL_UPDATE_GOLDEN") != nullptr) {
        std::ofstream(std::string(VIGIL_SOURCE_DIR) + "/tests/data/tables/" + name) << actual;
    }
    return example(name);
}

Summary summary_of(const std::string& text, const SummaryWishes& wishes = {}) {
    ResultList list;
    read_results(text, "file", list);
    return summarize(list, wishes);
}

std::string text_of(const std::string& text) {
    return summary_text(summary_of(text), Detail::models);
}

}  // namespace

TEST_CASE("A dashboard prints as its golden file", "[service][tables]") {
    const std::string text = text_of(example("dashboard.json"));
    CHECK(text == golden_tables("dashboard.golden.md", text));
    CHECK_THAT(text, Contains("60%, 3/5"));
    CHECK_THAT(text, Contains("1.31x"));  // runner_v1: cube root of 2 x 1 x 1.125
    CHECK_THAT(text, Contains("1.04x"));  // hud_v2: cube root of 2 x 0.5 x 1.125
    CHECK_THAT(text, Contains("15.00"));  // (10.005 + 20) / 2 = 15.0025
}

TEST_CASE("What the runner posts is read as the same dashboard", "[service][tables]") {
    const auto summary = summary_of(example("runner.md"));
    REQUIRE(summary.dashboard.size() == 1);
    CHECK(summary.dashboard[0].label == "alpha");
    const Headline& line = summary.dashboard[0].headlines[0];
    CHECK(line.passing == 1);
    CHECK(line.total == 2);
    CHECK(line.speedup.value == 2.0);
    CHECK(line.compile_s.value == 10.5);
    CHECK(line.memory_ratio.value == 1.25);
}

TEST_CASE("What is printed is read back to the same headlines", "[service][tables]") {
    const auto first = summary_of(example("dashboard.json"));
    for (const std::string& again :
         {summary_text(first, Detail::models), summary_json(first).dump()}) {
        const auto second = summary_of(again);
        REQUIRE(second.dashboard.size() == 2);
        for (std::size_t i = 0; i < 2; ++i) {
            CHECK(second.dashboard[i].label == first.dashboard[i].label);
            for (std::size_t rule = 0; rule < 3; ++rule) {
                const Headline& a = first.dashboard[i].headlines[rule];
                const Headline& b = second.dashboard[i].headlines[rule];
                CHECK(b.passing == a.passing);
                CHECK(b.total == a.total);
                CHECK(b.speedup.value == a.speedup.value);
                CHECK(b.compile_s.value == a.compile_s.value);
                CHECK(b.memory_ratio.value == a.memory_ratio.value);
            }
        }
    }
}

TEST_CASE(
    "JSON has the numbers unrounded, by rule, with whom they leave out", "[service][tables]") {
    const auto value = summary_json(summary_of(example("dashboard.json")));
    const auto& alpha = value.at("dashboard").at("alpha").at("runner_v1");
    CHECK(alpha.at("compile_s").get<double>() == Approx(15.0025).epsilon(1e-12));
    CHECK(alpha.at("pass_rate").get<double>() == 0.6);
    CHECK(alpha.at("left_out").at("compile_s").size() == 3);
    CHECK(value.at("dashboard").at("beta").at("hud_v2").at("speedup").get<double>() == 1.005);
}

TEST_CASE("Speedup and memory ratio follow from pairs of backends", "[service][tables]") {
    const std::string csv =
        "model,mode,backend,batch,status,time_ms,peak_mib\n"
        "a,infer,eager,1,pass,10,100\na,infer,jit,1,pass,5,80\n"
        "b,infer,eager,1,pass,10,100\nb,infer,jit,1,oom,,\n"
        "c,infer,eager,1,oom,,\nc,infer,jit,1,pass,4,10\n"
        "d,infer,jit,1,pass,4,10\n";
    const auto summary = summary_of(csv);
    REQUIRE(summary.dashboard.size() == 1);
    const Headline& line = summary.dashboard[0].headlines[0];
    CHECK(line.total == 4);
    CHECK(line.passing == 1);
    CHECK(line.speedup.value == 2.0);
    CHECK(line.memory_ratio.value == 1.25);
    REQUIRE(line.failing.size() == 3);
    CHECK(line.failing[0].why == "oom");
    CHECK(line.failing[1].why == "eager: oom");
    CHECK(line.failing[2].why == "no speedup");

    SummaryWishes other;
    other.base = "jit";
    CHECK(*summary_of(csv, other).dashboard[0].headlines[1].speedup.value == Approx(0.5));
}

TEST_CASE("Times by batch have OOM cells and a gain over the pairs", "[service][tables]") {
    const std::string text = text_of(
        "model,batch,\"jit, ms\",\"eager, ms\"\n"
        "vit,16,OOM,40\nvit,1,5,10\nbeit,1,8,9\n");
    CHECK(text == golden_tables("batches.golden.md", text));
    CHECK_THAT(text, Contains("OOM"));
    CHECK_THAT(
        text,
        Contains("eager / jit: 1.50x (paired_v1, geometric mean of 2); left out: vit "
                 "(batch 16) (jit: OOM)"));
    const auto again = summary_of(text);
    REQUIRE(again.batches.size() == 1);
    CHECK(*again.batches[0].gains[0].speedup.value == Approx(1.5));
}

TEST_CASE("Scaling has AIME's factor and the parallel efficiency", "[service][tables]") {
    CHECK(scaling_factor(100, 190, 2) == Approx(0.9));
    CHECK(scaling_factor(100, 400, 4) == Approx(1.0));
    CHECK(scaling_factor(100, 100, 8) == Approx(0.0));
    CHECK(parallel_efficiency(100, 190, 2) == Approx(0.95));
    const std::string text = text_of(
        "model,batch,gpus,\"Throughput, 1/s\"\n"
        "resnet50,64,4,340\nresnet50,64,1,100\nresnet50,64,2,190\nbert,64,4,30\n");
    CHECK(text == golden_tables("scaling.golden.md", text));
    CHECK_THAT(text, Contains("4 GPUs: scaling factor 0.800, parallel efficiency 85.0%"));
    CHECK_THAT(text, Contains("left out: bert (not measured alone)"));
    CHECK(summary_of(text).scaling.at(0).means.size() == 2);
}

TEST_CASE("Headlines alone leave out the rows of models", "[service][tables]") {
    const auto summary = summary_of(
        "model,batch,gpus,throughput,\"eager, ms\",\"jit, ms\"\na,64,1,100,4,2\na,64,2,180,2,1\n");
    const std::string text = summary_text(summary, Detail::headlines);
    CHECK_THAT(text, Contains("2 GPUs: scaling factor 0.800") && Contains("eager / jit: 2.00x"));
    CHECK_THAT(text, !Contains("| a "));
    CHECK_THAT(summary_text(summary, Detail::models), Contains("| a "));
}

TEST_CASE("Threads scale too, from the time of a step", "[service][tables]") {
    const auto summary = summary_of("model,batch,threads,time_ms\na,8,1,10\na,8,4,5\n");
    REQUIRE(summary.scaling.size() == 1);
    CHECK(summary.scaling[0].workers == "Threads");
    CHECK(*summary.scaling[0].rows[1].factor == Approx(1.0 / 3));
    CHECK(summary_of("model,batch,threads,time_ms\na,8,4,10\n").scaling.empty());
}

TEST_CASE("Shares of the GPU's time are means over the models of a domain", "[service][tables]") {
    const std::string text = text_of(
        "domain,model,mode,active,movement,idle\n"
        "language,bert,train,0.8,0.05,0.15\nlanguage,gpt2,train,0.6,0.15,0.25\n"
        "language,bert,infer,0.5,0.1,0.4\nspeech,tacotron2,train,0.3,0.3,0.4\n"
        "speech,demucs,train,0.9,0.9,0.9\n");
    CHECK(text == golden_tables("breakdown.golden.md", text));
    CHECK_THAT(text, Contains("70.0%"));
    CHECK_THAT(text, Contains("left out: demucs (its shares do not sum to 1)"));
    const auto again = summary_of(text).breakdown;
    REQUIRE(again.rows.size() == 3);
    CHECK(again.rows[0].modes.at("train").active == Approx(0.7));
}

TEST_CASE("Ways that differ are told apart by what differs", "[service][tables]") {
    const auto summary = summary_of(
        "suite,model,mode,backend,speedup\ns,a,train,x,1\ns,a,infer,x,2\ns,a,train,y,3\n");
    REQUIRE(summary.dashboard.size() == 3);
    CHECK(summary.dashboard[0].label == "s, train, x");
    CHECK(summary.dashboard[2].label == "s, train, y");
}

TEST_CASE("Names that would break a table are kept in their cell", "[service][tables]") {
    const std::string text = text_of("model,speedup\na|b,1\n");
    CHECK_THAT(text, Contains("a\\|b"));
    CHECK(summary_of(text).dashboard.at(0).rows.at(0).model == "a|b");
}

TEST_CASE("A variant's name says the way", "[service][tables]") {
    Result result;
    take_variant("train-cuda-bf16-aoti-b16-t4-g2", result);
    CHECK(result.mode == "train");
    CHECK(result.device == "cuda");
    CHECK(result.precision == "bf16");
    CHECK(result.backend == "aoti");
    CHECK(result.batch == 16);
    CHECK(result.threads == 4);
    CHECK(result.gpus == 2);
    Result narrow;
    take_variant("train-cuda-amp_fp16", narrow);
    CHECK(narrow.precision == "amp_fp16");
    CHECK(narrow.backend == "eager");
    Result plain;
    take_variant("infer", plain);
    CHECK(plain.backend == "eager");
    Result other;
    take_variant("eval_bs8_cold.start", other);
    CHECK(other.mode == "infer");
    CHECK(other.batch == 8);
    CHECK(other.backend == "cold-start");
}

TEST_CASE("A pass rate is its two counts and their percentage, halves up", "[service][tables]") {
    std::string csv = "model,status\n0,pass\n";
    for (int i = 1; i < 8; ++i) csv += std::to_string(i) + ",fail\n";
    CHECK_THAT(text_of(csv), Contains("13%, 1/8"));  // 12.5
    for (int i = 8; i < 40; ++i) csv += std::to_string(i) + ",fail\n";
    CHECK_THAT(text_of(csv), Contains("3%, 1/40"));  // 2.5
}
