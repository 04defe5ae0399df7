#include "worker/bench/models/loaded_subject.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>
#include <utility>

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>

#include "worker/bench/device/torch_device.hpp"
#include "worker/bench/models/autocast.hpp"
#include "worker/bench/models/script_model.hpp"

// A loaded model as what is measured: in a mode, a precision, with a backend.

namespace vigil_bench {

namespace {

/// Small: measuring takes thousands of steps on one batch, which must not diverge.
constexpr double learning_rate = 1e-4;

void convert(Tensors& inputs, at::ScalarType type) {
    for (auto& input : inputs) {
        if (input.is_floating_point()) input = input.to(type);
    }
}

/// What weights and inputs are turned into.
at::ScalarType weight_type(Precision precision) {
    if (precision == Precision::bf16) return at::kBFloat16;
    return precision == Precision::fp16 ? at::kHalf : at::kFloat;
}

/// What most is computed in. TF32 has the mantissa of float16.
at::ScalarType computing_type(Precision precision) {
    if (precision == Precision::tf32) return at::kHalf;
    return precision == Precision::amp ? at::kBFloat16 : weight_type(precision);
}

void move_to(c10::Device device, Tensors& inputs) {
    for (auto& input : inputs) input = input.to(device);
}

/// A model with a batch of inputs; equal seeds give equal weights and inputs on every device, since
/// both are made on the CPU.
struct Cage {
    Cage(const ModelMaker& make, std::int64_t batch, const Arguments& arguments)
        : device(torch_device(arguments)) {
        at::manual_seed(arguments.seed);
        model = make();
        if (arguments.rank > 0) {
            at::manual_seed(arguments.seed + static_cast<std::uint64_t>(arguments.rank));
        }
        inputs = model->make_inputs(batch);
        const auto type = weight_type(arguments.precision);
        if (type != at::kFloat) to(type);
        if (device.is_cpu()) return;
        model->move_to(device);
        move_to(device, inputs);
    }

    void to(at::ScalarType type) {
        model->convert(type);
        convert(inputs, type);
    }

    /// For the reference. @return why there is none; empty: it is float64
    std::string to_reference(const std::function<void()>& try_it) {
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

    c10::Device device;
    std::unique_ptr<LoadedModel> model;
    Tensors inputs;
};

class LoadedInference final : public Subject {
  public:
    LoadedInference(const ModelMaker& make, std::int64_t batch, const Arguments& arguments)
        : batch_(batch),
          seed_(arguments.seed),
          precision_(arguments.precision),
          cage_(make, batch, arguments) {
        cage_.model->set_training(false);
        if (arguments.backend == Backend::jit) compile();
    }

    void iterate() override { run(cage_.inputs); }

    AnswerCheck check_answer() override {
        AnswerCheck check;
        const auto actuals = answers();
        check.nondeterminism = find_nondeterminism(prints_of(actuals), prints_of(answers()));
        compiled_ = nullptr;
        precision_ = Precision::fp32;
        check.unchecked = cage_.to_reference([&] { run(cage_.inputs); });
        if (!check.unchecked.empty()) return check;
        check.wrong =
            find_disagreement(actuals, answers(), tolerance_of(computing_type_, Compared::answers));
        return check;
    }

    std::int64_t batch() const override { return batch_; }
    double compile_time_ns() const override { return compile_time_ns_; }

  private:
    Tensors run(const Tensors& inputs) {
        const at::NoGradGuard no_grad;
        if (compiled_) return compiled_(inputs);
        const Autocast autocast(precision_ == Precision::amp, cage_.device.type());
        return cage_.model->answer(inputs);
    }

    void compile() {
        for (auto& parameter : cage_.model->named_parameters()) {
            parameter.value.requires_grad_(false);
        }
        const auto start = std::chrono::steady_clock::now();
        {
            const at::NoGradGuard no_grad;
            const NoAutocastCache no_cache;
            const Autocast autocast(precision_ == Precision::amp, cage_.device.type());
            compiled_ = compile_with_jit(*cage_.model, cage_.inputs);
            // LibTorch looks at the first call and compiles in the second.
            constexpr int calls_until_compiled = 2;
            for (int i = 0; i < calls_until_compiled; ++i) compiled_(cage_.inputs);
        }
        const std::chrono::duration<double, std::nano> taken =
            std::chrono::steady_clock::now() - start;
        compile_time_ns_ = taken.count();
        refuse_what_holds_for_one_batch();
    }

    /// A trace takes for granted whatever the model decided by its inputs' values, or computed
    /// where the tracer does not look (a derivative): such a trace is fast and wrong.
    void refuse_what_holds_for_one_batch() {
        at::manual_seed(seed_ + 1);
        Tensors others = cage_.model->make_inputs(batch_);
        convert(others, weight_type(precision_));
        move_to(cage_.device, others);
        const auto traced = named(run_seeded(others));
        const auto compiled = std::exchange(compiled_, nullptr);
        const auto eager = named(run_seeded(others));
        compiled_ = compiled;
        const auto found =
            find_disagreement(traced, eager, tolerance_of(computing_type_, Compared::answers));
        if (found.empty()) return;
        throw UnsupportedError(
            "the model cannot be traced: the trace of one batch is not true of another (" + found +
            ")");
    }

    Tensors run_seeded(const Tensors& inputs) {
        at::manual_seed(seed_);
        return run(inputs);
    }

