#include "service/tables/night.hpp"

#include <catch2/catch.hpp>

#include "service/tables/summary.hpp"

using namespace vigil::tables;

namespace {

NightRun run_of(const char* benchmark, const char* variant, double wall_ns, double peak_bytes) {
    return {
        "lab on xeon",
        benchmark,
        variant,
        "passed",
        {{"wall_time_ns", "ns", wall_ns}, {"peak_alloc_bytes", "bytes", peak_bytes}}};
}

}  // namespace

TEST_CASE("A night's ratios are of each way that has a base", "[service][tables]") {
    NightResults night;
    night.add(run_of("mlp", "infer-eager", 4e6, 200));
    night.add(run_of("mlp", "infer-jit", 1e6, 100));
    night.add(run_of("lstm", "infer-eager", 1e6, 100));
    night.add(run_of("lstm", "infer-jit", 4e6, 100));
    night.add(run_of("conv", "infer-eager", 1e6, 100));
    night.add({"lab on xeon", "conv", "infer-jit", "oom"});
    night.add(run_of("mlp", "train-eager", 9e6, 300));  // nothing is held against it
    const auto ratios = night_ratios(night.results(), "eager", Rule::hud_v2);
    REQUIRE(ratios.size() == 1);
    CHECK(ratios[0].way == "lab on xeon, jit");
    const auto& headline = ratios[0].headline;
    CHECK(headline.rule == Rule::hud_v2);
    CHECK(*headline.speedup.value == Approx(1.0));  // of 4 and 1/4
    CHECK(*headline.memory_ratio.value == Approx(1.5));
    CHECK_FALSE(headline.compile_s.value);
    CHECK(headline.passing == 2);
    CHECK(headline.total == 3);
    REQUIRE(headline.speedup.left_out.size() == 1);
    CHECK(headline.speedup.left_out[0].model == "conv");
    CHECK(headline.speedup.left_out[0].why == "oom");
}

TEST_CASE("A suite with one backend has no ratios", "[service][tables]") {
    NightResults night;
    night.add(run_of("mlp", "train", 4e6, 200));
    night.add(run_of("mlp", "infer", 1e6, 100));
    CHECK_FALSE(night.are_compared("eager"));
    CHECK(night_ratios(night.results(), "eager", Rule::hud_v2).empty());
    night.add({"lab on xeon", "conv", "infer-jit", "oom"});
    CHECK(night.are_compared("eager"));
    CHECK(night_ratios(NightResults().results(), "eager", Rule::hud_v2).empty());
}

TEST_CASE("What is left out of a night has no numbers, and is named", "[service][tables]") {
    NightResults night;
    night.add({"lab on xeon", "mlp", "eager", "passed"});
    night.add({"lab on xeon", "mlp", "jit", "passed"});
    night.add(run_of("lstm", "eager", 4e6, 200));
    night.add(run_of("lstm", "jit", 2e6, 200));
    const auto ratios = night_ratios(night.results(), "eager", Rule::hud_v2);
    REQUIRE(ratios.size() == 1);
    CHECK(*ratios[0].headline.speedup.value == Approx(2.0));
    REQUIRE(ratios[0].headline.speedup.left_out.size() == 1);
    CHECK(ratios[0].headline.speedup.left_out[0].why == "no speedup");
}

TEST_CASE("No name takes a night's ratios with it", "[service][tables]") {
    NightResults night;
    const std::string long_name(4096, 'x');
    night.add(run_of(long_name.c_str(), "eager", 4e6, 200));
    night.add(run_of(long_name.c_str(), "jit", 2e6, 200));
    night.add(run_of("mlp", "infer-jit", 1e6, 200));  // these two say the same way
    night.add(run_of("mlp", "jit-infer", 3e6, 200));
    night.add(run_of("mlp", "infer-eager", 2e6, 200));
    const auto ratios = night_ratios(night.results(), "eager", Rule::hud_v2);
    REQUIRE(ratios.size() == 2);
    CHECK(ratios[0].headline.total + ratios[1].headline.total == 3);
}

TEST_CASE("What a run says of its way goes before its variant's name", "[service][tables]") {
    const auto run = [](const char* variant, const char* backend, double wall_ns, double batch) {
        NightRun one{"lab on gpu", "mlp", variant, "passed", {{"wall_time_ns", "ns", wall_ns}}};
        one.said = {
            {"backend", {}, backend},
            {"mode", {}, "train"},
            {"device", {}, "cuda"},
            {"batch", batch, ""},
            {"breakdown.active", 0.7, ""},
            {"breakdown.data_movement", 0.1, ""},
            {"breakdown.idle", 0.2, ""}};
        return one;
    };
    NightResults night;
    night.add(run("plain", "eager", 4e6, 8));
    night.add(run("fast-b16", "aot", 2e6, 8));
    CHECK(night.are_compared("eager"));
    const auto ratios = night_ratios(night.results(), "eager", Rule::hud_v2);
    REQUIRE(ratios.size() == 1);
    CHECK(*ratios[0].headline.speedup.value == Approx(2.0));
    const auto summary = summarize(night.take(), {});
    REQUIRE(summary.breakdown.rows.size() == 1);
    CHECK(summary.breakdown.rows[0].modes.at("train").active == Approx(0.7));
    CHECK(summary.results[0].device == "cuda");
    // Two variants of one way are told apart by their names.
    night.add(run("other", "eager", 3e6, 8));
    CHECK(night.take().results().size() == 3);
}

