#include "worker/bench/operators/operator_trace.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>

#include "worker/bench/measure/counting_allocator.hpp"

namespace vigil_bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_shapes = 8;
constexpr std::size_t most_tensors = 8;
constexpr std::string_view of_aten = "aten::";
constexpr std::string_view of_engine = "autograd::engine::";

/// What a thread is in: an operator, or a step of the backward pass (then `use` is nothing).
struct Frame {
    std::optional<std::size_t> use;
    Clock::time_point start;
    std::int64_t bytes_at_start = 0;
    double within_ns = 0;  ///< of operators that it called
    std::int64_t within_bytes = 0;
};

struct ThreadFrames {
    std::vector<Frame> frames;
    int backward = 0;  ///< steps of the backward pass that are open
};

/// What autograd calls around the operators of a backward pass.
bool is_backward_step(const at::RecordFunction& function) {
    return function.scope() == at::RecordScope::BACKWARD_FUNCTION ||
           std::string_view(function.name()).substr(0, of_engine.size()) == of_engine;
}

std::string shapes_of(c10::ArrayRef<const c10::IValue> inputs) {
    std::string shapes;
    std::size_t tensors = 0;
    for (const auto& input : inputs) {
        if (!input.isTensor() || !input.toTensor().defined()) continue;
        if (++tensors > most_tensors) return shapes + " ...";
        std::string shape;
        for (const auto size : input.toTensor().sizes()) {
            shape += (shape.empty() ? "" : "x") + std::to_string(size);
        }
        shapes += (shapes.empty() ? "" : " ") + (shape.empty() ? "scalar" : shape);
    }
    return shapes;
}

class Recorder {
  public:
    void begin(const at::RecordFunction& function) {
        auto& mine = frames();
        if (is_backward_step(function)) {
            ++mine.backward;
            mine.frames.push_back({std::nullopt, Clock::now(), allocation_counts().asked_bytes});
            return;
        }
        const std::lock_guard guard(mutex_);
        const auto [found, is_new] = places_.try_emplace(function.name(), trace_.uses.size());
        if (is_new) {
            trace_.uses.push_back({});
            trace_.uses.back().name = function.name();
        }
        auto& use = trace_.uses[found->second];
        ++(mine.backward > 0 ? use.backward : use.forward);
        if (use.shapes.size() < most_shapes) {
            auto shapes = shapes_of(function.inputs());
            auto& known = use.shapes;
            const bool is_known = std::find(known.begin(), known.end(), shapes) != known.end();
            if (!is_known && !shapes.empty()) known.push_back(std::move(shapes));
        }
        mine.frames.push_back({found->second, Clock::now(), allocation_counts().asked_bytes});
    }

    void end() {
        const auto now = Clock::now();
        auto& mine = frames();
        if (mine.frames.empty()) return;  // it began before the first iteration
        const Frame frame = mine.frames.back();
        mine.frames.pop_back();
        const double took_ns = ns_between(frame.start, now);
        const std::int64_t bytes = allocation_counts().asked_bytes - frame.bytes_at_start;
        if (!frame.use) {
            --mine.backward;
        } else {
            const std::lock_guard guard(mutex_);
            auto& use = trace_.uses[*frame.use];
            use.self_ns += took_ns - frame.within_ns;
            use.total_ns += took_ns;
            use.bytes += bytes - frame.within_bytes;
            if (trace_.events.size() < max_events) {
                trace_.events.push_back(
                    {*frame.use, ns_between(begin_, frame.start), ns_between(begin_, now)});
            }
        }
        if (mine.frames.empty()) return;
        // A step of the backward pass is no operator: what it calls is its caller's.
        Frame& caller = mine.frames.back();
        caller.within_ns += frame.use ? took_ns : frame.within_ns;
        caller.within_bytes += frame.use ? bytes : frame.within_bytes;
    }

    void start() { begin_ = Clock::now(); }

    OperatorTrace take() {
        trace_.wall_ns = ns_between(begin_, Clock::now());
        return std::move(trace_);
    }

  private:
    static double ns_between(Clock::time_point from, Clock::time_point to) {
        return std::chrono::duration<double, std::nano>(to - from).count();
    }

    static ThreadFrames& frames() {
        thread_local ThreadFrames mine;
        return mine;
    }

    std::mutex mutex_;
    std::map<std::string, std::size_t> places_;
    OperatorTrace trace_;
    Clock::time_point begin_ = Clock::now();
};

/// Of the iterations that are traced now: LibTorch calls plain functions.
Recorder*& recording() {
    static Recorder* now = nullptr;
    return now;
}

std::unique_ptr<at::ObserverContext> note_begin(const at::RecordFunction& function) {
    if (recording() != nullptr) recording()->begin(function);
    return nullptr;
}

void note_end(const at::RecordFunction&, at::ObserverContext*) {
    if (recording() != nullptr) recording()->end();
}

std::int64_t count_registered() {
    std::set<std::string> names;  // an operator has several overloads
    for (const auto& operation : c10::Dispatcher::singleton().getAllOpNames()) {
        if (operation.name.compare(0, of_aten.size(), of_aten) == 0) names.insert(operation.name);
    }
    return static_cast<std::int64_t>(names.size());
}

}  // namespace

OperatorTrace trace_operators(int iterations, const std::function<void()>& iterate) {
    Recorder recorder;
    auto callback = at::RecordFunctionCallback(note_begin, note_end)
                        .needsInputs(true)
                        .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION});
    const auto handle = at::addGlobalCallback(callback);
    const auto stop = [&] {
        at::removeCallback(handle);
        recording() = nullptr;
    };
    recording() = &recorder;
    recorder.start();
    try {
        for (int i = 0; i < iterations; ++i) iterate();
    } catch (...) {
        stop();
        throw;
    }
    OperatorTrace trace = recorder.take();
    stop();
    trace.registered = count_registered();
    return trace;
}

}  // namespace vigil_bench
