#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/view_native.h>
#include <c10/core/Allocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

// A GPU that is not there: loaded before a vigil-bench whose LibTorch has no CUDA, it makes
// LibTorch take the process's memory for a GPU's and the CPU for one that computes. What tensors
// are where, streams and events go through LibTorch as they would; how fast it is means nothing.
//
// SIMULATED_GPUS is their number, SIMULATED_GPU_BYTES the memory of each.

namespace {

using c10::Device;
using c10::DeviceIndex;
using c10::DeviceType;
using c10::Stream;

constexpr DeviceType gpu = DeviceType::CUDA;

long number_of(const char* name, long otherwise) {
    const char* const text = std::getenv(name);
    return text != nullptr ? std::atol(text) : otherwise;
}

thread_local DeviceIndex current = 0;
std::atomic<std::int64_t> live_bytes{0};

/// An event's time; its address is the event.
using Moment = std::chrono::steady_clock::time_point;

struct Guard final : c10::impl::DeviceGuardImplInterface {
    DeviceType type() const override { return gpu; }
    Device exchangeDevice(Device device) const override {
        const Device old(gpu, current);
        current = device.index();
        return old;
    }
    Device getDevice() const override { return {gpu, current}; }
    void setDevice(Device device) const override { current = device.index(); }
    void uncheckedSetDevice(Device device) const noexcept override { current = device.index(); }
    Stream getStream(Device device) const noexcept override {
        return Stream(Stream::DEFAULT, Device(gpu, device.has_index() ? device.index() : current));
    }
    Stream exchangeStream(Stream stream) const noexcept override { return stream; }
    DeviceIndex deviceCount() const noexcept override {
        return static_cast<DeviceIndex>(number_of("SIMULATED_GPUS", 1));
    }
    void record(
        void** event, const Stream&, const DeviceIndex, const c10::EventFlag) const override {
        if (*event == nullptr) *event = new Moment;
        *static_cast<Moment*>(*event) = std::chrono::steady_clock::now();
    }
    void block(void*, const Stream&) const override {}
    bool queryEvent(void*) const override { return true; }
    void destroyEvent(void* event, const DeviceIndex) const noexcept override {
        delete static_cast<Moment*>(event);
    }
    bool queryStream(const Stream&) const override { return true; }
    void synchronizeStream(const Stream&) const override {}
    // From LibTorch 2.4 on.
    double elapsedTime(void* start, void* end, const DeviceIndex) const {
        const std::chrono::duration<double, std::milli> time =
            *static_cast<Moment*>(end) - *static_cast<Moment*>(start);
        return time.count();
    }
};

C10_REGISTER_GUARD_IMPL(CUDA, Guard);

/// What LibTorch asks of CUDA beside guards, under the name by which it looks for it; both the
/// names and types of 1.13 and those of 2.x.
struct CUDAHooks final : at::CUDAHooksInterface {
    explicit CUDAHooks(at::CUDAHooksArgs) {}
    void initCUDA() const {}
    void init() const {}
    bool hasCUDA() const override { return true; }
    bool hasPrimaryContext(std::int64_t) const { return true; }
    bool hasPrimaryContext(DeviceIndex) const { return true; }
    std::string showConfig() const override { return "  - simulated GPUs\n"; }
    int getNumGPUs() const override { return Guard().deviceCount(); }
    DeviceIndex deviceCount() const { return Guard().deviceCount(); }
    DeviceIndex getCurrentDevice() const { return current; }
    const at::Generator& getDefaultCUDAGenerator(DeviceIndex) const { return dice(); }
    const at::Generator& getDefaultGenerator(DeviceIndex) const { return dice(); }
    static const at::Generator& dice() {
        static const at::Generator generator = at::detail::createCPUGenerator();
        return generator;
    }
};
using at::CUDAHooksRegistry;
using at::RegistererCUDAHooksRegistry;
REGISTER_CUDA_HOOKS(CUDAHooks);

struct Block {
    std::size_t bytes;
};
constexpr std::size_t header_bytes = 64;

void release(void* data) {
    if (data == nullptr) return;
    char* const block = static_cast<char*>(data) - header_bytes;
    live_bytes -= static_cast<std::int64_t>(reinterpret_cast<Block*>(block)->bytes);
    std::free(block);
}

/// For both signatures of allocate(), and a copy_data() that 1.13 does not know.
struct Memory final : c10::Allocator {
    static c10::DataPtr take(std::size_t bytes) {
        const auto more = static_cast<std::int64_t>(bytes);
        void* block = nullptr;
        if (live_bytes + more > number_of("SIMULATED_GPU_BYTES", 1L << 40) ||
            posix_memalign(&block, header_bytes, bytes + header_bytes) != 0) {
            C10_THROW_ERROR(
                OutOfMemoryError, "CUDA out of memory. Tried to allocate " + std::to_string(bytes));
        }
        live_bytes += more;
        reinterpret_cast<Block*>(block)->bytes = bytes;
        void* const data = static_cast<char*>(block) + header_bytes;
        return {data, data, &release, Device(gpu, current)};
    }
    c10::DataPtr allocate(std::size_t bytes) const { return take(bytes); }
    c10::DataPtr allocate(std::size_t bytes) { return take(bytes); }
    void copy_data(void* to, const void* from, std::size_t bytes) const {
        std::memcpy(to, from, bytes);
    }
    c10::DeleterFnPtr raw_deleter() const override { return &release; }
};

Memory memory;
const bool is_set = [] {
    c10::SetAllocator(gpu, &memory);
    return true;
}();

constexpr c10::DispatchKeySet gpu_keys(c10::DispatchKey::CUDA);

at::Tensor empty(
    at::IntArrayRef sizes,
    c10::optional<at::ScalarType> type,
    c10::optional<at::Layout>,
    c10::optional<Device>,
    c10::optional<bool>,
    c10::optional<at::MemoryFormat> format) {
    return at::detail::empty_generic(sizes, &memory, gpu_keys, c10::dtype_or_default(type), format);
}

at::Tensor empty_strided(
    at::IntArrayRef sizes,
    at::IntArrayRef strides,
    c10::optional<at::ScalarType> type,
    c10::optional<at::Layout>,
    c10::optional<Device>,
    c10::optional<bool>) {
    return at::detail::empty_strided_generic(
        sizes, strides, &memory, gpu_keys, c10::dtype_or_default(type));
}

/// The same memory as the CPU's.
at::Tensor on_cpu(const at::Tensor& tensor) {
    if (tensor.is_cpu()) return tensor;
    return at::from_blob(
        tensor.data_ptr(),
        tensor.sizes(),
        tensor.strides(),
        at::TensorOptions(tensor.scalar_type()));
}

at::Tensor& copy_(at::Tensor& to, const at::Tensor& from, bool) {
    on_cpu(to).copy_(on_cpu(from));
    return to;
}

/// How a computation's outputs come back into tensors that were there before.
at::Tensor copy_resized(const at::Tensor& from, const at::Tensor& to) {
    if (to.sizes() != from.sizes()) {
        auto* const storage = to.storage().unsafeGetStorageImpl();
        const auto bytes = static_cast<std::size_t>(from.numel()) * from.element_size();
        if (storage->nbytes() < bytes) {
            storage->set_data_ptr(memory.allocate(bytes));
            storage->set_nbytes(bytes);
        }
        to.unsafeGetTensorImpl()->set_sizes_contiguous(from.sizes());
    }
    on_cpu(to).copy_(on_cpu(from));
    return to;
}

at::Tensor as_strided(
    const at::Tensor& tensor,
    at::IntArrayRef sizes,
    at::IntArrayRef strides,
    c10::optional<std::int64_t> offset) {
    return at::native::as_strided_tensorimpl(tensor, sizes, strides, offset);
}

at::Tensor reshape_alias(const at::Tensor& tensor, at::IntArrayRef sizes, at::IntArrayRef strides) {
    return at::native::as_strided_tensorimpl(tensor, sizes, strides, tensor.storage_offset());
}

at::Tensor view(const at::Tensor& tensor, at::IntArrayRef sizes) {
    return at::native::view(tensor, sizes);
}

/// As on a GPU, tensors of the CPU may take part only as single numbers and as indices.
void refuse_mixture(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
    const std::string name = op.schema().name();
    if (name.rfind("aten::index", 0) == 0) return;
    const std::size_t count = op.schema().arguments().size();
    const auto check = [&](const at::Tensor& tensor) {
        if (!tensor.defined() || !tensor.is_cpu() || tensor.dim() == 0) return;
        C10_THROW_ERROR(
            Error,
            "Expected all tensors to be on the same device, a tensor of the CPU meets " + name);
    };
    for (std::size_t i = stack.size() - count; i < stack.size(); ++i) {
        if (stack[i].isTensor()) check(stack[i].toTensor());
        if (!stack[i].isTensorList()) continue;
        for (const at::Tensor& tensor : stack[i].toTensorVector()) check(tensor);
    }
}

void compute(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
    refuse_mixture(op, *stack);
    at::native::cpu_fallback(op, stack);
}

TORCH_LIBRARY_IMPL(aten, CUDA, m) {
    m.impl("empty.memory_format", TORCH_FN(empty));
    m.impl("empty_strided", TORCH_FN(empty_strided));
    m.impl("copy_", TORCH_FN(copy_));
    m.impl("_copy_from_and_resize", TORCH_FN(copy_resized));
    m.impl("as_strided", TORCH_FN(as_strided));
    m.impl("_reshape_alias", TORCH_FN(reshape_alias));
    m.impl("view", TORCH_FN(view));
}

TORCH_LIBRARY_IMPL(_, CUDA, m) {
    m.fallback(torch::CppFunction::makeFromBoxedFunction<&compute>());
}

}  // namespace
