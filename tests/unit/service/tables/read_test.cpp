#include "service/tables/read.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "service/tables/summary.hpp"

using namespace vigil;
using namespace vigil::tables;
using Catch::Contains;

namespace {

ResultList read(const std::string& text, const std::string& file = "file") {
    ResultList list;
    read_results(text, file, list);
    return list;
}

std::string failure(const std::string& text) {
    try {
        read(text);
    } catch (const Error& error) {
        CHECK(error.code() == Errc::invalid_argument);
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("A dashboard's four tables become one result a model", "[service][tables]") {
    const auto list = read(
        R"({"s": {"speedup": [["a", 1, "1.5"], ["b", 0, "0.0"]], "accuracy": [["a", 1, "pass"],
        ["b", 8, "fail_to_run"]], "compile": [["a", 1, 2.5], ["b", 0, "nan"]], "mem": []}})");
    REQUIRE(list.results().size() == 2);
    const Result& a = list.results()[0];
    CHECK(a.suite == "s");
    CHECK(a.model == "a");
    CHECK(a.status == "pass");
    CHECK(a.get(Field::speedup) == 1.5);
    CHECK(a.get(Field::compile_s) == 2.5);
    const Result& b = list.results()[1];
    CHECK(b.batch == 8);  // a batch of 0 is one that is not said
    CHECK(b.get(Field::speedup) == 0.0);
    CHECK_FALSE(b.get(Field::compile_s));
}

TEST_CASE("The runner's files of performance and accuracy belong together", "[service][tables]") {
    ResultList list;
    read_results(
        "dev,name,batch_size,speedup,abs_latency,compilation_latency,compression_ratio,"
        "eager_peak_mem,dynamo_peak_mem\n"
        "cpu,alexnet,128,1.25,24.5,7.5,0.9,1.0,1.1\ncpu,tacotron2,0,0.0,0.0,0.0,0.0,0.0,0.0\n",
        "out/inductor_torchbench_float32_inference_cpu_performance.csv",
        list);
    read_results(
        "dev,name,batch_size,accuracy\ncpu,alexnet,4,pass\n",
        "out/inductor_huggingface_float32_inference_cpu_accuracy.csv",
        list);
    read_results(
        "dev,name,batch_size,accuracy\ncpu,alexnet,128,pass\ncpu,tacotron2,64,fail_to_run\n",
        "out/inductor_torchbench_float32_inference_cpu_accuracy.csv",
        list);
    REQUIRE(list.results().size() == 3);
    const Result& first = list.results()[0];
    CHECK(first.suite == "torchbench");
    CHECK(first.device == "cpu");
    CHECK(first.status == "pass");
    CHECK(first.get(Field::time_s) == Approx(0.0245));
    CHECK(first.get(Field::memory_ratio) == 0.9);
    CHECK(list.results()[1].status == "fail_to_run");
    CHECK(list.results()[2].suite == "huggingface");
}

TEST_CASE("TorchBench's metrics are read by their keys", "[service][tables]") {
    const auto list = read(R"({"name": "test_bench", "environ": {"device": "x"}, "metrics": {
        "model=llama, test=eval, device=cuda, bs=None, extra_args=[], metric=latencies": 4.5,
        "model=llama, test=eval, device=cuda, bs=None, extra_args=[], metric=gpu_peak_mem": 2,
        "model=llama, test=eval, device=cuda, bs=32, extra_args=['--inductor'], metric=latencies":
            "CUDA out of memory. Tried to",
        "vgg-16-train_throughput": 12.5, "whatever": 3}})");
    REQUIRE(list.results().size() == 3);
    const auto& results = list.results();
    CHECK(results[1].model == "llama");
    CHECK(results[1].backend == "eager");
    CHECK(results[1].mode == "infer");
    CHECK(results[1].get(Field::time_s) == Approx(0.0045));
    CHECK(results[1].get(Field::peak_bytes) == Approx(2.0 * (1 << 30)));
    CHECK(results[0].backend == "inductor");
    CHECK(results[0].batch == 32);
    CHECK(results[0].status == "oom");
    CHECK(results[2].model == "vgg-16");
    CHECK(results[2].mode == "train");
    CHECK(results[2].get(Field::throughput_per_s) == 12.5);
    REQUIRE(list.notes().size() == 1);
    CHECK_THAT(list.notes()[0], Contains("whatever"));
}

