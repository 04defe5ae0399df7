#include "worker/bench/models/cage.hpp"

#include <algorithm>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include "worker/bench/device/torch_device.hpp"
#include "worker/bench/models/subject.hpp"

namespace vigil_bench {

namespace {

void convert(Tensors& inputs, at::ScalarType type) {
    for (auto& input : inputs) {
        if (input.is_floating_point()) input = input.to(type);
    }
}

/// Of images, and of the weights of a convolution, which have as many dimensions.
bool has_channels(const at::Tensor& value) {
    return value.is_floating_point() && (value.dim() == 4 || value.dim() == 5);
}

at::Tensor with_channels_last(const at::Tensor& value) {
    return value.contiguous(
        value.dim() == 4 ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::ChannelsLast3d);
}

void lay_out(Tensors& inputs) {
    for (auto& input : inputs) {
        if (has_channels(input)) input = with_channels_last(input);
    }
}

void move_to(c10::Device device, Tensors& inputs) {
    for (auto& input : inputs) input = input.to(device);
}

}  // namespace

at::ScalarType weight_type(Precision precision) {
    if (precision == Precision::bf16) return at::kBFloat16;
    return precision == Precision::fp16 ? at::kHalf : at::kFloat;
}

at::ScalarType computing_type(Precision precision) {
    if (precision == Precision::tf32 || precision == Precision::amp_fp16) return at::kHalf;
    return precision == Precision::amp ? at::kBFloat16 : weight_type(precision);
}

Cage::Cage(const ModelMaker& make, std::int64_t batch, const Arguments& arguments)
    : device(torch_device(arguments)), layout_(arguments.layout) {
    at::manual_seed(arguments.seed);
    model = make();
    if (arguments.rank > 0) {
        at::manual_seed(arguments.seed + static_cast<std::uint64_t>(arguments.rank));
    }
    inputs = model->make_inputs(batch);
    const auto type = weight_type(arguments.precision);
    if (type != at::kFloat) to(type);
    if (layout_ == Layout::channels_last) lay_channels_last();
    if (device.is_cpu()) return;
    model->move_to(device);
    move_to(device, inputs);
}

Tensors Cage::more_inputs(std::int64_t batch, Precision precision) const {
    Tensors others = model->make_inputs(batch);
    convert(others, weight_type(precision));
    if (layout_ == Layout::channels_last) lay_out(others);
    move_to(device, others);
    return others;
}

std::string Cage::to_reference(const std::function<void()>& try_it) {
    const Reference reference = model->reference();
    if (reference == Reference::none) return "compiled code cannot be turned into float64";
    try {
        to(at::kDouble);
        if (reference == Reference::maybe || !device.is_cpu()) try_it();
    } catch (const std::exception& error) {
        if (is_out_of_gpu_memory(error)) return "float64 takes more memory than the GPU has";
        if (reference == Reference::sure || is_out_of_memory(error)) throw;
        return "the file's model does not run in float64: " + message_of(error);
    }
    return "";
}

/// Conversions and copies keep it from here on.
void Cage::lay_channels_last() {
    if (std::none_of(inputs.begin(), inputs.end(), has_channels)) {
        throw UnsupportedError("--layout channels_last: the model reads no images");
    }
    lay_out(inputs);
    const at::NoGradGuard no_grad;
    for (const auto& parameter : model->named_parameters()) {
        const at::Tensor& value = parameter.value;
        if (has_channels(value)) value.set_data(with_channels_last(value));
    }
}

void Cage::to(at::ScalarType type) {
    model->convert(type);
    convert(inputs, type);
}

std::vector<NamedTensor> Cage::rounded(
    double ratio, std::uint64_t seed, const std::function<std::vector<NamedTensor>()>& compute) {
    auto generator = at::detail::createCPUGenerator(seed);
    const auto changed = [&](const at::Tensor& value) {
        const at::NoGradGuard no_grad;
        if (!value.is_floating_point()) return value;
        auto by = at::empty(value.sizes(), at::kDouble).uniform_(-ratio, ratio, generator);
        return (value.detach() * by.add_(1).to(value.device())).to(value.scalar_type());
    };
    const auto parameters = model->named_parameters();
    const Tensors kept_inputs = inputs;
    Tensors kept;
    for (const auto& parameter : parameters) {
        const at::NoGradGuard no_grad;
        kept.push_back(parameter.value.detach().clone());
        at::Tensor(parameter.value).copy_(changed(parameter.value));
    }
    for (auto& input : inputs) input = changed(input);
    auto results = compute();
    const at::NoGradGuard no_grad;
    for (std::size_t i = 0; i < kept.size(); ++i) at::Tensor(parameters[i].value).copy_(kept[i]);
    inputs = kept_inputs;
    return results;
}

std::vector<NamedMemory> Cage::named_memory() const {
    std::vector<NamedMemory> all;
    const auto add = [&](const std::vector<NamedTensor>& values) {
        for (const auto& [name, value] : values) {
            if (!value.defined() || !value.has_storage()) continue;
            all.push_back({name, value.storage().unsafeGetStorageImpl()});
        }
    };
    add(model->named_parameters());
    add(model->named_buffers());
    return all;
}

at::Tensor Cage::random_state() const {
    return at::globalContext().defaultGenerator(device).get_state();
}

}  // namespace vigil_bench
