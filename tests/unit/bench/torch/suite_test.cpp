#include <algorithm>

#include <catch2/catch.hpp>

#include "worker/bench/arguments/arguments.hpp"
#include "worker/bench/suite/speedup.hpp"
#include "worker/bench/suite/suite_plan.hpp"

using namespace vigil_bench;
using Catch::Contains;

namespace {

const std::vector<std::string> zoo{"mlp", "unet", "resnet18", "resnet50"};

SuiteOptions options_of(std::vector<const char*> values) {
    values.insert(values.begin(), {"vigil-bench", "--suite", "out.jsonl"});
    return parse_suite(static_cast<int>(values.size()), values.data());
}

std::vector<std::string> words_of(const std::vector<PlannedRun>& runs) {
    std::vector<std::string> words;
    for (const auto& run : runs) words.push_back(run.words());
    return words;
}

std::vector<std::string> planned(const std::vector<const char*>& values) {
    return words_of(plan_suite(options_of(values), zoo));
}

}  // namespace

TEST_CASE("A suite is models times ways, backends next to each other", "[bench][suite]") {
    CHECK(planned({}).size() == 4);
    CHECK(
        planned(
            {"--model", "mlp", "--backend=eager,jit", "--mode", "infer,train", "--seed", "3"}) ==
        std::vector<std::string>{
            "--model mlp --mode infer --backend eager --seed 3",
            "--model mlp --mode infer --backend jit --seed 3",
            "--model mlp --mode train --backend eager --seed 3",
            "--model mlp --mode train --backend jit --seed 3"});
    CHECK(
        planned({"--model", "res*,mlp,resnet18"}) ==
        std::vector<std::string>{"--model resnet18", "--model resnet50", "--model mlp"});
    CHECK(planned({"--model", "net.pt"}) == std::vector<std::string>{"--model net.pt"});
    CHECK_THROWS_WITH(planned({"--model", "unett"}), Contains("did you mean 'unet'?"));
    CHECK_THROWS_WITH(planned({"--model", "x*"}), Contains("no model fits"));
}

TEST_CASE("A suite takes names of the paper, and runs a model once for all", "[bench][suite]") {
    const std::vector<std::string> known{"efficientnet_b0", "mlp"};
    const auto of = [&](const char* names) {
        return words_of(plan_suite(options_of({"--model", names}), known));
    };
    CHECK(of("timm_efficientnet") == std::vector<std::string>{"--model timm_efficientnet"});
    CHECK(of("all").size() == 2);
    CHECK_THROWS_WITH(of("hf_GPT2"), Contains("-DVIGIL_BENCH_ZOO=gpt2"));
    CHECK_THROWS_WITH(of("hf_GPT9"), Contains("unknown model"));
}

TEST_CASE("Shards are all of a suite, each run once", "[bench][suite]") {
    std::vector<std::string> all;
    for (const char* shard : {"1/3", "2/3", "3/3"}) {
        for (const auto& one : planned({"--shard", shard})) all.push_back(one);
    }
    std::sort(all.begin(), all.end());
    auto whole = planned({});
    std::sort(whole.begin(), whole.end());
    CHECK(all == whole);
    for (const char* shard : {"0/3", "4/3", "1", "a/b", "1/2/3"}) {
        CHECK_THROWS_AS(options_of({"--shard", shard}), UsageError);
    }
}

TEST_CASE("A skip list names models, words of the run and a reason", "[bench][suite]") {
    auto options = options_of({"--mode", "infer,train", "--model", "mlp,unet,resnet18"});
    options.skips = {"", "# nothing", "un*", "resnet18 train # no training here"};
    std::vector<std::string> reasons;
    for (const auto& run : plan_suite(options, zoo)) reasons.push_back(run.skipped);
    const std::string listed = "on the skip list";
    CHECK(
        reasons ==
        std::vector<std::string>{"", "", listed, listed, "", listed + ": no training here"});
    CHECK_THROWS_AS(options_of({"--skip", "/no/such/file"}), UsageError);
}

TEST_CASE("A speedup in turns is the median of ratios, with its interval", "[bench][suite]") {
    std::vector<double> base, other;
    for (int i = 0; i < 101; ++i) {
        const double drift = 1 + 0.01 * i;  // of the machine, which both see
        base.push_back(200 * drift);
        other.push_back((100 + i % 3) * drift);
    }
    const auto speedup = speedup_in_turns(base, other);
    CHECK(speedup.turns == 101);
    CHECK(speedup.ratio == Approx(200.0 / 101));
    CHECK(speedup.low <= speedup.ratio);
    CHECK(speedup.high >= speedup.ratio);
    CHECK(speedup.high - speedup.low < 0.05);
    const auto one = speedup_in_turns({3, 5}, {1});
    CHECK(one.ratio == 3);
    CHECK(one.turns == 1);
}
