#include "worker/bench/measure/turns.hpp"

#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <stdexcept>
#include <thread>
#include <unistd.h>
#include <utility>

#include <c10/core/CPUAllocator.h>
#include <sys/file.h>

namespace vigil_bench {

namespace {

using Clock = std::chrono::steady_clock;
using Pause = std::chrono::microseconds;

constexpr int max_members = 64;
constexpr Pause between_turns{300};    // a turn lasts tens of milliseconds
constexpr Pause between_owners{5000};  // another process may measure for seconds

int small_number(const char* name, int least, int most) {
    const char* text = std::getenv(name);
    char* end = nullptr;
    const long value = text != nullptr ? std::strtol(text, &end, 10) : -1;
    if (text == nullptr || end == text || *end != '\0' || value < least || value > most) {
        throw std::runtime_error(
            std::string(name) + " must be a number from " + std::to_string(least) + " to " +
            std::to_string(most) + " where VIGIL_TURNS is set");
    }
    return static_cast<int>(value);
}

/// Asks again and again: a holder that hangs must not stop the others for ever.
template <class Holds>
bool wait_for(const Holds& holds, Pause pause, double max_wait_s, double& waited_s) {
    const auto start = Clock::now();
    double here = 0;
    bool held = holds();
    while (!held && here < max_wait_s) {
        std::this_thread::sleep_for(pause);
        held = holds();
        here = std::chrono::duration<double>(Clock::now() - start).count();
    }
    waited_s += here;
    return held;
}

cpu_set_t own_processors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    return set;
}

/// The last one: the first takes most of the machine's interrupts.
cpu_set_t last_of(const cpu_set_t& all) {
    cpu_set_t one;
    CPU_ZERO(&one);
    for (std::size_t i = CPU_SETSIZE; i-- > 0;) {
        if (!CPU_ISSET(i, &all)) continue;
        CPU_SET(i, &one);
        break;
    }
    return one;
}

struct flock lock_of(int type, int byte) {
    struct flock lock {};
    lock.l_type = static_cast<short>(type);
    lock.l_whence = SEEK_SET;
    lock.l_start = byte;
    lock.l_len = 1;
    return lock;
}

void set_lock(int file, int type, int byte) {
    struct flock lock = lock_of(type, byte);
    fcntl(file, F_OFD_SETLK, &lock);
}

/// LibTorch's own file, which every vigil-bench has open, also in a sandbox and read-only. Who
/// locks it is the only one that measures on this machine: two at a time slow each other down by
/// up to 60 %, when their processors share a core.
std::string machine_lock_path() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(&c10::SetCPUAllocator), &info) == 0) return "";
    return info.dli_fname;
}

}  // namespace

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

std::optional<TurnGroup> turn_group() {
    const char* folder = std::getenv("VIGIL_TURNS");
    if (folder == nullptr) return std::nullopt;
    TurnGroup group;
    group.folder = folder;
    group.members = small_number("VIGIL_TURNS_MEMBERS", 1, max_members);
    group.member = small_number("VIGIL_TURNS_MEMBER", 0, group.members - 1);
    return group;
}

void TurnCount::move_to(int turns) {
    set_lock(file_.descriptor(), F_RDLCK, turns);
    if (turns_ >= 0) set_lock(file_.descriptor(), F_UNLCK, turns_);
    turns_ = turns;
}

bool TurnCount::is_taken() const {
    constexpr int to_the_end = 0;
    return is_locked(0, to_the_end);
}

bool TurnCount::is_before(int turns) const {
    return turns > 0 && is_locked(0, turns);
}

bool TurnCount::is_locked(int first, int count) const {
    struct flock lock = lock_of(F_WRLCK, first);  // asks what would stand in its way
    lock.l_len = count;
    return file_.exists() && fcntl(file_.descriptor(), F_OFD_GETLK, &lock) == 0 &&
           lock.l_type != F_UNLCK;
}

Turns::Turns(std::optional<TurnGroup> group, double max_wait_s, bool lock_machine, bool pin)
    : group_(std::move(group)), max_wait_s_(max_wait_s), pin_(pin), processors_(own_processors()) {
    if (group_) {
        turn_ = FileLock(group_->folder + "/turn");
        for (int i = 0; i < group_->members; ++i) {
            places_.emplace_back(group_->folder + "/member-" + std::to_string(i));
        }
        meet();
    }
    if (lock_machine) machine_ = FileLock(machine_lock_path());
    take();
}

Turns::~Turns() {
    give();
}

void Turns::meet() {
    own_place().move_to(0);
    const auto is_here = [&](int other) {
        const std::string over = group_->folder + "/over-" + std::to_string(other);
        return other == group_->member || access(over.c_str(), F_OK) == 0 ||
               places_[static_cast<std::size_t>(other)].is_taken();
    };
    int here = 0;
    const auto all_here = [&] {
        while (here < group_->members && is_here(here)) ++here;
        return here == group_->members;
    };
    wait_for(all_here, between_owners, max_wait_s_, waited_s_);
}

bool Turns::others_are_behind() const {
    for (const auto& place : places_) {
        if (place.is_before(had_)) return true;
    }
    return false;
}

void Turns::take() {
    bool held = true;
    if (turn_.exists()) {
        const auto is_mine = [&] { return !others_are_behind() && turn_.try_take(); };
        held = wait_for(is_mine, between_turns, max_wait_s_, waited_s_);
    }
    if (machine_.exists()) {
        held =
            wait_for([&] { return machine_.try_take(); }, between_owners, max_wait_s_, waited_s_) &&
            held;
    }
    is_held_ = held && (turn_.exists() || machine_.exists());
    if (!pin_) return;
    const cpu_set_t one = last_of(processors_);
    sched_setaffinity(0, sizeof one, &one);
}

void Turns::give() {
    if (pin_) sched_setaffinity(0, sizeof processors_, &processors_);
    machine_.give();
    ++had_;
    if (group_) own_place().move_to(had_);
    turn_.give();
}

void Turns::pass() {
    give();
    take();
}

}  // namespace vigil_bench
