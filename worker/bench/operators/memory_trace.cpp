#include "worker/bench/operators/memory_trace.hpp"

#include <memory>
#include <mutex>
#include <vector>

#include <ATen/record_function.h>

#include "worker/bench/measure/counting_allocator.hpp"

namespace vigil_bench {

namespace {

using Frames = std::vector<MemoryBook::Frame>;

/// The operators that this thread is in.
Frames& frames() {
    thread_local Frames mine;
    return mine;
}

class Tracer {
  public:
    explicit Tracer(std::int64_t bytes_before) : book_(bytes_before), iterating_(frames()) {}

    void begin(const at::RecordFunction& function) {
        auto& mine = frames();
        const std::lock_guard guard(mutex_);
        mine.push_back(book_.enter(mine.empty() ? nullptr : &mine.back(), function.name()));
    }

    void end() {
        auto& mine = frames();
        const std::lock_guard guard(mutex_);
        if (!mine.empty()) mine.pop_back();
    }

    std::uint32_t allocate(std::int64_t bytes) {
        const auto& mine = frames();
        const std::lock_guard guard(mutex_);
        // A thread that is in no operator helps the one that iterates with its operator.
        const auto& within = mine.empty() ? iterating_ : mine;
        return book_.allocate(within.empty() ? nullptr : &within.back(), bytes);
    }

    void release(std::int64_t bytes, std::uint32_t label) {
        const std::lock_guard guard(mutex_);
        book_.release(label, bytes);
    }

    void end_iteration() {
        const std::lock_guard guard(mutex_);
        book_.end_iteration();
    }

    MemoryProfile profile() {
        const std::lock_guard guard(mutex_);
        return book_.profile();
    }

  private:
    std::mutex mutex_;
    MemoryBook book_;
    const Frames& iterating_;
};

/// LibTorch and the allocator call plain functions.
Tracer*& tracing() {
    static Tracer* now = nullptr;
    return now;
}

std::unique_ptr<at::ObserverContext> trace_begin(const at::RecordFunction& function) {
    if (tracing() != nullptr) tracing()->begin(function);
    return nullptr;
}

void trace_end(const at::RecordFunction&, at::ObserverContext*) {
    if (tracing() != nullptr) tracing()->end();
}

// A thread may have seen the hooks just before they were taken away.
constexpr AllocationHooks tracing_hooks{
    [](std::int64_t bytes) {
        return tracing() != nullptr ? tracing()->allocate(bytes) : std::uint32_t{0};
    },
    [](std::int64_t bytes, std::uint32_t label) {
        if (tracing() != nullptr) tracing()->release(bytes, label);
    }};

/// While it lives, the tracer is told of operators and blocks.
class Tracing {
  public:
    explicit Tracing(Tracer& tracer) {
        tracing() = &tracer;
        auto callback =
            at::RecordFunctionCallback(trace_begin, trace_end).scopes({at::RecordScope::FUNCTION});
        handle_ = at::addGlobalCallback(callback);
        set_allocation_hooks(&tracing_hooks);
    }

    ~Tracing() {
        set_allocation_hooks(nullptr);
        at::removeCallback(handle_);
        tracing() = nullptr;
    }

    Tracing(const Tracing&) = delete;
    Tracing& operator=(const Tracing&) = delete;

  private:
    at::CallbackHandle handle_ = 0;
};

}  // namespace

MemoryProfile trace_memory(int iterations, const std::function<void()>& iterate) {
    Tracer tracer(allocation_counts().live_bytes);
    const Tracing on(tracer);
    for (int i = 0; i < iterations; ++i) {
        iterate();
        tracer.end_iteration();
    }
    return tracer.profile();
}

}  // namespace vigil_bench