TEST_CASE("TorchBench's older files of tests are read", "[service][tables]") {
    const auto list = read(R"({"machine_info": {}, "benchmarks": [
        {"name": "test_train[hf-Bert-cuda-eager]", "stats": {"median": 0.25, "mean": 1}}]})");
    REQUIRE(list.results().size() == 1);
    CHECK(list.results()[0].model == "hf-Bert");
    CHECK(list.results()[0].device == "cuda");
    CHECK(list.results()[0].mode == "train");
    CHECK(list.results()[0].get(Field::time_s) == 0.25);
}

TEST_CASE("Lines of vigil-bench are processes of one result", "[service][tables]") {
    const std::string line =
        R"({"vigil_bench": 1, "outcome": "passed", "info": {"model": "mlp", "mode": "infer",
        "batch": 4, "threads": 1}, "samples": {"wall_time_ns": [1e6, 3e6, )";
    std::string text;
    for (const char* third : {"2e6", "9e6", "8e6"}) {
        std::string one = line + third + R"(], "peak_alloc_bytes": [100]}})";
        for (char& c : one) c = c == '\n' ? ' ' : c;
        text += one + "\n";
    }
    const auto list = read(text);
    REQUIRE(list.results().size() == 1);
    CHECK(list.results()[0].get(Field::time_s) == Approx(3e-3));  // of the medians 2, 3 and 3 ms
    CHECK(list.results()[0].get(Field::peak_bytes) == 100);
    CHECK(list.results()[0].backend == "eager");
    CHECK(list.results()[0].status == "pass");
}

TEST_CASE("A layout of vigil-bench is a setting unless it is the usual one", "[service][tables]") {
    const auto setting_of = [](const std::string& layout) {
        return read(
                   R"({"vigil_bench": 1, "outcome": "passed", "samples": {"wall_time_ns": [1]},)"
                   R"( "info": {"model": "net", "mode": "infer", "layout": ")" +
                   layout + R"("}})")
            .results()[0]
            .setting;
    };
    CHECK(setting_of("contiguous").empty());
    CHECK(setting_of("channels_last") == "channels_last");
}

TEST_CASE("A line of vigil-bench is a result, whatever its outcome", "[service][tables]") {
    std::string text;
    for (const char* outcome : {"oom", "timeout", "failed", "unsupported", "wrong"}) {
        text += std::string(R"({"vigil_bench": 1, "outcome": ")") + outcome +
                R"(", "message": "why", "info": {"model": ")" + outcome +
                R"(_net", "domain": "speech", "mode": "train", "device": "cpu", "precision": )"
                R"("amp", "backend": "eager", "batch": 2, "threads": 1, "processes": 1}})" +
                "\n";
    }
    text += R"({"vigil_bench": 1, "outcome": "failed", "message": "--model is missing"})";
    const auto list = read(text);
    REQUIRE(list.results().size() == 6);
    CHECK(list.results()[0].model == "oom_net");
    CHECK(list.results()[0].status == "oom");
    CHECK(list.results()[0].domain == "speech");
    CHECK(list.results()[0].precision == "amp");
    CHECK(list.results()[0].facts.at("message") == "why");
    CHECK(list.results()[4].status == "wrong");
    CHECK_THAT(list.results()[5].model, Contains("line 6 names no model"));
    CHECK(list.results()[5].status == "failed");
}

