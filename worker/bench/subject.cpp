#include "worker/bench/subject.hpp"

#include <algorithm>
#include <dlfcn.h>
#include <new>
#include <optional>

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/Version.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <torch/version.h>

#include "worker/bench/models.hpp"
#include "worker/bench/zoo.hpp"

namespace vigil_bench {

namespace {

constexpr double learning_rate = 0.1;
constexpr double tolerance_ratio = 1e-3;  ///< of the largest value of the reference
constexpr int checked_steps = 2;

Operators make_operators(const Arguments& arguments) {
    if (arguments.library.empty()) return reference_operators();
    return library_operators(arguments.library, arguments.operator_prefix);
}

/// Where two tensors differ by more than rounding; empty when they do not.
std::string difference(const Tensor& actual, const Tensor& reference, const std::string& what) {
    if (actual.sizes() != reference.sizes()) return what + " has another shape than LibTorch's";
    const double largest = reference.abs().max().item<double>();
    const double off = (actual - reference).abs().max().item<double>();
    if (off <= tolerance_ratio * (largest + 1e-6)) return "";  // false for NaN
    return what + " differs from LibTorch's by " + std::to_string(off) + ", its largest value is " +
           std::to_string(largest);
}

/// The batches of the queue in turn; the one input where there is no queue.
const Tensor& next_input(const Problem& problem, std::size_t iteration) {
    return problem.queue.empty() ? problem.input : problem.queue[iteration % problem.queue.size()];
}

class Inference final : public Subject {
  public:
    Inference(const Arguments& arguments, const ModelEntry& model, std::int64_t batch)
        : operators_(make_operators(arguments)),
          problem_(make_problem(model, batch, arguments.seed)) {
        fill_queue(model, problem_);
    }

    void iterate() override {
        const at::NoGradGuard no_grad;
        problem_.forward(operators_, next_input(problem_, iterations_++));
    }

    /// The reference goes through the batch in parts, to stay below the measured peak of memory.
    std::string find_wrong_answer() override {
        const at::NoGradGuard no_grad;
        problem_.queue.clear();
        const Tensor actual = problem_.forward(operators_, problem_.input);
        const Operators reference = reference_operators();
        std::vector<Tensor> parts;
        const std::int64_t step = std::max<std::int64_t>(1, batch() / 4);
        for (std::int64_t at = 0; at < batch(); at += step) {
            const Tensor part = problem_.input.narrow(0, at, std::min(step, batch() - at));
            parts.push_back(problem_.forward(reference, part));
        }
        return difference(actual, at::cat(parts), "the model's answer");
    }

    std::int64_t batch() const override { return problem_.input.size(0); }
    std::vector<std::string> library_operators() const override { return operators_.from_library; }

  private:
    Operators operators_;
    Problem problem_;
    std::size_t iterations_ = 0;
};

class Training final : public Subject {
  public:
    Training(const Arguments& arguments, const ModelEntry& model, std::int64_t batch)
        : model_(model),
          batch_(batch),
          seed_(arguments.seed),
          operators_(make_operators(arguments)),
          problem_(make(model, batch, arguments.seed)) {
        fill_queue(model, problem_);
    }

    void iterate() override { step(problem_, next_input(problem_, iterations_++), operators_); }

    std::string find_wrong_answer() override {
        problem_ = {};
        const auto actual = trained(operators_);
        const auto reference = trained(reference_operators());
        for (std::size_t i = 0; i < actual.size(); ++i) {
            const std::string what = "parameter " + std::to_string(i) + " after training";
            const std::string found = difference(actual[i], reference[i], what);
            if (!found.empty()) return found;
        }
        return "";
    }

    std::int64_t batch() const override { return batch_; }
    std::vector<std::string> library_operators() const override { return operators_.from_library; }

  private:
    static Problem make(const ModelEntry& model, std::int64_t batch, std::uint64_t seed) {
        Problem problem = make_problem(model, batch, seed);
        for (auto& parameter : problem.parameters) parameter.requires_grad_();
        return problem;
    }

