#include "worker/bench/operators/operator_trace.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <time.h>
#include <unordered_map>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>

#include "worker/bench/measure/counting_allocator.hpp"
#include "worker/bench/operators/own_inputs.hpp"

namespace vigil_bench {

namespace {

/// Of a trace: LibTorch calls plain functions.
struct Clock {
    using duration = std::chrono::nanoseconds;
    using time_point = std::chrono::time_point<Clock, duration>;

    static inline clockid_t source = CLOCK_MONOTONIC;

    static time_point now() {
        timespec time{};
        clock_gettime(source, &time);
        return time_point(
            std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
    }
};

constexpr std::size_t most_shapes = 8;
constexpr std::size_t most_tensors = 8;
constexpr std::string_view of_aten = "aten::";
constexpr std::string_view of_engine = "autograd::engine::";

/// What a thread is in: an operator, or a step of the backward pass (then `use` is nothing).
struct Frame {
    std::optional<std::size_t> use;
    std::optional<std::size_t> event;
    std::optional<std::size_t> forward_before;  ///< of the thread, before this step
    Clock::time_point entered;                  ///< before anything was recorded
    Clock::time_point start;
    std::int64_t bytes_at_start = 0;
    double within_ns = 0;     ///< of operators that it called, and of recording them
    double recording_ns = 0;  ///< part of within_ns
    std::int64_t within_bytes = 0;
    Work within_work;
    double unknown_ns = 0;  ///< of what it called, in operators whose operations nobody counts
    OperatorShapes shapes;
    std::vector<const void*> memories;  ///< that it reads
};

struct ThreadFrames {
    std::vector<Frame> frames;
    int backward = 0;                    ///< steps of the backward pass that are open
    std::optional<std::size_t> forward;  ///< event of whose derivative the innermost one is
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

const void* memory_of(const at::Tensor& tensor) {
    return tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl() : nullptr;
}

TensorShape shape_of(const at::Tensor& tensor, std::vector<const void*>& memories) {
    const void* const memory = memory_of(tensor);
    TensorShape shape;
    shape.sizes = tensor.sizes().vec();
    shape.element_bytes = static_cast<int>(tensor.element_size());
    const auto known = std::find(memories.begin(), memories.end(), memory);
    shape.is_shared = memory != nullptr && known != memories.end();
    if (memory != nullptr) memories.push_back(memory);
    return shape;
}

void add_tensors(
    const c10::IValue& value,
    std::vector<TensorShape>& tensors,
    std::vector<const void*>& memories) {
    const auto add = [&](const at::Tensor& tensor) {
        if (tensor.defined()) tensors.push_back(shape_of(tensor, memories));
    };
    if (value.isTensor()) add(value.toTensor());
    if (value.isTensorList()) {
        for (const at::Tensor& one : value.toTensorVector()) add(one);
    }
    if (value.isOptionalTensorList()) {
        for (const c10::optional<at::Tensor>& one : value.toOptionalTensorVector()) {
            if (one) add(*one);
        }
    }
}

ShapeArgument argument_of(const c10::IValue& value, std::vector<const void*>& memories) {
    ShapeArgument argument;
    add_tensors(value, argument.tensors, memories);
    if (value.isInt()) argument.numbers = {value.toInt()};
    if (value.isBool()) argument.numbers = {value.toBool() ? 1 : 0};
    if (value.isIntList()) argument.numbers = value.toIntVector();
    if (value.isBoolList()) {
        for (const bool one : value.toBoolList()) argument.numbers.push_back(one ? 1 : 0);
    }
    return argument;
}

class Recorder {
  public:
    explicit Recorder(const std::vector<NamedMemory>& values) {
        for (const auto& value : values) {
            if (value.memory == nullptr) continue;
            owners_.try_emplace(value.memory, trace_.owners.size());  // tied ones: the first
            trace_.owners.push_back(value.name);
        }
    }

    void begin(const at::RecordFunction& function) {
        Frame frame;
        frame.entered = Clock::now();
        auto& mine = frames();
        const std::lock_guard guard(mutex_);
        if (is_backward_step(function)) {
            ++mine.backward;
            frame.forward_before = mine.forward;
            const auto found = by_sequence_.find(function.seqNr());
            if (found != by_sequence_.end()) mine.forward = found->second;
        } else {
            begin_operator(function, mine, frame);
        }
        frame.bytes_at_start = allocation_counts().asked_bytes;
        frame.start = Clock::now();
        recording_ns_ += ns_between(frame.entered, frame.start);
        mine.frames.push_back(std::move(frame));
    }

    void end(const at::RecordFunction& function) {
        const auto now = Clock::now();
        auto& mine = frames();
        if (mine.frames.empty()) return;  // it began before the first iteration
        Frame frame = std::move(mine.frames.back());
        mine.frames.pop_back();
        const double took_ns = ns_between(frame.start, now);
        const std::int64_t bytes = allocation_counts().asked_bytes - frame.bytes_at_start;
        const std::lock_guard guard(mutex_);
        Work work = frame.within_work;
        if (!frame.use) {
            --mine.backward;
            mine.forward = frame.forward_before;
        } else {
            work = end_operator(function, frame, took_ns, bytes, now);
        }
        const auto left = Clock::now();
        recording_ns_ += ns_between(now, left);
        if (mine.frames.empty()) {
            trace_.work = trace_.work + work;
            trace_.unknown_ns += frame.unknown_ns;
            return;
        }
        // A step of the backward pass is no operator: what it calls is its caller's.
        Frame& caller = mine.frames.back();
        const double recording_ns = ns_between(frame.entered, frame.start) + ns_between(now, left);
        caller.within_ns += recording_ns + (frame.use ? took_ns : frame.within_ns);
        caller.recording_ns += recording_ns + frame.recording_ns;
        caller.within_bytes += frame.use ? bytes : frame.within_bytes;
        caller.within_work = caller.within_work + work;
        caller.unknown_ns += frame.unknown_ns;
    }

