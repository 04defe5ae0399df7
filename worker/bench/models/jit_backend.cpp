#include <new>

#include <ATen/core/grad_mode.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/frontend/tracer.h>

#include "worker/bench/models/loaded_model.hpp"
#include "worker/bench/models/script_model.hpp"

// Tracing, freezing and optimising by LibTorch's own compiler.

namespace vigil_bench {

namespace {

namespace jit = torch::jit;

jit::IValue tuple_of(const Tensors& values) {
    std::vector<jit::IValue> elements(values.begin(), values.end());
    return c10::ivalue::Tuple::create(std::move(elements));
}

/// A module whose forward is what the model did with these inputs.
jit::Module trace(LoadedModel& model, const Tensors& inputs) {
    jit::Module module("__torch__.vigil_bench.Traced");
    const auto run = [&](jit::Stack stack) {
        Tensors given;
        for (const auto& value : stack) given.push_back(value.toTensor());
        return jit::Stack{tuple_of(model.answer(given))};
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

Compiled compile_with_jit(LoadedModel& model, const Tensors& inputs) {
    try {
        const jit::Module* const script = find_script(model);
        const jit::Module whole = script != nullptr ? *script : trace(model, inputs);
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
