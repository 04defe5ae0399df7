#include "worker/bench/device/device.hpp"

#include <catch2/catch.hpp>

#include "worker/bench/arguments/device_name.hpp"
#include "worker/bench/measure/measure.hpp"

using namespace vigil_bench;

namespace {

/// A device that works on after a call: what it was asked to, in order, and a clock that its own
/// work moves.
class Recorder final : public Device {
  public:
    bool is_asynchronous() const override { return true; }
    void synchronise() override {
        waiting = 0;
        log += 's';
    }
    void mark_start() override {
        CHECK(waiting == 0);
        start_ns_ = clock_ns_;
        log += '[';
    }
    void mark_end() override {
        end_ns_ = clock_ns_;
        log += ']';
    }
    std::optional<double> marked_ns() override {
        CHECK(waiting == 0);
        return end_ns_ - start_ns_;
    }
    std::optional<std::int64_t> live_bytes() override { return live += 3; }
    void reset_peaks() override { log += 'r'; }
    std::optional<DevicePeaks> peaks() override {
        CHECK(waiting == 0);
        return DevicePeaks{7, 9};
    }
    void work() {
        ++waiting;
        clock_ns_ += 250;
        log += 'w';
    }

    std::string log;
    std::int64_t live = 0;
    int waiting = 0;

  private:
    double clock_ns_ = 0;
    double start_ns_ = 0;
    double end_ns_ = 0;
};

MeasureLimits three_samples() {
    MeasureLimits limits;
    limits.min_time_s = 0;
    limits.max_warmup_s = 0;
    limits.sample_time_s = 0;
    limits.min_samples = 3;
    return limits;
}

LiveBytes no_bytes() {
    return {};
}

}  // namespace

TEST_CASE("A sample begins and ends with an idle device, warm-up too", "[bench][torch]") {
    Recorder device;
    const auto measured = measure(
        three_samples(), [&] { device.work(); }, no_bytes, device);
    CHECK(device.log == "sws[w]s[w]s[w]s");
    CHECK(measured.device_time_ns == std::vector<double>{250, 250, 250});
    CHECK(measured.device_live_bytes == std::vector<double>{3, 6, 9});
    CHECK(measured.wall_time_ns.size() == 3);
}

TEST_CASE("Within a sample nobody waits for the device", "[bench][torch]") {
    Recorder device;
    auto limits = three_samples();
    limits.min_samples = limits.max_samples = 1;
    limits.sample_time_s = 60;  // as many iterations as a sample may have
    const auto measured = measure(
        limits, [&] { ++device.waiting; }, no_bytes, device);
    CHECK(measured.iterations_per_sample > 1);
    CHECK(device.log == "ss[]s");
}

TEST_CASE("After another's turn the device is idle before the next sample", "[bench][torch]") {
    Recorder device;
    auto limits = three_samples();
    limits.turn_time_s = 1e-12;
    limits.min_samples = 2;
    const auto pass_turn = [&] {
        CHECK(device.waiting == 0);
        device.log += 'p';
    };
    measure(
        limits, [&] { device.work(); }, no_bytes, device, pass_turn);
    CHECK(device.log == "sws[w]sp[w]s");
}

TEST_CASE("The CPU has no clock and no memory of its own", "[bench][torch]") {
    Device cpu;
    int calls = 0;
    const auto measured = measure(
        three_samples(), [&] { ++calls; }, no_bytes, cpu);
    CHECK(calls == 1 + 3 * measured.iterations_per_sample);
    CHECK(measured.device_time_ns.empty());
    CHECK(measured.device_live_bytes.empty());
    CHECK_FALSE(peaks_of(cpu, [] {}));
}

TEST_CASE("Peaks are of iterations of their own, after everything else", "[bench][torch]") {
    Recorder device;
    const auto peaks = peaks_of(device, [&] { device.work(); });
    REQUIRE(peaks);
    CHECK(peaks->allocated_bytes == 7);
    CHECK(peaks->reserved_bytes == 9);
    CHECK(device.log == "rwws");
}

TEST_CASE("A device is a kind with a number or without", "[bench][torch]") {
    const auto first = parse_device("cuda");
    REQUIRE(first);
    CHECK((first->kind == "cuda" && first->index == 0));
    const auto other = parse_device("cuda:12");
    REQUIRE(other);
    CHECK((other->kind == "cuda" && other->index == 12));
    for (const char* bad :
         {"", ":", "cuda:", "cuda:x", "cuda:-1", "cuda:100", "cuda:1 ", "CUDA", "cuda:1:2"}) {
        CAPTURE(bad);
        CHECK_FALSE(parse_device(bad));
    }
}

TEST_CASE("Each of several processes sees one of the GPUs that all may use", "[bench][torch]") {
    CHECK(visible_device("", 3) == "3");
    CHECK(visible_device("4,6", 0) == "4");
    CHECK(visible_device("4,6", 1) == "6");
    CHECK(visible_device("GPU-1f,GPU-2a", 1) == "GPU-2a");
    CHECK(visible_device("4,6", 2).empty());
}
