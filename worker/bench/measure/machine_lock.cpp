#include "worker/bench/measure/machine_lock.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include <c10/core/CPUAllocator.h>
#include <sys/file.h>

namespace vigil_bench {

FileLock::FileLock(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

FileLock::~FileLock() {
    if (file_ >= 0) close(file_);
}

FileLock::FileLock(FileLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
}

bool FileLock::try_take() {
    return file_ >= 0 && flock(file_, LOCK_EX | LOCK_NB) == 0;
}

void FileLock::give() {
    if (file_ >= 0) flock(file_, LOCK_UN);
}

std::string machine_lock_path() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(&c10::SetCPUAllocator), &info) == 0) return "";
    return info.dli_fname;
}

}  // namespace vigil_bench