    void start_iteration() {
        if (trace_.iterations.empty()) begin_ = Clock::now();
        trace_.iterations.push_back(trace_.events.size());
    }

    OperatorTrace take() {
        trace_.wall_ns = elapsed_ns(Clock::now());
        return std::move(trace_);
    }

  private:
    void begin_operator(const at::RecordFunction& function, ThreadFrames& mine, Frame& frame) {
        const auto [found, is_new] = places_.try_emplace(function.name(), trace_.uses.size());
        if (is_new) {
            trace_.uses.push_back({});
            trace_.uses.back().name = function.name();
        }
        auto& use = trace_.uses[found->second];
        ++(mine.backward > 0 ? use.backward : use.forward);
        if (use.shapes.size() < most_shapes) {
            auto shapes = shapes_of(own_inputs(function));
            auto& known = use.shapes;
            const bool is_known = std::find(known.begin(), known.end(), shapes) != known.end();
            if (!is_known && !shapes.empty()) known.push_back(std::move(shapes));
        }
        frame.use = found->second;
        frame.shapes.name = use.name;
        for (const auto& input : own_inputs(function)) {
            frame.shapes.arguments.push_back(argument_of(input, frame.memories));
        }
        begin_event(function, mine, frame);
    }

    void begin_event(const at::RecordFunction& function, ThreadFrames& mine, Frame& frame) {
        if (trace_.events.size() >= max_events) {
            ++trace_.dropped;
            return;
        }
        frame.event = trace_.events.size();
        OperatorEvent event;
        event.use = *frame.use;
        event.start_ns = elapsed_ns(frame.entered);
        event.is_backward = mine.backward > 0;
        event.forward = mine.forward;
        for (auto at = mine.frames.rbegin(); at != mine.frames.rend() && at->use; ++at) {
            event.caller = at->event;
            break;
        }
        for (const void* const memory : frame.memories) {
            const auto owner = owners_.find(memory);
            if (owner == owners_.end()) continue;
            event.owner = owner->second;
            break;
        }
        trace_.events.push_back(event);
        // The last call before the number moves on is the one that the derivative is of.
        if (function.seqNr() >= 0) by_sequence_[function.seqNr()] = *frame.event;
    }

    /// @return what it took, with what it called
    Work end_operator(
        const at::RecordFunction& function,
        Frame& frame,
        double took_ns,
        std::int64_t bytes,
        Clock::time_point now) {
        for (const auto& output : function.outputs()) {
            auto memories = frame.memories;
            add_tensors(output, frame.shapes.outputs, memories);
        }
        const Work own = work_of(frame.shapes);
        const Work work = with_calls(own, frame.within_work);
        const double self_ns = std::max(0.0, took_ns - frame.within_ns);
        auto& use = trace_.uses[*frame.use];
        use.self_ns += self_ns;
        use.total_ns += took_ns - frame.recording_ns;
        use.bytes += bytes - frame.within_bytes;
        use.work = use.work + work;
        const bool has_called = frame.within_work.bytes > 0;
        if (!has_called && !own.is_known) frame.unknown_ns += self_ns;
        if (own.product_flops > 0) frame.unknown_ns = 0;  // a product counts for its kernels too
        if (frame.event) {
            auto& event = trace_.events[*frame.event];
            event.end_ns = elapsed_ns(now);
            event.self_ns = self_ns;
            event.bytes = bytes - frame.within_bytes;
            event.flops = work.flops();
        }
        return work;
    }

    static double ns_between(Clock::time_point from, Clock::time_point to) {
        return std::chrono::duration<double, std::nano>(to - from).count();
    }

    double elapsed_ns(Clock::time_point now) const {
        return std::max(0.0, ns_between(begin_, now) - recording_ns_);
    }

    static ThreadFrames& frames() {
        thread_local ThreadFrames mine;
        return mine;
    }

    std::mutex mutex_;
    std::map<std::string, std::size_t> places_;
    std::unordered_map<const void*, std::size_t> owners_;
    std::unordered_map<std::int64_t, std::size_t> by_sequence_;
    OperatorTrace trace_;
    Clock::time_point begin_ = Clock::now();
    double recording_ns_ = 0;
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

void note_end(const at::RecordFunction& function, at::ObserverContext*) {
    if (recording() != nullptr) recording()->end(function);
}

std::int64_t count_registered() {
    std::set<std::string> names;  // an operator has several overloads
    for (const auto& operation : c10::Dispatcher::singleton().getAllOpNames()) {
        if (operation.name.compare(0, of_aten.size(), of_aten) == 0) names.insert(operation.name);
    }
    return static_cast<std::int64_t>(names.size());
}

}  // namespace

OperatorTrace trace_operators(
    int iterations,
    const std::function<void()>& iterate,
    const std::vector<NamedMemory>& values,
    TraceClock clock) {
    Clock::source = clock == TraceClock::process ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    Recorder recorder(values);
    auto callback = at::RecordFunctionCallback(note_begin, note_end)
                        .needsInputs(true)
                        .needsOutputs(true)
                        .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION});
    const auto handle = at::addGlobalCallback(callback);
    const auto stop = [&] {
        at::removeCallback(handle);
        recording() = nullptr;
    };
    recording() = &recorder;
    try {
        for (int i = 0; i < iterations; ++i) {
            recorder.start_iteration();
            iterate();
        }
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