TEST_CASE("Nothing that vigil-bench measured is lost", "[service][tables]") {
    const std::string info = R"("info": {"model": "m", "batch": 4, "threads": 1, "processes": )";
    const std::string rest = R"(, "torch_version": "2.6", "machine": "here",
        "accuracy": {"deterministic": false, "unchecked": "no float64"},
        "metrics": {"throughput": {"value": 80, "of_one_process": 50},
        "compile_time_ns": {"value": 2e9}, "first_step_ns": {"value": 5e6},
        "leak": {"value": -2, "interval": [-3, 1], "verdict": "none"},
        "instructions": {"absent": "no counter"}, "peak_gpu_reserved_bytes": {"value": 7}},
        "breakdown": {"active": 0.5, "data_movement": 0.2, "idle": 0.3, "wall_time_ns": 9},
        "warmup_iterations": 3}, "samples": {"wall_time_ns": [1e6], "cpu_time_ns": [3e6],
        "gpu_time_ns": [2e6], "peak_alloc_bytes": [100], "peak_process_bytes": [900]}})";
    std::string text;
    for (const char* processes : {"1", "2"}) {
        std::string line = R"({"vigil_bench": 1, "outcome": "passed", )" + info + processes + rest;
        for (char& c : line) c = c == '\n' ? ' ' : c;
        text += line + "\n";
    }
    const auto list = read(text);
    REQUIRE(list.results().size() == 2);  // one process and two are not the same way
    const Result& two = list.results()[1];
    CHECK(two.processes == 2);
    CHECK(two.version == "2.6");
    CHECK(two.get(Field::cpu_time_s) == Approx(3e-3));
    CHECK(two.get(Field::gpu_time_s) == Approx(2e-3));
    CHECK(two.get(Field::compile_s) == Approx(2));
    CHECK(two.get(Field::first_step_s) == Approx(5e-3));
    CHECK(two.get(Field::throughput_per_s) == 80);
    CHECK(two.get(Field::throughput_alone_per_s) == 50);
    CHECK(two.get(Field::leak_bytes) == -2);
    CHECK(two.get(Field::movement) == 0.2);
    CHECK(two.metrics.at("leak_high") == 1);
    CHECK(two.metrics.at("peak_process_bytes") == 900);
    CHECK(two.metrics.at("peak_gpu_reserved_bytes") == 7);
    CHECK(two.metrics.at("warmup_iterations") == 3);
    CHECK(two.facts.at("leak") == "none");
    CHECK(two.facts.at("machine") == "here");
    CHECK(two.facts.at("unchecked") == "no float64");
    CHECK(two.facts.at("deterministic") == "no");
    CHECK(two.facts.at("no instructions") == "no counter");
    ResultList again;
    read_results(summary_json(summarize(list, {})).dump(), "own", again);
    REQUIRE(again.results().size() == 2);
    CHECK(again.results()[1].metrics == two.metrics);
    CHECK(again.results()[1].facts == two.facts);
    CHECK(again.results()[1].get(Field::leak_bytes) == -2);
}

TEST_CASE(
    "A table of a compiler guide is read: backends in columns, batches", "[service][tables]") {
    const auto list = read(
        "| Task | Model | batch 1 no compile | batch 1 compile | batch 16 compile |\n"
        "| --- | --- | ---: | ---: | ---: |\n"
        "| image classification | ViT | 9.325 | 7.584 | OOM |\n");
    REQUIRE(list.results().size() == 3);
    CHECK(list.results()[0].backend == "no compile");
    CHECK(list.results()[0].batch == 1);
    CHECK(list.results()[0].domain == "image classification");
    CHECK(list.results()[0].get(Field::time_s) == Approx(0.009325));
    CHECK(list.results()[2].batch == 16);
    CHECK(is_oom(list.results()[2].status));
    CHECK_THAT(list.notes().at(0), Contains("in ms"));
    const auto with_unit = read("model,batch,\"eager, s\",jit_us\nr,2,0.5,250000\n");
    REQUIRE(with_unit.results().size() == 2);
    CHECK(with_unit.results()[0].backend == "eager");
    CHECK(with_unit.results()[0].get(Field::time_s) == 0.5);
    CHECK(with_unit.results()[1].backend == "jit");
    CHECK(with_unit.results()[1].get(Field::time_s) == Approx(0.25));
}

TEST_CASE("Shares of modes stand in columns, as ratios or in percent", "[service][tables]") {
    const auto list = read(
        "Domain,Train active,Train data movement,Train idle,Inference idle\n"
        "speech,60%,10%,30%,0.5\nall,1%,1%,98%,1\n");
    REQUIRE(list.results().size() == 2);
    CHECK(list.results()[0].mode == "train");
    CHECK(list.results()[0].get(Field::active) == Approx(0.6));
    CHECK(list.results()[1].mode == "infer");
    CHECK(list.results()[1].get(Field::idle) == 0.5);
}