TEST_CASE("Local versions of a night are compared within themselves", "[service][tables]") {
    const auto run = [](const char* variant, const char* backend, double wall_ns) {
        NightRun one{"lab on xeon", "mlp", variant, "passed", {{"wall_time_ns", "ns", wall_ns}}};
        one.said = {{"backend", {}, backend}, {"device", {}, "cpu"}};
        return one;
    };
    NightResults night;
    night.add(run("eager+cpu", "eager", 4e6));
    night.add(run("eager+cu126", "eager", 9e6));
    night.add(run("inductor+cpu", "inductor", 2e6));
    night.add(run("inductor+cu126", "inductor", 3e6));
    const auto ratios = night_ratios(night.results(), "eager", Rule::hud_v2);
    REQUIRE(ratios.size() == 2);
    CHECK(*ratios[0].headline.speedup.value == Approx(2.0));
    CHECK(*ratios[1].headline.speedup.value == Approx(3.0));
    Result result;
    take_variant("infer-jit+rocm6.4", result);
    CHECK(result.setting == "+rocm6.4");
    CHECK(result.backend == "jit");
}

TEST_CASE("A run says itself how it compares with the base", "[service][tables]") {
    const auto run = [](const char* model, double speedup) {
        NightRun one{"lab on xeon", model, "inductor", "passed", {{"wall_time_ns", "ns", 4e6}}};
        one.said = {
            {"backend", {}, "inductor"},
            {"compared.speedup", speedup, ""},
            {"compile_time_ns", 3e9, ""},
            {"memory_ratio", 0.5, ""}};
        return one;
    };
    NightResults night;
    night.add(run("mlp", 2));
    night.add(run("lstm", 8));
    const auto ratios = night_ratios(night.results(), "eager", Rule::hud_v2);
    REQUIRE(ratios.size() == 1);
    CHECK(*ratios[0].headline.speedup.value == Approx(4.0));
    CHECK(*ratios[0].headline.compile_s.value == Approx(3.0));
    CHECK(*ratios[0].headline.memory_ratio.value == Approx(0.5));
}

TEST_CASE("A way in which nothing passes has its pass rate", "[service][tables]") {
    NightResults night;
    night.add(run_of("mlp", "eager", 4e6, 200));
    night.add(run_of("mlp", "jit", 2e6, 200));
    night.add({"lab on xeon", "mlp", "bf16-jit", "wrong"});
    const auto ratios = night_ratios(night.results(), "eager", Rule::hud_v2);
    REQUIRE(ratios.size() == 2);
    const auto failed = ratios[ratios[0].headline.passing == 0 ? 0 : 1];
    CHECK(failed.way == "lab on xeon, bf16, jit");
    CHECK(failed.headline.passing == 0);
    CHECK(failed.headline.total == 1);
    CHECK_FALSE(failed.headline.speedup.value);
}

TEST_CASE("What benchmarks/dynamo says of a model is one result", "[service][tables]") {
    NightResults night;
    const auto add = [&](const std::string& model,
                         const std::string& how,
                         const std::string& variant,
                         double value,
                         const std::string& outcome = "passed") {
        const bool is_time = variant == "default" || variant == "compile time";
        NightRun run{"lab on ci", model + "/cpu/" + how, variant, outcome};
        if (outcome == "passed") {
            run.medians = {
                {is_time ? "wall_time_ns" : "reported_value", is_time ? "ns" : "", value}};
        }
        night.add(run);
    };
    for (const std::string type : {"float32", "bfloat16"}) {
        const auto how = "inductor torchbench " + type + " inference";
        for (const std::string model : {"vgg", "alexnet"}) {
            add(model, how + "/batch 16", "default", 8e6);
            add(model, how + "/batch 16", "speedup", type == "float32" ? 2 : 8);
            add(model, how + "/batch 16", "compile time", 20e9);
            add(model, how + "/batch 16", "compression ratio", 0.5);
            add(model, how + "/batch 16", "peak memory", 1.5);
            add(model, how + "/batch 16", "eager peak memory", 0.75);
        }
        add("vgg", how + "/batch 4", "accuracy", 1);
        add("alexnet", how + "/batch 4", "accuracy", 0, type == "float32" ? "passed" : "failed");
        add("dcgan", how + "/batch 4", "accuracy", 0, "failed");
    }
    CHECK(night.are_compared("eager"));
    const auto ratios = night_ratios(night.results(), "eager", Rule::hud_v2);
    REQUIRE(ratios.size() == 2);
    for (const auto& [way, headline] : ratios) {
        const bool is_bf16 = way == "lab on ci, torchbench, bf16, inductor";
        CHECK((is_bf16 || way == "lab on ci, torchbench, fp32, inductor"));
        CHECK(headline.total == 3);
        CHECK(headline.passing == (is_bf16 ? 1 : 2));
        CHECK(*headline.speedup.value == Approx(is_bf16 ? 8 : 2));
        CHECK(*headline.compile_s.value == Approx(20));
        CHECK(*headline.memory_ratio.value == Approx(0.5));
    }
    for (const auto& result : night.take().results()) {
        if (result.model == "dcgan") continue;
        CHECK(result.batch == 16);
        CHECK(*result.get(Field::time_s) == Approx(0.008));
        CHECK(*result.get(Field::peak_bytes) == Approx(1.5e9));
    }
}
