#include <map>
#include <random>
#include <stdexcept>

#include <catch2/catch.hpp>

#include "worker/bench/arguments/input_shapes.hpp"
#include "worker/bench/arguments/nearest_name.hpp"
#include "worker/bench/arguments/refused_model.hpp"
#include "worker/bench/measure/batch_search.hpp"
#include "worker/bench/measure/leak.hpp"
#include "worker/bench/measure/measure.hpp"

using namespace vigil_bench;

TEST_CASE("A slip of the hand finds its name", "[bench][names]") {
    const std::vector<std::string> names{"mlp", "convnet", "resnet18", "resnet50", "gpt2"};
    CHECK(nearest_name("resnet19", names) == "resnet18");
    CHECK(nearest_name("mpl", names) == "mlp");
    CHECK(nearest_name("resnet5", names) == "resnet50");
    CHECK(nearest_name("covnet", names) == "convnet");
    CHECK(suggestion("gtp2", names) == "; did you mean 'gpt2'?");
}

TEST_CASE("What resembles nothing gets no suggestion", "[bench][names]") {
    const std::vector<std::string> names{"mlp", "convnet"};
    CHECK(nearest_name("transformer", names).empty());
    CHECK(nearest_name("", names).empty());
    CHECK(nearest_name("x", names).empty());
    CHECK(nearest_name(std::string(100'000, 'm'), names).empty());
    CHECK(suggestion("nothing", {}).empty());
}

TEST_CASE("A model that is not compiled in is not unknown", "[bench][names]") {
    const std::vector<std::string> here{"mlp", "convnet"};
    const auto why = [&](const char* name) { return why_no_model(name, here, zoo_names()); };
    CHECK(
        why("resnet18") ==
        "model 'resnet18' is not compiled into this vigil-bench: configure it with "
        "-DVIGIL_BENCH_ZOO=resnet18, or with ON for all models, and build it again");
    CHECK(why("hf_Bert").find("-DVIGIL_BENCH_ZOO=bert_base_mlm,") != std::string::npos);
    CHECK(why("bert_base").find("not compiled into") != std::string::npos);  // no name of the paper
    CHECK(why("resnet19") == "unknown model 'resnet19'; see --list; did you mean 'resnet18'?");
    CHECK(why("pig2_diffusion").find("there is no model 'pig2_diffusion': not published") == 0);
    CHECK(why("blocks") == "unknown model 'blocks'; see --list");
}

TEST_CASE("Shapes of inputs are read with type and range", "[bench][inputs]") {
    const auto shapes = parse_input_shapes("1x3x224x224,int64:2x128:30522,bool:4,float64:");
    REQUIRE(shapes.size() == 4);
    CHECK(shapes[0].type == InputType::float32);
    CHECK(shapes[0].sizes == std::vector<std::int64_t>{1, 3, 224, 224});
    CHECK(shapes[1].type == InputType::int64);
    CHECK(shapes[1].sizes == std::vector<std::int64_t>{2, 128});
    CHECK(shapes[1].below == 30522);
    CHECK(shapes[2].type == InputType::boolean);
    CHECK(shapes[3].type == InputType::float64);
    CHECK(shapes[3].sizes.empty());
}

TEST_CASE("What is no shape is refused with its text", "[bench][inputs]") {
    for (const auto* text :
         {"",
          "x",
          "1x",
          "1,",
          "0x3",
          "-1x3",
          "1.5",
          "1x3 ",
          "int8:1x3",
          "float32:1x3:7",
          "int64:4:0",
          "int32:4:3000000000",
          "int64:4:5:6",
          "99999999999999999999",
          "1048576x1048576x1048576",
          "1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(parse_input_shapes(text), std::invalid_argument);
    }
}

TEST_CASE("The batch doubles until throughput stands still", "[bench][batch]") {
    const auto choice = choose_batch(
        [](std::int64_t batch) {
            const double rows = batch >= 16 ? 1000.0 : static_cast<double>(batch) * 60;
            return BatchTry{batch, rows, "", false};
        },
        1024);
    CHECK(choice.batch == 16);
    REQUIRE(choice.tries.size() == 7);
    CHECK(choice.tries.back().batch == 64);
    CHECK_THAT(choice.reason, Catch::Contains("less than 5 %"));
}

TEST_CASE("Noise does not choose the batch", "[bench][batch]") {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> noise(0.97, 1.03);
    std::map<std::int64_t, int> chosen;
    for (int i = 0; i < 200; ++i) {
        const auto choice = choose_batch(
            [&](std::int64_t batch) {
                const double rows = batch == 1 ? 500 : batch == 2 ? 800 : 1000;
                return BatchTry{batch, rows * noise(random), "", false};
            },
            1024);
        ++chosen[choice.batch];
    }
    CHECK(chosen == std::map<std::int64_t, int>{{4, 200}});
}

TEST_CASE("Where memory ends, the best batch before it is chosen", "[bench][batch]") {
    const auto choice = choose_batch(
        [](std::int64_t batch) {
            if (batch > 4) return BatchTry{batch, 0, "std::bad_alloc", true};
            return BatchTry{batch, static_cast<double>(batch), "", false};
        },
        1024);
    CHECK(choice.batch == 4);
    CHECK(choice.reason == "memory ends at batch 8");
}

TEST_CASE("A batch that is slower than the one before is not chosen", "[bench][batch]") {
    const auto choice = choose_batch(
        [](std::int64_t batch) {
            return BatchTry{batch, batch == 1 ? 100.0 : 50.0, "", false};
        },
        1024);
    CHECK(choice.batch == 1);
}

TEST_CASE("Where not even one row runs, none is chosen", "[bench][batch]") {
    const auto choice = choose_batch(
        [](std::int64_t batch) {
            return BatchTry{batch, 0, "it gave up", false};
        },
        1024);
    CHECK(choice.batch == 0);
    CHECK(choice.reason == "it fails at batch 1");
}

TEST_CASE("The largest batch ends the search", "[bench][batch]") {
    const auto choice = choose_batch(
        [](std::int64_t batch) {
            return BatchTry{batch, static_cast<double>(batch), "", false};
        },
        8);
    CHECK(choice.batch == 8);
    CHECK(choice.tries.size() == 4);
}

TEST_CASE("Measuring keeps its limits and counts every iteration", "[bench][measure]") {
    int calls = 0;
    MeasureLimits limits;
    limits.min_time_s = 0;
    limits.max_warmup_s = 0;
    limits.sample_time_s = 0;
    limits.min_samples = 5;
    Device cpu;
    const auto measured = measure(
        limits,
        [&] { ++calls; },
        [&] {
            return LiveBytes{calls, 10 * calls, 100 * calls};
        },
        cpu);
    CHECK(measured.warmup_iterations == 1);
    CHECK(measured.iterations_per_sample == 1);
    CHECK(measured.wall_time_ns.size() == 5);
    REQUIRE(measured.live_bytes.size() == 5);
    CHECK(measured.live_bytes.front().tensors == 2);
    CHECK(measured.live_bytes.back().allocated == 60);
    CHECK(measured.live_bytes.back().resident == 600);
    CHECK(measured.iterations == std::vector<double>{1, 2, 3, 4, 5});
    CHECK(measured.first_step_ns > 0);
    CHECK(calls == 6);
}

TEST_CASE("A leak counts the iterations between turns too", "[bench][measure]") {
    int calls = 0;
    int turns = 0;
    MeasureLimits limits;
    limits.min_time_s = 0.002;
    limits.max_warmup_s = 0;
    limits.sample_time_s = 0;
    limits.min_samples = 10;
    limits.max_samples = 100'000;
    limits.turn_time_s = 1e-4;
    Device cpu;
    const auto measured = measure(
        limits,
        [&] { ++calls; },
        [&] {
            return LiveBytes{std::int64_t{1000} * calls, 0, 0};
        },
        cpu,
        [&] { ++turns; });
    CHECK(turns > 0);
    CHECK(measured.iterations.back() == calls - measured.warmup_iterations);
    const auto leak = find_leaks(measured.live_bytes, measured.iterations).tensors;
    CHECK(leak.low == 1000);
    CHECK(leak.high == 1000);
    CHECK(leak.verdict == LeakVerdict::leak);
}

TEST_CASE("The median of an even number is the mean of the middle two", "[bench][measure]") {
    CHECK(median({4, 1, 3, 2}) == 2.5);
    CHECK(median({9, 1, 5}) == 5);
}
