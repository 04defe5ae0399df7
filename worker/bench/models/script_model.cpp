#include "worker/bench/models/script_model.hpp"

#include <new>

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/serialization/import.h>

#include "worker/bench/models/random_inputs.hpp"
#include "worker/bench/models/subject.hpp"

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

/// All tensors in a value of tuples, lists and dictionaries, in their order.
Tensors tensors_of(const c10::IValue& value) {
    Tensors found;
    collect(value, found, 0);
    return found;
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

    std::function<void()> remember_state() override {
        struct Kept {
            jit::Module module;
            std::string name;
            c10::IValue value;
        };
        std::vector<Kept> all;
        for (const auto& module : module_.modules()) {
            for (const auto& item : module.named_attributes(false)) {
                if (item.value.isModule() || is_weight(module, item.name)) continue;
                const bool is_tensor = item.value.isTensor() && item.value.toTensor().defined();
                all.push_back(
                    {module,
                     item.name,
                     is_tensor ? c10::IValue(item.value.toTensor().detach().clone()) : item.value});
            }
        }
        return [all] {
            const at::NoGradGuard no_grad;
            for (const auto& [module, name, value] : all) {
                if (value.isTensor() && value.toTensor().defined()) {
                    module.attr(name).toTensor().copy_(value.toTensor());
                } else {
                    jit::Module(module).setattr(name, value);
                }
            }
        };
    }

    const jit::Module& script() const { return module_; }

  private:
    static bool is_weight(const jit::Module& module, const std::string& name) {
        return module.type()->is_parameter(module.type()->getAttributeSlot(name));
    }

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

jit::IValue tuple_of(const Tensors& values) {
    std::vector<jit::IValue> elements(values.begin(), values.end());
    return c10::ivalue::Tuple::create(std::move(elements));
}

/// A module whose forward is what the model did with these inputs: its answer, then its choices.
jit::Module trace(LoadedModel& model, const Tensors& inputs) {
    jit::Module module("__torch__.vigil_bench.Traced");
    const auto run = [&](jit::Stack stack) {
        Tensors given;
        for (const auto& value : stack) given.push_back(value.toTensor());
        Tensors all = model.answer(given);
        for (const auto& choice : model.choices()) all.push_back(choice);
        return jit::Stack{tuple_of(all)};
    };
    const auto no_name = [](const at::Tensor&) { return std::string(); };
    constexpr bool strict = true;
    constexpr bool force_outplace = false;
    const jit::Stack stack(inputs.begin(), inputs.end());
    const auto traced = jit::tracer::trace(stack, run, no_name, strict, force_outplace, &module);
    const c10::QualifiedName name(*module.type()->name(), "forward");
    auto* const function =
        module._ivalue()->compilation_unit()->create_function(name, traced.first->graph);
    module.type()->addMethod(function);
    return module;
}

}  // namespace

ModelMaker script_model_maker(
    const std::string& path, const std::vector<InputShape>& inputs, c10::Device device) {
    return [path, inputs, device] {
        jit::Module module = load(path, device);
        check_inputs(module, path, inputs.size());
        return std::make_unique<ScriptModel>(std::move(module), inputs);
    };
}

Compiled compile_with_jit(LoadedModel& model, const Tensors& inputs) {
    try {
        const auto* const script = dynamic_cast<const ScriptModel*>(&model);
        const jit::Module whole = script != nullptr ? script->script() : trace(model, inputs);
        jit::Module frozen = jit::freeze(whole);
        auto optimised = std::make_shared<jit::Module>(jit::optimize_for_inference(frozen));
        return [optimised](const Tensors& given) {
            const std::vector<jit::IValue> values(given.begin(), given.end());
            return tensors_of(optimised->forward(values));
        };
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        const std::string said = message_of(error);  // may end with a whole tensor
        throw UnsupportedError(
            "the model cannot be traced: " + said.substr(0, said.find(" Tensor:")));
    }
}

}  // namespace vigil_bench