    std::vector<NamedTensor> answers() { return named(run_seeded(cage_.inputs)); }

    static std::vector<NamedTensor> named(Tensors values) {
        std::vector<NamedTensor> all;
        for (auto& value : values) {
            all.push_back({"output " + std::to_string(all.size()), std::move(value)});
        }
        return all;
    }

    std::int64_t batch_;
    std::uint64_t seed_;
    Precision precision_;
    at::ScalarType computing_type_ = computing_type(precision_);
    Cage cage_;
    Compiled compiled_;
    double compile_time_ns_ = 0;
};

class LoadedTraining final : public Subject {
  public:
    LoadedTraining(ModelMaker make, std::int64_t batch, const Arguments& arguments)
        : make_(std::move(make)),
          batch_(batch),
          arguments_(arguments),
          precision_(arguments.precision) {
        build();
    }

    void iterate() override {
        backward();
        if (share_) share_with_others();
        const at::NoGradGuard no_grad;
        for (auto& parameter : parameters_) {
            if (parameter.grad().defined()) parameter.add_(parameter.grad(), -learning_rate);
        }
    }

    /// From fresh weights, so that the verdict does not depend on how many steps were measured.
    AnswerCheck check_answer() override {
        AnswerCheck check;
        const double last_loss = loss_.to(at::kDouble).item<double>();
        if (!std::isfinite(last_loss)) {
            check.wrong = std::string("the loss after the measured steps is ") +
                          (std::isnan(last_loss) ? "NaN" : "infinite");
            return check;
        }
        parameters_.clear();
        cage_.reset();
        build();
        const auto type = computing_type(precision_);
        const auto once = prints_of(gradients());
        const auto actuals = gradients();
        check.nondeterminism = find_nondeterminism(once, prints_of(actuals));
        const NamedTensor loss{"the loss", loss_};
        precision_ = Precision::fp32;
        check.unchecked = cage_->to_reference([&] { backward(); });
        if (!check.unchecked.empty()) return check;
        const auto references = gradients();
        check.wrong =
            find_disagreement({loss}, {{"the loss", loss_}}, tolerance_of(type, Compared::answers));
        if (check.wrong.empty()) {
            check.wrong =
                find_disagreement(actuals, references, tolerance_of(type, Compared::gradients));
        }
        return check;
    }

    std::int64_t batch() const override { return batch_; }

    std::size_t share_gradients(ShareGradients share) override {
        share_ = std::move(share);
        shared_.clear();
        std::size_t count = 0;
        for (const auto& parameter : parameters_) {
            count += static_cast<std::size_t>(parameter.numel());
        }
        shared_.resize(count);
        return count;
    }

  private:
    void build() {
        cage_ = std::make_unique<Cage>(make_, batch_, arguments_);
        cage_->model->set_training(true);
        for (auto& parameter : cage_->model->named_parameters()) {
            parameters_.push_back(parameter.value);
        }
    }

    void backward() {
        for (auto& parameter : parameters_) parameter.mutable_grad() = at::Tensor();
        at::Tensor loss;
        {
            const Autocast autocast(precision_ == Precision::amp, cage_->device.type());
            loss = cage_->model->loss(cage_->inputs);
        }
        loss.backward();
        loss_ = loss.detach();
    }

    /// Of all parameters, taken out of them.
    std::vector<NamedTensor> gradients() {
        at::manual_seed(arguments_.seed);
        backward();
        std::vector<NamedTensor> named;
        for (auto& item : cage_->model->named_parameters()) {
            named.push_back({"the gradient of " + item.name, item.value.grad()});
            item.value.mutable_grad() = at::Tensor();
        }
        return named;
    }

    void share_with_others() {
        const at::NoGradGuard no_grad;
        std::size_t at = 0;
        const auto values_of = [&](const at::Tensor& parameter) {
            return at::from_blob(shared_.data() + at, parameter.sizes(), at::kFloat);
        };
        for (auto& parameter : parameters_) {
            const auto& gradient = parameter.grad();
            auto values = values_of(parameter);
            if (!gradient.defined()) {
                values.zero_();
            } else {
                values.copy_(gradient.is_sparse() ? gradient.to_dense() : gradient);
            }
            at += static_cast<std::size_t>(parameter.numel());
        }
        share_(shared_.data(), shared_.size());
        at = 0;
        for (auto& parameter : parameters_) {
            auto& gradient = parameter.mutable_grad();
            if (gradient.defined()) {
                constexpr bool wait = false;
                constexpr bool copy = true;
                gradient =
                    values_of(parameter).to(gradient.options().layout(at::kStrided), wait, copy);
            }
            at += static_cast<std::size_t>(parameter.numel());
        }
    }

    ModelMaker make_;
    std::int64_t batch_;
    Arguments arguments_;
    Precision precision_;
    std::unique_ptr<Cage> cage_;
    Tensors parameters_;
    at::Tensor loss_ = at::zeros({});
    ShareGradients share_;
    std::vector<float> shared_;
};

}  // namespace

std::unique_ptr<Subject> make_loaded_subject(
    const ModelMaker& make, std::int64_t batch, const Arguments& arguments) {
    if (arguments.mode == Mode::train) {
        return std::make_unique<LoadedTraining>(make, batch, arguments);
    }
    return std::make_unique<LoadedInference>(make, batch, arguments);
}

}  // namespace vigil_bench
