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

#include "worker/bench/models/autocast.hpp"
#include "worker/bench/models/cage.hpp"
#include "worker/bench/models/draws.hpp"
#include "worker/bench/models/rounding.hpp"
#include "worker/bench/models/script_model.hpp"

// A loaded model as what is measured: in a mode, a precision, with a backend.

namespace vigil_bench {

namespace {

/// Small: measuring takes thousands of steps on one batch, which must not diverge.
constexpr double learning_rate = 1e-4;
/// Of the loss in amp_fp16, so that small gradients do not become 0 in float16. A power of two:
/// it changes no digit.
constexpr double loss_scale = 1024;

/// @param draws_otherwise  it may draw random numbers that float64 does not draw alike
void take(const Judged& judged, bool draws_otherwise, AnswerCheck& check) {
    if (!judged.unchecked.empty()) check.unchecked = judged.unchecked;
    if (!judged.widened.empty()) check.widened = judged.widened;
    if (judged.wrong.empty()) return;
    if (draws_otherwise) {
        check.unchecked =
            "the file's model draws random numbers, other ones in float64; " + judged.wrong;
    } else {
        check.wrong = judged.wrong;
    }
}

class LoadedInference final : public Subject {
  public:
    LoadedInference(const ModelMaker& make, std::int64_t batch, const Arguments& arguments)
        : batch_(batch),
          seed_(arguments.seed),
          precision_(arguments.precision),
          cage_(make, batch, arguments),
          again_([make, batch, arguments] { return Cage(make, batch, arguments); }) {
        cage_.model->set_training(false);
        if (arguments.backend == Backend::jit) compile();
    }

    void iterate() override { run(cage_.inputs); }

    void check_answer(AnswerCheck& check) override {
        const auto restore = cage_.model->remember_state();
        const at::Tensor before = seeded_state();
        Draws draws;
        const auto actuals = answers_with(WithDraws::To::remember, draws);
        const bool is_random = !at::equal(before, cage_.random_state());
        restore();
        check.nondeterminism = find_nondeterminism(prints_of(actuals), prints_of(answers()));
        check.repeated = true;
        if (compiled_) cage_.model->hand_over(std::exchange(choices_, {}));
        compiled_ = nullptr;
        const Precision measured_in = std::exchange(precision_, Precision::fp32);
        restore();
        check.unchecked = cage_.to_reference([&] { run(cage_.inputs); });
        if (!check.unchecked.empty()) return;
        restore();
        const auto references = answers_with(WithDraws::To::repeat, draws);
        const auto judged = judge(
            actuals,
            references,
            computing_type_,
            Compared::answers,
            [&](double ratio, std::uint64_t seed) {
                if (seed == 1) measure_again(measured_in);
                return cage_.rounded(ratio, seed, [&] { return answers(); });
            });
        take(judged, is_random && cage_.model->reference() == Reference::maybe, check);
    }

    std::int64_t batch() const override { return batch_; }
    std::function<void()> with_batch(std::int64_t batch) override {
        return [this, inputs = cage_.more_inputs(batch, precision_)] { run(inputs); };
    }
    double compile_time_ns() const override { return compile_time_ns_; }
    /// What was compiled has copies of the weights.
    std::vector<NamedMemory> named_memory() const override {
        return compiled_ ? std::vector<NamedMemory>{} : cage_.named_memory();
    }