TEST_CASE("A row that cannot be read is left out with its place, not the table", "[service]") {
    const auto left_out = [](const std::string& bad) {
        const auto list = read("model,batch,speedup\nfine,1,2\n" + bad + "\nalso,1,3\n");
        CHECK(list.results().size() == 2);
        REQUIRE(list.notes().size() == 1);
        return list.notes()[0];
    };
    CHECK_THAT(left_out("fine,1,2"), Contains("file: line 3") && Contains("already"));
    CHECK_THAT(left_out("a,many,1"), Contains("line 3: 'many' is no batch"));
    CHECK_THAT(left_out("a,1,-1"), Contains("below 0"));
    CHECK_THAT(left_out("a,1"), Contains("line 3: 2 cells, the header has 3"));
    CHECK_THAT(left_out("a,1,2,3"), Contains("line 3: 4 cells, the header has 3"));
    CHECK_THAT(left_out(",1,1"), Contains("no model"));
    CHECK_THAT(left_out(std::string(300, 'a') + ",1,1"), Contains("200 bytes"));
    const auto page = read("| model | time_ms |\n| a | 12% |\n| b | 1 | 2 |\n| c | 3 |\n");
    REQUIRE(page.results().size() == 1);
    CHECK_THAT(page.notes()[0], Contains("2 cells") || Contains("3 cells"));
    CHECK_THAT(page.notes()[1], Contains("line 2: a ratio or percentage where none can be"));
    std::string many = "model,speedup\nfine,1\n";
    for (int i = 0; i < 900; ++i) many += "x" + std::to_string(i) + ",-1\n";
    const auto notes = read(many).notes();
    CHECK(notes.size() == 501);
    CHECK_THAT(notes.back(), Contains("and 400 more"));
}

TEST_CASE("Stray marks are no cells and spoil no number", "[service][tables]") {
    const auto list = read(
        "| Model | Batch Size | no compile | compile |\n| --- | --- | --- | --- |\n"
        "| a | 4. | 12.5. | 10* | . |\n| b | . | 3 | . |\n");
    REQUIRE(list.results().size() == 4);
    CHECK(list.results()[0].batch == 4);
    CHECK(list.results()[0].get(Field::time_s) == Approx(0.0125));
    CHECK(list.results()[1].get(Field::time_s) == Approx(0.010));
    CHECK(list.results()[1].status.empty());
    CHECK(list.results()[3].values.empty());
    CHECK(list.results()[3].status.empty());
}

TEST_CASE("Small percentages are no fractions", "[service][tables]") {
    const auto list = read(
        "Domain,Train active,Train data movement,Train idle\n"
        "vision,59.8,0.8,39.4\nspeech,0.9,0.1,99\nsearch,100,0,0\nodd,0.5,0.2,0.3\n");
    REQUIRE(list.results().size() == 4);
    CHECK(list.results()[0].get(Field::active) == Approx(0.598));
    CHECK(list.results()[0].get(Field::movement) == Approx(0.008));
    CHECK(list.results()[1].get(Field::active) == Approx(0.009));
    CHECK(list.results()[2].get(Field::active) == Approx(1));
    CHECK(list.results()[3].get(Field::active) == Approx(0.5));
    CHECK(summarize(list, {}).breakdown.left_out.empty());
    const auto one = read("Domain,active,data movement,idle\nall idle,0,0,1\n");
    CHECK(one.results()[0].get(Field::idle) == 1);
}

TEST_CASE("A name that is a backend beside others is no number of something", "[service]") {
    const auto list = read("model,eager,compile\na,2,1\n");
    REQUIRE(list.results().size() == 2);
    CHECK(list.results()[0].backend == "eager");
    CHECK(list.results()[0].get(Field::time_s) == Approx(0.002));
    CHECK(list.results()[1].backend == "compile");
    CHECK(list.results()[1].get(Field::time_s) == Approx(0.001));
    CHECK(summarize(list, {}).results[1].get(Field::speedup) == Approx(2));
    CHECK(read("model,compile\na,7\n").results()[0].get(Field::compile_s) == 7);
    CHECK(read("model,speedup,compile\na,2,7\n").results()[0].get(Field::compile_s) == 7);
    const auto both = read("model,eager,compile,speedup\na,3,2,1.5\n");
    REQUIRE(both.results().size() == 2);
    CHECK(both.results()[1].backend == "compile");
    CHECK(both.results()[1].get(Field::speedup) == 1.5);
    const auto devices = read("model,cpu,gpu\na,20,4\n");
    REQUIRE(devices.results().size() == 2);
    CHECK(devices.results()[1].get(Field::time_s) == Approx(0.004));
    CHECK(read("model,gpu,eager,jit\na,2,20,4\n").results()[0].gpus == 2);
}

