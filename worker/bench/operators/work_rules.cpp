#include "worker/bench/operators/work_rules.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string_view>

namespace vigil_bench {

namespace {

/// Names between blanks.
struct ElementRule {
    double flops;
    std::string_view names;
};

// clang-format off
constexpr ElementRule element_rules[] = {
    {1,
     " abs acos add all amax amin any argmax argmin asin atan atan2 ceil clamp "
     "clamp_max clamp_min cos cumsum cumprod div eq erf erfc exp expm1 floor fmod ge "
     "gt hardtanh isnan le log log10 log1p log2 logical_and logical_not logical_or lt "
     "max maximum mean min minimum mul ne neg pow prod reciprocal relu relu6 "
     "remainder round rsqrt rsub sigmoid sign sin sqrt square sub sum tan tanh "
     "threshold threshold_backward trunc adaptive_avg_pool2d _adaptive_avg_pool2d "
     "_adaptive_avg_pool2d_backward dropout nll_loss_forward "
     // Drawn: a function of each number that the generator makes.
     "bernoulli "},
    {2,
     " addcmul addcdiv hardtanh_backward leaky_relu lerp linalg_vector_norm "
     "native_dropout native_dropout_backward norm prelu silu glu "
     // Drawn between two bounds: times their distance, plus the lower one.
     "rand rand_like uniform "},
    {3,
     " elu hardsigmoid leaky_relu_backward logsumexp mse_loss mse_loss_backward "
     "sigmoid_backward softplus std tanh_backward var var_mean std_mean "
     "smooth_l1_loss huber_loss "},
    {4,
     " hardswish _softmax_backward_data _log_softmax_backward_data "
     "binary_cross_entropy mish _weight_norm "},
    {5,
     " gelu _softmax _log_softmax silu_backward elu_backward "
     "binary_cross_entropy_with_logits "},
    // Mean, spread, shift and scale, then the learned shift and scale.
    {8,
     " native_batch_norm native_group_norm native_layer_norm "},
    {9,
     " native_batch_norm_backward native_group_norm_backward "
     "native_layer_norm_backward gelu_backward hardswish_backward "},
};
// clang-format on

bool is_among(std::string_view names, const std::string& name) {
    return names.find(" " + name + " ") != std::string_view::npos;
}

const TensorShape* tensor_at(const OperatorShapes& call, std::size_t place) {
    if (place >= call.arguments.size() || call.arguments[place].tensors.empty()) return nullptr;
    return &call.arguments[place].tensors.front();
}

std::int64_t number_at(const OperatorShapes& call, std::size_t argument, std::size_t place = 0) {
    if (argument >= call.arguments.size()) return 0;
    const auto& numbers = call.arguments[argument].numbers;
    return place < numbers.size() ? numbers[place] : 0;
}

double size_at(const TensorShape& tensor, std::size_t from_end) {
    if (from_end >= tensor.sizes.size()) return 1;
    return static_cast<double>(tensor.sizes[tensor.sizes.size() - 1 - from_end]);
}

/// [.., m, k] x [.., k, n]: each element of the first meets n of the second.
/// @param first  place of the first factor among the arguments
double product(const OperatorShapes& call, std::size_t first) {
    const auto* const a = tensor_at(call, first);
    const auto* const b = tensor_at(call, first + 1);
    if (a == nullptr || b == nullptr) return 0;
    return 2 * a->count() * (b->sizes.size() < 2 ? 1 : size_at(*b, 0));
}

/// Each value of the wide side meets the weights of one output (or input) channel.
double convolution(const TensorShape& positions, const TensorShape& weight) {
    if (weight.sizes.empty() || weight.sizes[0] == 0) return 0;
    return 2 * positions.count() * weight.count() / static_cast<double>(weight.sizes[0]);
}

/// @param transposed  place of that argument; 0: the operator has none
double forward_convolution(const OperatorShapes& call, std::size_t transposed) {
    const auto* const input = tensor_at(call, 0);
    const auto* const weight = tensor_at(call, 1);
    if (input == nullptr || weight == nullptr || call.outputs.empty()) return 0;
    const bool is_transposed = transposed != 0 && number_at(call, transposed) != 0;
    return convolution(is_transposed ? *input : call.outputs.front(), *weight);
}

double transposed_convolution(const OperatorShapes& call) {
    const auto* const input = tensor_at(call, 0);
    const auto* const weight = tensor_at(call, 1);
    return input == nullptr || weight == nullptr ? 0 : convolution(*input, *weight);
}

/// convolution_backward(grad, input, weight, bias sizes, stride, padding, dilation, transposed,
/// output padding, groups, output mask): the input's gradient and the weight's take one
/// convolution each.
double backward_convolution(const OperatorShapes& call) {
    const auto* const gradient = tensor_at(call, 0);
    const auto* const input = tensor_at(call, 1);
    const auto* const weight = tensor_at(call, 2);
    if (gradient == nullptr || input == nullptr || weight == nullptr) return 0;
    const double once = convolution(number_at(call, 7) != 0 ? *input : *gradient, *weight);
    return once * static_cast<double>(number_at(call, 10, 0) + number_at(call, 10, 1));
}

/// Products of queries [.., l, d] with keys [.., s, d], and of weights [.., l, s] with values.
/// @param first  place of the queries
double attention(const OperatorShapes& call, std::size_t first, double of_keys, double of_values) {
    const auto* const queries = tensor_at(call, first);
    const auto* const keys = tensor_at(call, first + 1);
    const auto* const values = tensor_at(call, first + 2);
    if (queries == nullptr || keys == nullptr || values == nullptr) return 0;
    const double rows = queries->count() / std::max(1.0, size_at(*queries, 0));
    const double pairs = rows * size_at(*keys, 1);
    return 2 * pairs * (of_keys * size_at(*queries, 0) + of_values * size_at(*values, 0));
}

/// A layer of an LSTM over [steps, batch, in], by its two matrices of weights.
double recurrent_layer(const OperatorShapes& call) {
    const auto* const input = tensor_at(call, 0);
    const auto* const weight = tensor_at(call, 1);
    const auto* const recurrent = tensor_at(call, 2);
    if (input == nullptr || weight == nullptr || recurrent == nullptr) return 0;
    const double rows = input->count() / std::max(1.0, size_at(*input, 0));
    return 2 * rows * (weight->count() + recurrent->count());
}

using Formula = std::function<double(const OperatorShapes&)>;

const std::map<std::string, Formula>& formulas() {
    const auto at = [](std::size_t first) {
        return [first](const OperatorShapes& call) { return product(call, first); };
    };
    const auto convolved = [](std::size_t transposed) {
        return [transposed](const OperatorShapes& call) {
            return forward_convolution(call, transposed);
        };
    };
    const auto attended = [](std::size_t first, double of_keys, double of_values) {
        return
            [=](const OperatorShapes& call) { return attention(call, first, of_keys, of_values); };
    };
    static const std::map<std::string, Formula> all{
        {"mm", at(0)},
        {"bmm", at(0)},
        {"mv", at(0)},
        {"dot", at(0)},
        {"addmm", at(1)},
        {"addbmm", at(1)},
        {"baddbmm", at(1)},
        {"addmv", at(1)},
        {"_addmm_activation", at(1)},
        {"convolution", convolved(6)},
        {"_convolution", convolved(6)},
        {"convolution_overrideable", convolved(6)},
        {"mkldnn_convolution", convolved(0)},
        {"cudnn_convolution", convolved(0)},
        {"thnn_conv2d", convolved(0)},
        {"_slow_conv2d_forward", convolved(0)},
        {"slow_conv3d", convolved(0)},
        {"slow_conv3d_forward", convolved(0)},
        {"slow_conv_dilated2d", convolved(0)},
        {"slow_conv_dilated3d", convolved(0)},
        {"conv_depthwise3d", convolved(0)},
        {"_conv_depthwise2d", convolved(0)},
        {"slow_conv_transpose2d", transposed_convolution},
        {"slow_conv_transpose3d", transposed_convolution},
        {"cudnn_convolution_transpose", transposed_convolution},
        {"convolution_backward", backward_convolution},
        {"mkldnn_rnn_layer", recurrent_layer},
        {"_scaled_dot_product_attention_math", attended(0, 1, 1)},
        {"_scaled_dot_product_flash_attention", attended(0, 1, 1)},
        {"_scaled_dot_product_flash_attention_for_cpu", attended(0, 1, 1)},
        {"_scaled_dot_product_efficient_attention", attended(0, 1, 1)},
        {"_scaled_dot_product_cudnn_attention", attended(0, 1, 1)},
        // Backward: the weights again, then the gradients of values, weights, queries and keys.
        {"_scaled_dot_product_flash_attention_backward", attended(1, 3, 2)},
        {"_scaled_dot_product_flash_attention_for_cpu_backward", attended(1, 3, 2)},
        {"_scaled_dot_product_efficient_attention_backward", attended(1, 3, 2)},
        {"_scaled_dot_product_cudnn_attention_backward", attended(1, 3, 2)},
    };
    return all;
}

/// Values of the input that an output of an upsampling is the weighted sum of: two in each
/// direction, or four where it is cubic. The weights are computed once for a row or column.
double weighted_values(const std::string& name) {
    static const std::map<std::string, double> all{
        {"upsample_linear1d", 2},
        {"upsample_bilinear2d", 4},
        {"upsample_trilinear3d", 8},
        {"upsample_bicubic2d", 16}};
    const auto found = all.find(name);
    return found == all.end() ? 0 : found->second;
}

/// Forward by its output, backward by the gradient of that. The nearest one is copied forward, and
/// its gradient is added up.
std::optional<double> upsampling(const std::string& name, const OperatorShapes& call) {
    constexpr std::string_view of_gradient = "_backward";
    const auto at = name.rfind(of_gradient);
    const bool is_backward = at != std::string::npos && at + of_gradient.size() == name.size();
    const std::string forward = is_backward ? name.substr(0, at) : name;
    const auto* const gradient = tensor_at(call, 0);
    if (is_backward ? gradient == nullptr : call.outputs.empty()) return std::nullopt;
    const double values = is_backward ? gradient->count() : call.outputs.front().count();
    const bool is_nearest = forward.rfind("upsample_nearest", 0) == 0 ||
                            forward.rfind("_upsample_nearest_exact", 0) == 0;
    if (is_nearest) return is_backward ? values : 0;
    const double weighted = weighted_values(forward);
    if (weighted == 0) return std::nullopt;
    return 2 * weighted * values;
}

/// Each output looks at a window of the input, whose size is the second argument.
double window(const OperatorShapes& call) {
    if (call.arguments.size() < 2 || call.outputs.empty()) return 0;
    double size = 1;
    for (const auto side : call.arguments[1].numbers) size *= static_cast<double>(side);
    // One number stands for both sides of a picture.
    const bool is_square =
        call.arguments[1].numbers.size() == 1 && call.outputs[0].sizes.size() > 3;
    return call.outputs.front().count() * (is_square ? size * size : size);
}

}  // namespace

std::optional<double> window_flops_of(const std::string& name, const OperatorShapes& call) {
    static const std::set<std::string> names{
        "avg_pool1d",
        "avg_pool2d",
        "avg_pool3d",
        "max_pool2d_with_indices",
        "max_pool3d_with_indices",
        "mkldnn_max_pool2d"};
    if (names.count(name) == 0) return upsampling(name, call);
    return window(call);
}

std::optional<double> product_flops_of(const std::string& name, const OperatorShapes& call) {
    const auto formula = formulas().find(name);
    if (formula == formulas().end()) return std::nullopt;
    return formula->second(call);
}

std::optional<double> flops_per_element(const std::string& name) {
    for (const auto& rule : element_rules) {
        if (is_among(rule.names, name)) return rule.flops;
    }
    return std::nullopt;
}

bool is_without_flops(const std::string& name) {
    return is_among(
        " _index_put_impl _to_copy cat clone constant_pad_nd contiguous copy embedding "
        "embedding_dense_backward fill flip gather index index_put index_select masked_fill "
        "nonzero one_hot ones repeat roll scatter scatter_add stack to tril triu where zero "
        "zeros arange full ",
        name);
}

bool is_allocation(const std::string& name) {
    return is_among(
        " empty empty_like empty_strided new_empty new_empty_strided resize resize_as set "
        "_local_scalar_dense item is_nonzero result_type ",
        name);
}

bool reads_a_part(const std::string& name) {
    return is_among(" embedding embedding_bag _embedding_bag gather index index_select ", name);
}

}  // namespace vigil_bench
