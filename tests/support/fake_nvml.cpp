#include <cstdlib>
#include <cstring>

// The functions of NVIDIA's management library that the worker calls, for two GPUs that are not
// there. FAKE_NVML_INIT is what nvmlInit_v2 answers, FAKE_NVML_GPUS how many GPUs it counts,
// FAKE_NVML_FAULT a status that everything asked of a GPU answers. With OLD_NVML some are missing.

namespace {

constexpr int not_found = 6;

int number_of(const char* name, int otherwise) {
    const char* const text = std::getenv(name);
    return text != nullptr ? std::atoi(text) : otherwise;
}

int initialised = 0;

int fault() {
    return initialised > 0 ? number_of("FAKE_NVML_FAULT", 0) : 1;
}

/// As an evil library would: as long as it may be, and without an end.
int endless_text(char* into, unsigned length) {
    std::memset(into, 'x', length);
    into[0] = '\n';
    return fault();
}

template <class Value>
int give(Value* into, Value value) {
    if (fault() == 0) *into = value;
    return fault();
}

struct Memory {
    unsigned long long total, free, used;
};
struct Use {
    unsigned gpu, memory;
};

}  // namespace

extern "C" {
int nvmlInit_v2() {
    const int status = number_of("FAKE_NVML_INIT", 0);
    if (status == 0) ++initialised;
    return status;
}
int nvmlShutdown() {
    --initialised;
    return 0;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
    *count = static_cast<unsigned>(number_of("FAKE_NVML_GPUS", 2));
    return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** gpu) {
    static char gpus[2];
    if (index > 1) return not_found;
    *gpu = &gpus[index];
    return 0;
}
int nvmlDeviceGetName(void*, char* into, unsigned) {
    std::strcpy(into, "NVIDIA Fake 100");
    return fault();
}
int nvmlSystemGetDriverVersion(char* into, unsigned) {
    std::strcpy(into, "550.54");
    return fault();
}
int nvmlDeviceGetVbiosVersion(void*, char* into, unsigned length) {
    return endless_text(into, length);
}
int nvmlDeviceGetMemoryInfo(void*, Memory* into) {
    return give(into, Memory{80ULL << 30, 0, 0});
}
int nvmlDeviceGetPersistenceMode(void*, int* into) {
    return give(into, 1);
}
int nvmlDeviceGetComputeMode(void*, int* into) {
    return give(into, 99);
}
int nvmlDeviceGetApplicationsClock(void*, int clock, unsigned* into) {
    return give(into, clock == 0 ? 1200U : 0U);
}
int nvmlDeviceGetMaxClockInfo(void*, int clock, unsigned* into) {
    return give(into, clock == 0 ? 1980U : 0U);
}
int nvmlDeviceGetClockInfo(void*, int clock, unsigned* into) {
    return give(into, clock == 1 ? 1155U : 2619U);
}
int nvmlDeviceGetPowerManagementLimit(void*, unsigned* into) {
    return give(into, 700000U);
}
int nvmlDeviceGetPowerUsage(void*, unsigned* into) {
    return give(into, 68423U);
}
int nvmlDeviceGetUtilizationRates(void*, Use* into) {
    return give(into, Use{3, 4});
}
#ifndef OLD_NVML
int nvmlDeviceGetTemperature(void*, int sensor, unsigned* into) {
    return give(into, sensor == 0 ? 34U : 0U);
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* into) {
    return give(into, 4ULL);
}
const char* nvmlErrorString(int) {
    return "Driver Not Loaded";
}
#endif
}
