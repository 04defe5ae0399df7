// Names of PyTorch's benchmarks/dynamo: of its files, and of what is read from them.

#include "schema/harness/dynamo_name.hpp"
#include "tests/unit/schema/harness/reading_test.hpp"

namespace vigil::harness::testing {
namespace {

TEST_CASE("dynamo: two files of one night are two series for each model") {
    // As PyTorch's own nightly calls them, and what people make of it.
    const std::vector<std::pair<std::string, std::string>> files{
        {"inductor_torchbench_float32_inference_cpu_performance.csv",
         "inductor torchbench float32 inference"},
        {"inductor_torchbench_float32_inference_cpu_accuracy.csv",
         "inductor torchbench float32 inference"},  // of the same series, another quantity
        {"inductor_torchbench_bfloat16_inference_cpu_performance.csv",
         "inductor torchbench bfloat16 inference"},
        {"inductor_torchbench_float32_training_cpu_performance.csv",
         "inductor torchbench float32 training"},
        {"aot_eager_torchbench_float32_training_cpu_performance.csv",
         "aot eager torchbench float32 training"},
        {"inductor_torchbench_float32_inference_cpu_x86_performance.csv",
         "inductor torchbench float32 inference x86"},
        {"inductor_torchbench_float32_inference_cpu_aarch64_performance.csv",
         "inductor torchbench float32 inference aarch64"},
        {"inductor_no_cudagraphs_huggingface_amp_training_cuda_a10g_accuracy.csv",
         "inductor no cudagraphs huggingface amp training a10g"},
        {"inductor_cpp_wrapper_timm_models_quant_inference_cpu_performance.csv",
         "inductor cpp wrapper timm quant inference"},
        {"inductor_float32_inference_cpu_performance.csv", "inductor float32 inference"},
        {"aot_eager_float32_inference_cpu_performance.csv", "aot eager float32 inference"},
        {"eager_performance.csv", "eager"},
        {"inductor_dynamic_training.csv", "inductor dynamic training"},
        {"monday_bf16_train.csv", "bf16 train"},
        {"", ""},
        {"performance.csv", ""}};
    for (const auto& [file, told] : files) CHECK(told_by_file(file) == told);
}

TEST_CASE("dynamo: a benchmark's name says how the model was run") {
    const auto name = find_dynamo_name(
        "google/gemma-2-2b/cuda/aot eager with cudagraphs huggingface bfloat16 training/batch 16");
    REQUIRE(name);
    CHECK(name->model == "google/gemma-2-2b");
    CHECK(name->device == "cuda");
    CHECK(name->suite == "huggingface");
    CHECK(name->precision == "bf16");
    CHECK(name->mode == "train");
    CHECK(name->backend == "aot_eager");
    CHECK(name->setting == "with cudagraphs");
    CHECK(name->batch == 16);
    CHECK(find_dynamo_name("vgg/cpu/batch 16")->backend.empty());
    CHECK(find_dynamo_name("vgg/cpu/inductor timm amp training")->batch == 0);
    for (const char* other :
         {"",
          "/",
          "vgg",
          "vgg/cpu",
          "/cpu/batch 1",
          "sort/10",
          "a/b/batch 4",
          "a/cpu/ab/c",
          "vgg/cpu/batch -1",
          "vgg/cpu/batch 99999999999999999999",
          "cpu/batch 3"}) {
        CAPTURE(other);
        CHECK_FALSE(find_dynamo_name(other));
    }
}

TEST_CASE("dynamo: a failure is one of the series that was measured") {
    const auto read = [](const std::string& rows, const std::string& target) {
        return only_report(
            "dev,name,batch_size," + rows,
            {.file_name = "inductor_torchbench_amp_training_cuda_" + target + ".csv"});
    };
    const auto good = read("accuracy\ncuda,vgg,4,pass\n", "accuracy").readings.at(0);
    CHECK(good.samples == std::vector<double>{1});
    for (const char* word : {"fail_accuracy", "fail_to_run", "OOM", "timeout", "infra_error"}) {
        CAPTURE(word);
        const auto bad =
            read("accuracy\ncuda,vgg,4," + std::string(word) + "\n", "accuracy").readings.at(0);
        CHECK(bad.benchmark == good.benchmark);
        CHECK(variant_of(bad) == variant_of(good));
        CHECK(bad.failed == 1);
        CHECK(bad.failure == word);
    }
    const auto ran = read("speedup,abs_latency\ncuda,vgg,16,1.5,4\n", "performance").readings;
    const auto died = read("speedup,abs_latency\ncuda,vgg,0,0.0,0.0\n", "performance").readings;
    REQUIRE(died.size() == 1);
    CHECK(died[0].failed == 1);
    CHECK(ran.at(0).benchmark.starts_with(died[0].family));
}

}  // namespace
}  // namespace vigil::harness::testing
