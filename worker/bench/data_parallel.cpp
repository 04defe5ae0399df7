#include "worker/bench/data_parallel.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <pthread.h>

#include <nlohmann/json.hpp>
#include <sys/mman.h>

#include "worker/bench/arguments/device_name.hpp"
#include "worker/bench/device/device.hpp"
#include "worker/bench/measure/measure.hpp"
#include "worker/bench/prepare.hpp"

namespace vigil_bench {

namespace {

/// Memory of all processes of a group, made before they are.
class Shared {
  public:
    Shared(int processes, std::size_t values) : processes_(processes), values_(values) {
        void* const memory =
            mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        head_ = new (memory) Head;
        pthread_barrierattr_t attributes;
        pthread_barrierattr_init(&attributes);
        pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
        pthread_barrier_init(&head_->barrier, &attributes, static_cast<unsigned>(processes));
        pthread_barrierattr_destroy(&attributes);
    }
    ~Shared() { munmap(head_, bytes()); }
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;

    void meet() { pthread_barrier_wait(&head_->barrier); }

    /// After this iteration of the phase everybody ends it: rank 0 says so one in advance, since
    /// the others may be one behind.
    std::atomic<std::int64_t>& last_iteration() { return head_->last_iteration; }

    /// Each adds its part to a place of its own; then everybody takes the mean of all places.
    void average(int rank, float* values, std::size_t count) {
        std::memcpy(place(rank), values, count * sizeof(float));
        meet();
        for (std::size_t i = 0; i < count; ++i) {
            float sum = 0;
            for (int other = 0; other < processes_; ++other) sum += place(other)[i];
            values[i] = sum / static_cast<float>(processes_);
        }
        meet();
    }

  private:
    struct Head {
        pthread_barrier_t barrier;
        std::atomic<std::int64_t> last_iteration;
    };
    static constexpr std::size_t head_bytes = 4096;

    std::size_t bytes() const {
        return head_bytes + values_ * sizeof(float) * static_cast<std::size_t>(processes_);
    }
    float* place(int rank) {
        auto* const first = reinterpret_cast<float*>(reinterpret_cast<char*>(head_) + head_bytes);
        return first + values_ * static_cast<std::size_t>(rank);
    }

    int processes_;
    std::size_t values_;
    Head* head_ = nullptr;
};

struct Phase {
    std::int64_t iterations = 0;
    double wall_ns = 0;
    double cpu_ns = 0;
};

/// Everybody iterates equally often, so that nobody waits for gradients of one who has left.
Phase run_phase(Subject& subject, Device& device, Shared& shared, int rank, double least_s) {
    constexpr auto not_known = std::numeric_limits<std::int64_t>::max();
    if (rank == 0) shared.last_iteration().store(not_known);
    shared.meet();
    Phase phase;
    const double wall_ns = now_ns(CLOCK_MONOTONIC);
    const double cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
    while (phase.iterations < shared.last_iteration().load()) {
        const bool is_over = now_ns(CLOCK_MONOTONIC) - wall_ns >= least_s * 1e9;
        if (rank == 0 && is_over && shared.last_iteration().load() == not_known) {
            shared.last_iteration().store(phase.iterations + 2);
        }
        subject.iterate();
        ++phase.iterations;
    }
    device.synchronise();
    phase.cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
    phase.wall_ns = now_ns(CLOCK_MONOTONIC) - wall_ns;
    shared.meet();
    return phase;
}

/// Before anything of LibTorch runs: CUDA then knows one GPU, number 0.
void take_own_gpu(const Arguments& arguments, int rank) {
    if (arguments.device == "cpu") return;
    constexpr const char* variable = "CUDA_VISIBLE_DEVICES";
    const char* const visible = std::getenv(variable);
    setenv(variable, visible_device(visible != nullptr ? visible : "", rank).c_str(), 1);
}

std::string work(const Arguments& arguments, Shared& shared, int rank, bool is_training) {
    take_own_gpu(arguments, rank);
    prepare_process(arguments.threads);
    const auto subject = make_subject(arguments);
    const auto device = make_device(arguments);
    if (is_training) {
        subject->share_gradients(
            [&](float* values, std::size_t count) { shared.average(rank, values, count); });
    }
    run_phase(*subject, *device, shared, rank, arguments.max_warmup_s);
    const Phase phase = run_phase(*subject, *device, shared, rank, arguments.min_time_s);
    subject->share_gradients({});
    nlohmann::json said{
        {"iterations", phase.iterations},
        {"batch", subject->batch()},
        {"wall_ns", phase.wall_ns},
        {"cpu_ns", phase.cpu_ns}};
    if (rank == 0) {
        const AnswerCheck check = check_answer_of(*subject);
        said["wrong"] = check.wrong;
        said["nondeterminism"] = check.nondeterminism;
        said["unchecked"] = check.unchecked;
        said["widened"] = check.widened;
        said["repeated"] = check.repeated;
    }
    return said.dump();
}

void add(SharedWork& all, const std::string& text) {
    const auto said = nlohmann::json::parse(text);
    const auto iterations = said.at("iterations").get<double>();
    const auto wall_ns = said.at("wall_ns").get<double>();
    all.batch = said.at("batch").get<std::int64_t>();
    all.wall_time_ns.push_back(wall_ns / iterations);
    all.cpu_time_ns.push_back(said.at("cpu_ns").get<double>() / iterations);
    all.rows_per_s += static_cast<double>(all.batch) * iterations / wall_ns * 1e9;
    if (!said.contains("wrong")) return;
    all.check.wrong = said.at("wrong").get<std::string>();
    all.check.nondeterminism = said.at("nondeterminism").get<std::string>();
    all.check.unchecked = said.at("unchecked").get<std::string>();
    all.check.widened = said.at("widened").get<std::string>();
    all.check.repeated = said.at("repeated").get<bool>();
}

/// How many values a step of training shares: asked of a model that is built for that in a child,
/// since nothing of LibTorch may run here before the fork.
std::size_t shared_values(const Arguments& arguments, ChildEnd& failed) {
    if (arguments.mode != Mode::train) return 0;
    const auto count = [&] {
        return std::to_string(make_subject(arguments)->share_gradients([](float*, std::size_t) {}));
    };
    failed = run_in_children(arguments, {count}).front();
    return failed.failure.empty() ? std::stoull(failed.text) : 0;
}

}  // namespace

SharedWork run_together(const Arguments& arguments, int processes, ChildEnd& failed) {
    const std::size_t values = shared_values(arguments, failed);
    if (!failed.failure.empty()) return {};
    const bool is_training = arguments.mode == Mode::train;
    Shared shared(processes, values);
    std::vector<std::function<std::string()>> pieces;
    for (int rank = 0; rank < processes; ++rank) {
        Arguments own = arguments;
        own.rank = rank;
        pieces.emplace_back(
            [own, &shared, rank, is_training] { return work(own, shared, rank, is_training); });
    }
    SharedWork all;
    for (const auto& end : run_in_children(arguments, pieces)) {
        if (!end.failure.empty()) {
            failed = end;
            return {};
        }
        add(all, end.text);
    }
    return all;
}

double scaling_factor(double rows_per_s_of_one, double rows_per_s_of_all, int processes) {
    return (rows_per_s_of_all / rows_per_s_of_one - 1) / (processes - 1);
}

}  // namespace vigil_bench
