#include "worker/bench/operators/work.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "worker/bench/operators/roofline.hpp"

using namespace vigil_bench;
using Catch::Contains;

namespace {

ShapeArgument tensor(std::vector<std::int64_t> sizes, int element_bytes = 4) {
    return {{{std::move(sizes), element_bytes, false}}, {}};
}

ShapeArgument numbers(std::vector<std::int64_t> values) {
    return {{}, std::move(values)};
}

Work work(
    const char* name,
    std::vector<ShapeArgument> arguments,
    std::vector<std::int64_t> output,
    bool is_shared = false) {
    return work_of({name, std::move(arguments), {{std::move(output), 4, is_shared}}});
}

}  // namespace

TEST_CASE("A matrix product takes a multiplication and an addition a step", "[bench]") {
    const auto mm = work("aten::mm", {tensor({2, 3}), tensor({3, 5})}, {2, 5});
    CHECK(mm.product_flops == 2 * 2 * 3 * 5);
    CHECK(mm.bytes == 4 * (6 + 15 + 10));
    CHECK(mm.is_known);
    const auto addmm = work("aten::addmm", {tensor({5}), tensor({2, 3}), tensor({3, 5})}, {2, 5});
    CHECK(addmm.product_flops == 60);
    CHECK(work("aten::bmm", {tensor({7, 2, 3}), tensor({7, 3, 5})}, {7, 2, 5}).flops() == 420);
    CHECK(work("aten::mv", {tensor({2, 3}), tensor({3})}, {2}).flops() == 12);
    CHECK(work("aten::dot", {tensor({3}), tensor({3})}, {}).flops() == 6);
}

TEST_CASE("A convolution is counted by its outputs, a transposed one by its inputs", "[bench]") {
    // 64 filters of 3 x 7 x 7 at 112 x 112 places: ResNet's first, 118,013,952 multiply-adds.
    const std::vector<ShapeArgument> first{
        tensor({1, 3, 224, 224}), tensor({64, 3, 7, 7}), {}, numbers({2, 2})};
    CHECK(
        work("aten::mkldnn_convolution", first, {1, 64, 112, 112}).product_flops ==
        2 * 118'013'952.0);
    // Depthwise: each filter sees one channel.
    CHECK(
        work("aten::_conv_depthwise2d", {tensor({1, 8, 4, 4}), tensor({8, 1, 3, 3})}, {1, 8, 4, 4})
            .flops() == 2 * 8 * 16 * 9);
    std::vector<ShapeArgument> turned{
        tensor({1, 8, 4, 4}), tensor({8, 2, 2, 2}), {}, {}, {}, {}, numbers({1})};
    CHECK(work("aten::convolution", turned, {1, 2, 8, 8}).flops() == 2 * 8 * 16 * 2 * 4);
}

TEST_CASE("A convolution's gradients take one convolution each", "[bench]") {
    const auto gradients = [](std::vector<std::int64_t> mask) {
        return work(
                   "aten::convolution_backward",
                   {tensor({1, 4, 8, 8}),
                    tensor({1, 2, 8, 8}),
                    tensor({4, 2, 3, 3}),
                    {},
                    {},
                    {},
                    {},
                    numbers({0}),
                    {},
                    {},
                    numbers(std::move(mask))},
                   {1, 2, 8, 8})
            .product_flops;
    };
    const double once = 2 * 4 * 64 * 2 * 9;
    CHECK(gradients({1, 1, 1}) == 2 * once);
    CHECK(gradients({0, 1, 0}) == once);
}

TEST_CASE("Attention takes two products, its gradients five", "[bench]") {
    const auto q = tensor({2, 8, 10, 64});
    const auto kv = tensor({2, 8, 20, 64});
    const double once = 2.0 * 2 * 8 * 10 * 20 * 64;
    CHECK(
        work("aten::_scaled_dot_product_flash_attention_for_cpu", {q, kv, kv}, {2, 8, 10, 64})
            .product_flops == 2 * once);
    CHECK(
        work(
            "aten::_scaled_dot_product_flash_attention_for_cpu_backward",
            {q, q, kv, kv},
            {2, 8, 10, 64})
            .product_flops == 5 * once);
}

TEST_CASE("What goes element by element is counted by its largest tensor", "[bench]") {
    const auto add = work("aten::add_", {tensor({4, 8}), tensor({8})}, {4, 8}, true);
    CHECK(add.other_flops == 32);
    CHECK(add.bytes == 4 * (32 + 8 + 32));
    CHECK(work("aten::sum", {tensor({4, 8})}, {}).flops() == 32);
    CHECK(work("aten::_softmax", {tensor({4, 8})}, {4, 8}).flops() == 160);
    CHECK(
        work("aten::max_pool2d_with_indices", {tensor({1, 2, 8, 8}), numbers({3, 3})}, {1, 2, 4, 4})
            .flops() == 2 * 16 * 9);
    const auto half = work_of({"aten::mul", {tensor({6}, 2)}, {{{6}, 2, false}}});
    CHECK(half.bytes == 24);
}

