#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// How benchmarks/dynamo calls its files, and how its benchmarks are called here. Pure functions.

namespace vigil::harness {

/// How the models of a file were run, as its name says and its rows do not:
/// "inductor_with_cudagraphs_torchbench_amp_training_cuda_a10g_performance.csv" is "inductor with
/// cudagraphs torchbench amp training a10g". A device alone stands in the rows. A name of another
/// kind says what it has of these words.
std::string told_by_file(const std::string& file_name);

/// What a benchmark's name says: "vgg/cpu/inductor torchbench float32 inference/batch 16".
struct DynamoName {
    std::string model;
    std::string device;
    std::string suite;      ///< "torchbench", "huggingface", "timm_models"; empty: not said
    std::string precision;  ///< "fp32", "bf16", "fp16", "amp", or as it is said
    std::string mode;       ///< "train", "infer"; empty: not said
    std::string backend;    ///< "inductor", "aot_eager"; empty: not said
    std::string setting;    ///< what else is said: "with cudagraphs"
    std::int64_t batch = 0;
};
/// @return nothing: it is no such name
std::optional<DynamoName> find_dynamo_name(std::string_view benchmark);

// Quantities, as variants of a benchmark.
inline constexpr const char* dynamo_latency = "default";
inline constexpr const char* dynamo_speedup = "speedup";
inline constexpr const char* dynamo_compile_time = "compile time";
inline constexpr const char* dynamo_compression = "compression ratio";
inline constexpr const char* dynamo_peak = "peak memory";  ///< in GB, of 1e9 bytes
inline constexpr const char* dynamo_eager_peak = "eager peak memory";
inline constexpr const char* dynamo_accuracy = "accuracy";

}  // namespace vigil::harness