  private:
    Tensors run(const Tensors& inputs) {
        const at::NoGradGuard no_grad;
        if (compiled_) {
            Tensors all = compiled_(inputs);
            const auto answers = all.end() - static_cast<std::ptrdiff_t>(choice_count_);
            choices_.assign(answers, all.end());
            all.erase(answers, all.end());
            return all;
        }
        const Autocast autocast(precision_, cage_.device.type());
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
            const Autocast autocast(precision_, cage_.device.type());
            compiled_ = compile_with_jit(*cage_.model, cage_.inputs);
            choice_count_ = cage_.model->choices().size();
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
        const Tensors others = cage_.more_inputs(batch_, precision_);
        const auto restore = cage_.model->remember_state();
        const auto traced = named(run_seeded(others));
        const auto compiled = std::exchange(compiled_, nullptr);
        restore();
        cage_.model->hand_over(std::exchange(choices_, {}));
        const auto eager = named(run_seeded(others));
        compiled_ = compiled;
        restore();
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

    std::vector<NamedTensor> answers_with(WithDraws::To what, Draws& draws) {
        const WithDraws with(what, draws);
        return answers();
    }

    /// The model as it was measured, but for what compiled it.
    void measure_again(Precision precision) {
        cage_.model = nullptr;  // never two of them
        cage_ = again_();
        cage_.model->set_training(false);
        precision_ = precision;
    }

    at::Tensor seeded_state() {
        at::manual_seed(seed_);
        return cage_.random_state();
    }

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
    std::function<Cage()> again_;
    Compiled compiled_;
    std::size_t choice_count_ = 0;  ///< of what the compiled pass returns, at its end
    Tensors choices_;               ///< of its last call
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

    void iterate() override { step(cage_->inputs); }

    /// From fresh weights, so that the verdict does not depend on how many steps were measured.
    void check_answer(AnswerCheck& check) override {
        const double last_loss = loss_.to(at::kDouble).item<double>();
        if (!std::isfinite(last_loss)) {
            check.wrong = std::string("the loss after the measured steps is ") +
                          (std::isnan(last_loss) ? "NaN" : "infinite");
            return;
        }
        parameters_.clear();
        cage_.reset();
        build();
        const auto type = computing_type(precision_);
        const auto restore = cage_->model->remember_state();
        at::manual_seed(arguments_.seed);
        const at::Tensor before = cage_->random_state();
        const auto once = prints_of(gradients());
        const bool is_random = !at::equal(before, cage_->random_state());
        restore();
        Draws draws;
        const auto actuals = gradients_with(WithDraws::To::remember, draws);
        check.nondeterminism = find_nondeterminism(once, prints_of(actuals));
        check.repeated = true;
        const NamedTensor loss{"the loss", loss_};
        precision_ = Precision::fp32;
        restore();
        check.unchecked = cage_->to_reference([&] { backward(cage_->inputs); });
        if (!check.unchecked.empty()) return;
        restore();
        const auto references = gradients_with(WithDraws::To::repeat, draws);
        const NamedTensor reference_loss{"the loss", loss_};
        const bool may_draw_otherwise = is_random && cage_->model->reference() == Reference::maybe;
        const auto of_gradients = [&](double ratio, std::uint64_t seed) {
            if (precision_ != arguments_.precision || seed == 1) {
                parameters_.clear();
                cage_.reset();  // never two of them
                build();
                precision_ = arguments_.precision;
            }
            return cage_->rounded(ratio, seed, [&] { return gradients(); });
        };
        const auto of_loss = [&](double ratio, std::uint64_t seed) {
            of_gradients(ratio, seed);
            return std::vector<NamedTensor>{{"the loss", loss_}};
        };
        take(
            judge({loss}, {reference_loss}, type, Compared::answers, of_loss),
            may_draw_otherwise,
            check);
        if (!check.wrong.empty() || !check.unchecked.empty()) return;
        take(
            judge(actuals, references, type, Compared::gradients, of_gradients),
            may_draw_otherwise,
            check);
    }

    std::int64_t batch() const override { return batch_; }

    std::function<void()> with_batch(std::int64_t batch) override {
        return [this, inputs = cage_->more_inputs(batch, precision_)] { step(inputs); };
    }

    std::vector<NamedMemory> named_memory() const override { return cage_->named_memory(); }

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

    void step(const Tensors& inputs) {
        backward(inputs);
        if (share_) share_with_others();
        const at::NoGradGuard no_grad;
        for (auto& parameter : parameters_) {
            if (parameter.grad().defined()) parameter.add_(parameter.grad(), -learning_rate);
        }
    }

    void backward(const Tensors& inputs) {
        for (auto& parameter : parameters_) parameter.mutable_grad() = at::Tensor();
        at::Tensor loss;
        {
            const Autocast autocast(precision_, cage_->device.type());
            loss = cage_->model->loss(inputs);
        }
        loss_ = loss.detach();
        if (precision_ != Precision::amp_fp16) return loss.backward();
        loss.mul(loss_scale).backward();
        const at::NoGradGuard no_grad;
        for (auto& parameter : parameters_) {
            if (parameter.grad().defined()) parameter.mutable_grad().div_(loss_scale);
        }
    }

    /// Of all parameters, taken out of them.
    std::vector<NamedTensor> gradients() {
        at::manual_seed(arguments_.seed);
        backward(cage_->inputs);
        std::vector<NamedTensor> named;
        for (auto& item : cage_->model->named_parameters()) {
            named.push_back({"the gradient of " + item.name, item.value.grad()});
            item.value.mutable_grad() = at::Tensor();
        }
        return named;
    }

    std::vector<NamedTensor> gradients_with(WithDraws::To what, Draws& draws) {
        const WithDraws with(what, draws);
        return gradients();
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