    static void step(Problem& problem, const Tensor& input, const Operators& operators) {
        for (auto& parameter : problem.parameters) parameter.mutable_grad() = Tensor();
        const Tensor loss =
            at::cross_entropy_loss(problem.forward(operators, input), problem.target);
        loss.backward();
        const at::NoGradGuard no_grad;
        for (auto& parameter : problem.parameters) {
            if (parameter.grad().defined()) {
                operators.sgd_step(parameter, parameter.grad(), learning_rate);
            }
        }
    }

    /// What the first steps change at the head of each parameter; a whole copy of them all would
    /// raise the process's peak above the measured one.
    std::vector<Tensor> trained(const Operators& operators) const {
        constexpr std::int64_t compared = 1024;
        Problem problem = make(model_, batch_, seed_);
        const auto heads = [&] {
            std::vector<Tensor> parts;
            for (const auto& parameter : problem.parameters) {
                const Tensor flat = parameter.detach().flatten();
                parts.push_back(flat.narrow(0, 0, std::min(compared, flat.numel())).clone());
            }
            return parts;
        };
        const std::vector<Tensor> before = heads();
        for (int i = 0; i < checked_steps; ++i) step(problem, problem.input, operators);
        std::vector<Tensor> changes = heads();
        for (std::size_t i = 0; i < before.size(); ++i) changes[i].sub_(before[i]);
        return changes;
    }

    ModelEntry model_;
    std::int64_t batch_;
    std::uint64_t seed_;
    Operators operators_;
    Problem problem_;
    std::size_t iterations_ = 0;
};

std::optional<ZooModel> find_zoo_model(const std::string& name) {
    for (auto& model : zoo_models()) {
        if (model.name == name) return std::move(model);
    }
    return std::nullopt;
}

[[noreturn]] void refuse_unknown(const std::string& name) {
    throw UsageError(
        "unknown model '" + name + "'; see --list" +
        (has_zoo() ? "" : " (built without the zoo: -DVIGIL_BENCH_ZOO=ON)"));
}

}  // namespace

std::string find_unsupported(const Arguments& arguments) {
    if (arguments.device != "cpu") {
        return "device '" + arguments.device + "': this vigil-bench runs on the cpu only";
    }
    const auto model = find_zoo_model(arguments.model);
    if (model && arguments.mode == Mode::train && model->train_batch == 0) {
        return "model '" + model->name + "' has nothing to train";
    }
    return "";
}

std::unique_ptr<Subject> make_subject(const Arguments& arguments) {
    const ModelEntry* model = find_model(arguments.model);
    if (model == nullptr) {
        if (!find_zoo_model(arguments.model)) refuse_unknown(arguments.model);
        return make_zoo_subject(arguments);
    }
    if (arguments.mode == Mode::train) {
        const auto batch = arguments.batch > 0 ? arguments.batch : model->train_batch;
        return std::make_unique<Training>(arguments, *model, batch);
    }
    const auto batch = arguments.batch > 0 ? arguments.batch : model->infer_batch;
    return std::make_unique<Inference>(arguments, *model, batch);
}

void set_threads(int threads) {
    at::set_num_threads(threads);
    // LibTorch does not pass the number on to OpenBLAS, whose idle threads burn CPU time.
    using SetThreads = void (*)(int);
    if (void* symbol = dlsym(RTLD_DEFAULT, "openblas_set_num_threads")) {
        reinterpret_cast<SetThreads>(symbol)(threads);
    }
}

std::vector<std::pair<std::string, std::string>> torch_facts() {
    // LibTorch's own text is the one place that every version has.
    const std::string config = at::show_config();
    const std::string key = "CPU capability usage: ";
    const auto start = config.find(key);
    std::string capability = "unknown";
    if (start != std::string::npos) {
        const auto value = start + key.size();
        capability = config.substr(value, config.find('\n', value) - value);
    }
    return {{"torch_version", TORCH_VERSION}, {"cpu_capability", capability}};
}

bool is_out_of_memory(const std::exception& error) {
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return true;
    const std::string text = error.what();
    return text.find("can't allocate memory") != std::string::npos ||
           text.find("not enough memory") != std::string::npos;
}

std::string message_of(const std::exception& error) {
    const auto* from_torch = dynamic_cast<const c10::Error*>(&error);
    std::string text = from_torch ? from_torch->what_without_backtrace() : error.what();
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

}  // namespace vigil_bench