TEST_CASE("Upsampling weighs the values around each output", "[bench]") {
    const std::vector<ShapeArgument> from{tensor({1, 2, 4, 4}), numbers({8, 8})};
    const auto forward = [&](const char* name) { return work(name, from, {1, 2, 8, 8}); };
    // 2 x 8 x 8 outputs: of 2 x 2 values, or of 4 x 4, with a multiplication and an addition each.
    CHECK(forward("aten::upsample_bilinear2d").other_flops == 128 * 4 * 2);
    CHECK(forward("aten::upsample_bicubic2d").other_flops == 128 * 16 * 2);
    const auto nearest = forward("aten::upsample_nearest2d");
    CHECK(nearest.other_flops == 0);
    CHECK(nearest.is_known);
    CHECK(nearest.bytes == 4 * (32 + 128));
    CHECK(forward("aten::_upsample_nearest_exact2d").is_known);
    CHECK(work("aten::upsample_linear1d", {tensor({1, 2, 4})}, {1, 2, 8}).flops() == 16 * 2 * 2);
    CHECK(
        work("aten::upsample_trilinear3d", {tensor({1, 1, 2, 2, 2})}, {1, 1, 4, 4, 4}).flops() ==
        64 * 8 * 2);
    // Backward by the gradient of the output, whatever becomes of it; also where that is smaller.
    const std::vector<ShapeArgument> gradient{
        tensor({1, 2, 8, 8}), numbers({8, 8}), numbers({1, 2, 4, 4})};
    const auto backward = [&](const char* name) { return work(name, gradient, {1, 2, 4, 4}); };
    CHECK(backward("aten::upsample_bilinear2d_backward").other_flops == 128 * 4 * 2);
    CHECK(backward("aten::upsample_bicubic2d_backward").other_flops == 128 * 16 * 2);
    CHECK(backward("aten::upsample_nearest2d_backward").other_flops == 128);
    CHECK(
        work("aten::upsample_nearest2d_backward", {tensor({1, 2, 2, 2})}, {1, 2, 4, 4}).flops() ==
        8);
    CHECK_FALSE(forward("aten::_upsample_bilinear2d_aa").is_known);
    CHECK_FALSE(work("aten::upsample_nearest2d_backward", {}, {4}).is_known);
}

TEST_CASE("A number that is drawn is a function of an element", "[bench]") {
    const auto mask = work("aten::bernoulli_", {tensor({4, 8})}, {4, 8}, true);
    CHECK(mask.other_flops == 32);
    CHECK(mask.is_known);
    CHECK(work("aten::uniform_", {tensor({4, 8})}, {4, 8}, true).flops() == 64);
    CHECK(work("aten::rand", {numbers({4, 8})}, {4, 8}).flops() == 64);
}

TEST_CASE("Views and allocations take nothing, lookups what they take out", "[bench]") {
    CHECK(work("aten::t", {tensor({4, 8})}, {8, 4}, true).bytes == 0);
    CHECK(work("aten::empty", {}, {1000}).bytes == 0);
    const auto lookup = work("aten::embedding", {tensor({30'000, 8}), tensor({2}, 8)}, {2, 8});
    CHECK(lookup.bytes == 64 + 16 + 64);
    CHECK(lookup.flops() == 0);
    CHECK(lookup.is_known);
    CHECK_FALSE(work("aten::linalg_svd", {tensor({4, 4})}, {4, 4}).is_known);
    CHECK_FALSE(work("mylib::f", {}, {}).is_known);
    CHECK(work("aten::mm", {}, {}).flops() == 0);  // nothing is known of its factors
}

TEST_CASE("What an operator calls is counted once", "[bench]") {
    const Work mm{60, 0, 124, true};
    const Work relu{0, 10, 80, true};
    const Work converted{0, 0, 12, true};
    const Work both = mm + relu;
    CHECK(both.flops() == 70);
    CHECK(with_calls({0, 0, 124, false}, both).flops() == 70);  // linear calls addmm
    CHECK(with_calls({60, 0, 124, true}, mm).flops() == 60);    // a convolution and its kernel
    CHECK(with_calls({60, 0, 124, true}, relu).flops() == 60);  // a convolution that pads
    CHECK(with_calls(relu, converted).flops() == 10);           // an addition of a number
}

TEST_CASE("A roofline has two shares and says which is the limit", "[bench]") {
    const Peaks peaks{40e9, 10e9, "Float"};  // 4 operations a byte
    const auto product = roofline_json({8e6, 0, 1e6, true}, 1e6, peaks);
    CHECK(product.at("flops_per_s") == 8e9);
    CHECK(product.at("of_peak_flops") == 0.2);
    CHECK(product.at("of_peak_bytes") == 0.1);
    CHECK(product.at("intensity") == 8);
    CHECK(product.at("bound") == "compute");
    CHECK(roofline_json({0, 1e6, 1e6, true}, 1e6, peaks).at("bound") == "memory");
    CHECK(roofline_json({}, 0, peaks).at("flops_per_s") == 0);
    CHECK(roofline_json({8e6, 0, 1e6, true}, 1e6, {}).count("bound") == 0);
    const auto text = roofline_text({8e6, 0, 1e6, true}, 1e6, peaks);
    CHECK_THAT(text, Contains("8 GFLOP/s") && Contains("20.0 %") && Contains("compute-bound"));
}
