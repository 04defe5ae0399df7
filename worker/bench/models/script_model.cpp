#include "worker/bench/models/script_model.hpp"

#include <new>

#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/serialization/import.h>

#include "worker/bench/models/random_inputs.hpp"

namespace vigil_bench {

namespace {

namespace jit = torch::jit;

constexpr int max_nesting = 64;

void collect(const c10::IValue& value, Tensors& found, int depth) {
    if (depth > max_nesting) return;
    if (value.isTensor()) {
        if (value.toTensor().defined()) found.push_back(value.toTensor());
    } else if (value.isTuple()) {
        for (const auto& element : value.toTupleRef().elements())
            collect(element, found, depth + 1);
    } else if (value.isList()) {
        for (const auto& element : value.toListRef()) collect(element, found, depth + 1);
    } else if (value.isGenericDict()) {
        for (const auto& entry : value.toGenericDict()) collect(entry.value(), found, depth + 1);
    }
}

class ScriptModel final : public LoadedModel {
  public:
    ScriptModel(jit::Module module, std::vector<InputShape> shapes)
        : module_(std::move(module)), shapes_(std::move(shapes)) {}

    Tensors make_inputs(std::int64_t batch) const override { return random_inputs(shapes_, batch); }

    Tensors answer(const Tensors& inputs) override {
        const std::vector<jit::IValue> values(inputs.begin(), inputs.end());
        auto outputs = tensors_of(module_.forward(values));
        if (outputs.empty()) throw BadFileError("the model file's forward answers no tensor");
        return outputs;
    }

    /// The mean square of everything it answers.
    at::Tensor loss(const Tensors& inputs) override {
        at::Tensor sum;
        for (const auto& output : answer(inputs)) {
            if (!output.is_floating_point() || !output.requires_grad()) continue;
            const at::Tensor square = output.square().mean();
            sum = sum.defined() ? sum + square : square;
        }
        if (!sum.defined()) {
            throw UnsupportedError("the file's model has no output that depends on a weight");
        }
        return sum;
    }

    void set_training(bool is_training) override { module_.train(is_training); }

    std::vector<NamedTensor> named_parameters() const override {
        std::vector<NamedTensor> named;
        for (const auto& item : module_.named_parameters()) {
            named.push_back({item.name, item.value});
        }
        return named;
    }

    void convert(at::ScalarType type) override { module_.to(type); }
    void move_to(c10::Device device) override { module_.to(device); }
    Reference reference() const override { return Reference::maybe; }
    const jit::Module& script() const { return module_; }

  private:
    jit::Module module_;
    std::vector<InputShape> shapes_;
};

jit::Module load(const std::string& path, c10::Device device) {
    check_model_file(path);
    try {
        return jit::load(path, device);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& why) {
        if (is_out_of_memory(why)) throw;
        refuse_model_file(path, "is no TorchScript that can be loaded: " + message_of(why));
    }
}

/// Compares the inputs with what forward takes.
void check_inputs(const jit::Module& module, const std::string& path, std::size_t given) {
    const auto forward = module.find_method("forward");
    if (!forward) refuse_model_file(path, "has no method forward");
    std::size_t most = 0;
    std::size_t least = 0;
    for (const auto& argument : forward->function().getSchema().arguments()) {
        ++most;
        if (!argument.default_value()) ++least;
    }
    --most;  // self
    --least;
    if (given >= least && given <= most) return;
    throw UsageError(
        "the forward of '" + path + "' takes " + std::to_string(least) +
        (most > least ? " to " + std::to_string(most) : "") + " inputs, --input gives " +
        std::to_string(given));
}

}  // namespace

const jit::Module* find_script(const LoadedModel& model) {
    const auto* script = dynamic_cast<const ScriptModel*>(&model);
    return script != nullptr ? &script->script() : nullptr;
}

Tensors tensors_of(const c10::IValue& value) {
    Tensors found;
    collect(value, found, 0);
    return found;
}

ModelMaker script_model_maker(
    const std::string& path, const std::vector<InputShape>& inputs, c10::Device device) {
    return [path, inputs, device] {
        jit::Module module = load(path, device);
        check_inputs(module, path, inputs.size());
        return std::make_unique<ScriptModel>(std::move(module), inputs);
    };
}

}  // namespace vigil_bench