TEST_CASE("A multiple is never a time", "[service][tables]") {
    const auto list = read("model,batch,Slowdown\na,1,20.45x\nb,1,0.5x\n");
    CHECK(list.results()[0].get(Field::speedup) == Approx(1 / 20.45));
    CHECK(list.results()[1].get(Field::speedup) == Approx(2));
    const auto other = read("model,gain,jit_ms\na,1.5x,4\n");
    REQUIRE(other.results().size() == 2);
    CHECK(other.results()[0].metrics.at("gain") == 1.5);
    CHECK_FALSE(other.results()[0].get(Field::time_s));
    CHECK_THAT(other.notes()[0], Contains("kept under metrics: gain"));
    CHECK(read("model,time_ms\na,3x\n").results().empty());
    CHECK(read("model,change\na,12%\n").results()[0].metrics.at("change") == Approx(0.12));
}

TEST_CASE("A list of models by domain is counted", "[service][tables]") {
    const auto summary = summarize(read("domain,model\nspeech,a\nspeech,b\nvision,c\n"), {});
    CHECK(summary.results.size() == 3);
    CHECK(summary.domains.at("speech") == 2);
    CHECK_FALSE(summary.empty());
    CHECK_THAT(summary_text(summary, Detail::models), Contains("## Models by domain"));
}

TEST_CASE("Headers of any language can be named", "[service][tables]") {
    const std::string text =
        "| \u0627\u0644\u0646\u0645\u0648\u0630\u062C | \u0628\u062F\u0648\u0646 | "
        "\u0645\u0639 |\n| --- | --- | --- |\n| a | 4 | 2 |\n";
    CHECK(read(text).results().empty());
    CHECK_THAT(read(text).notes()[0], Contains("--columns model=HEADER"));
    ResultList list;
    read_results(
        text,
        "file",
        list,
        {{"\u0627\u0644\u0646\u0645\u0648\u0630\u062C", "model"},
         {"\u0628\u062F\u0648\u0646", "eager"},
         {"\u0645\u0639", "compile"}});
    REQUIRE(list.results().size() == 2);
    CHECK(summarize(list, {}).results[1].get(Field::speedup) == Approx(2));
}

TEST_CASE("What is no table of ours is refused with its place", "[service][tables]") {
    CHECK_THAT(failure("model,speedup\n\"a,1\n"), Contains("not closed"));
    CHECK_THAT(failure(R"({"s": {"speedup": [["a", 1, "fast"]]}})"), Contains("speedup[0][2]"));
    CHECK_THAT(failure(R"({"s": {"speedup": [["a", 1]]}})"), Contains("[model, batch, value]"));
    CHECK_THAT(failure(R"({"s": {"speedup": [], "power": []}})"), Contains("power"));
    CHECK_THAT(failure("{\"a\": 1}"), Contains("neither"));
    CHECK_THAT(failure("[1]"), Contains("neither"));
    CHECK_THAT(failure("{"), Contains("file"));
    CHECK_THAT(failure("model\n\xff\n"), Contains("UTF-8"));
    CHECK_THAT(failure("model" + std::string(300, ',') + "\n"), Contains("too many columns"));
}

TEST_CASE("Texts without a table of models give no results and say so", "[service][tables]") {
    CHECK(read("| Rule | s |\n| --- | --- |\n| runner_v1 | 91% |\n").results().empty());
    const auto list = read("| Year | s |\n| --- | --- |\n| 2025 | 91% |\n");
    CHECK(list.results().empty());
    CHECK_THAT(list.notes().at(0), Contains("line 1") && Contains("model"));
    CHECK(read("").results().empty());
    CHECK(read("just words\n").results().empty());
}
