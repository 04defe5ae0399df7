#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string_view>
#include <vector>

// A benchmark of a tenth of a millisecond, for nights.py: prints the median of seven repetitions,
// ns.

namespace {

std::uint64_t integers() {
    std::uint64_t state = 88'172'645'463'325'252U, sum = 0;
    for (int i = 0; i < 60'000; ++i) {
        state ^= state << 13U;
        state ^= state >> 7U;
        state ^= state << 17U;
        sum += state;
    }
    return sum;
}

std::uint64_t memory() {
    constexpr std::size_t words = 1U << 16U;
    static std::vector<std::uint64_t> buffer(words);
    std::uint64_t sum = 0;
    for (std::size_t pass = 0; pass < 3; ++pass) {
        for (std::size_t i = 0; i < words; ++i) buffer[i] += i * pass;
        for (std::size_t i = 0; i < words; i += 8) sum += buffer[i * 7919 % words];
    }
    return sum;
}

std::uint64_t divisions() {
    double sum = 1;
    for (int i = 1; i < 12'000; ++i) sum += sum / (i + 0.5);
    return static_cast<std::uint64_t>(sum);
}

double now_ns(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

}  // namespace

int main(int count, char** words) {
    const std::string_view work = count == 3 ? words[1] : "";
    const std::string_view clock_name = count == 3 ? words[2] : "";
    auto* const task = work == "integers"    ? integers
                       : work == "memory"    ? memory
                       : work == "divisions" ? divisions
                                             : nullptr;
    if (task == nullptr || (clock_name != "wall" && clock_name != "cpu")) {
        std::fputs("usage: short_program integers|memory|divisions wall|cpu\n", stderr);
        return 2;
    }
    const clockid_t clock = clock_name == "cpu" ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    std::array<double, 7> times{};
    volatile std::uint64_t kept = 0;  // what nobody reads, compilers leave out
    for (double& time : times) {
        const double began = now_ns(clock);
        kept = task();
        time = now_ns(clock) - began;
    }
    std::sort(times.begin(), times.end());
    std::printf("%.0f\n", times[times.size() / 2]);
    return kept == 1 ? 1 : 0;
}
