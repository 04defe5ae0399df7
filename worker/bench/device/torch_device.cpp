#include "worker/bench/device/torch_device.hpp"

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "worker/bench/arguments/device_name.hpp"
#include "worker/bench/device/gpu.hpp"

// LibTorch's devices, without CUDA's headers: guards, streams and events of any kind of device.

namespace vigil_bench {

namespace {

/// Events have a clock from LibTorch 2.4 on; without one, the synchronised CPU's clock is all.
template <class Event>
auto elapsed_ms(const Event& start, const Event& end, int)
    -> decltype(std::optional<double>(start.elapsedTime(end))) {
    return start.elapsedTime(end);
}
template <class Event>
std::optional<double> elapsed_ms(const Event&, const Event&, long) {
    return std::nullopt;
}

class AsynchronousDevice final : public Device {
  public:
    explicit AsynchronousDevice(c10::Device device)
        : device_(device), guard_(device.type()), start_(timed_event()), end_(timed_event()) {
        guard_.setDevice(device_);
    }

    bool is_asynchronous() const override { return true; }
    void synchronise() override {
        // A model may leave work on streams of its own.
        if (!synchronise_gpu(index())) stream().synchronize();
    }
    void mark_start() override { start_.record(stream()); }
    void mark_end() override { end_.record(stream()); }

    std::optional<double> marked_ns() override {
        constexpr double ns_per_ms = 1e6;
        constexpr int prefer_clock = 0;
        const auto ms = elapsed_ms(start_, end_, prefer_clock);
        return ms ? std::optional<double>(*ms * ns_per_ms) : std::nullopt;
    }

    std::optional<std::int64_t> live_bytes() override { return gpu_live_bytes(index()); }
    void reset_peaks() override { reset_gpu_peaks(index()); }
    std::optional<DevicePeaks> peaks() override { return gpu_peaks(index()); }
    std::vector<std::pair<std::string, std::string>> facts() override { return gpu_facts(index()); }

  private:
    /// Others do not keep the time.
    c10::Event timed_event() const { return {device_.type(), c10::EventFlag::BACKEND_DEFAULT}; }
    c10::Stream stream() const { return guard_.getStream(device_); }
    int index() const { return device_.index(); }

    c10::Device device_;
    c10::impl::VirtualGuardImpl guard_;
    c10::Event start_;
    c10::Event end_;
};

}  // namespace

c10::Device torch_device(const Arguments& arguments) {
    const auto name = parse_device(arguments.device);
    if (name && name->kind == "cpu") return c10::Device(c10::DeviceType::CPU);
    if (name && name->kind == "cuda") {
        return {c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(name->index)};
    }
    throw UnsupportedError("device '" + arguments.device + "': vigil-bench knows cpu and cuda");
}

std::unique_ptr<Device> make_asynchronous_device(c10::Device device) {
    return std::make_unique<AsynchronousDevice>(device);
}

std::unique_ptr<Device> make_device(const Arguments& arguments) {
    const c10::Device device = torch_device(arguments);
    if (device.is_cpu()) return std::make_unique<Device>();
    return make_asynchronous_device(device);
}

}  // namespace vigil_bench
