#include "worker/run/system_calls.hpp"

#include <array>
#include <cerrno>
#include <memory>
#include <sched.h>
#include <seccomp.h>
#include <unistd.h>

#include <sys/ioctl.h>
#include <sys/mman.h>

#include "schema/model/error.hpp"

namespace vigil::worker {

namespace {

constexpr std::array refused{
    "acct",
    "add_key",
    "bpf",
    "delete_module",
    "fanotify_init",
    "finit_module",
    "init_module",
    "ioperm",
    "iopl",
    "kexec_file_load",
    "kexec_load",
    "keyctl",
    "lookup_dcookie",
    "mount",
    "open_by_handle_at",
    "pivot_root",
    "quotactl",
    "quotactl_fd",
    "reboot",
    "request_key",
    "setns",
    "swapoff",
    "swapon",
    "syslog",
    "umount",
    "umount2",
    "userfaultfd",
    "vhangup"};

// What computing takes: memory, time, the process's own end.
constexpr std::array needed{
    "brk",          "clock_gettime",  "clock_nanosleep", "exit",        "exit_group",
    "futex",        "getpid",         "getrandom",       "gettid",      "madvise",
    "mmap",         "mprotect",       "mremap",          "munmap",      "restart_syscall",
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn",    "sched_yield", "sigaltstack",
    "tgkill",       "write"};

// Programs ask for these first and do without.
constexpr std::array unknown{
    "clone3",
    "fsconfig",
    "fsmount",
    "fsopen",
    "fspick",
    "io_uring_enter",
    "io_uring_register",
    "io_uring_setup",
    "mount_setattr",
    "move_mount",
    "open_tree"};

[[noreturn]] void refuse_filter(const std::string& what) {
    throw Error(Errc::unavailable, "making the filter of system calls: " + what);
}

using Filter = std::unique_ptr<void, void (*)(scmp_filter_ctx)>;

void refuse(const Filter& filter, const char* name, int error) {
    const int number = ::seccomp_syscall_resolve_name(name);
    if (number == __NR_SCMP_ERROR) return;  // this machine has no such call
    const auto action = SCMP_ACT_ERRNO(static_cast<unsigned>(error));
    if (::seccomp_rule_add(filter.get(), action, number, 0) != 0) refuse_filter(name);
}

void refuse_namespaces(const Filter& filter) {
    constexpr scmp_datum_t user = CLONE_NEWUSER;
    for (const int number : {SCMP_SYS(clone), SCMP_SYS(unshare)}) {
        const auto flags = SCMP_A0(SCMP_CMP_MASKED_EQ, user, user);
        if (::seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), number, 1, flags) != 0) {
            refuse_filter("namespaces");
        }
    }
}

/// Nothing is typed into the terminal of whoever started the worker.
void refuse_typing(const Filter& filter) {
    constexpr scmp_datum_t low_half = 0xffff'ffff;
    for (const scmp_datum_t order : {TIOCSTI, TIOCLINUX}) {
        const auto asks = SCMP_A1(SCMP_CMP_MASKED_EQ, low_half, order);
        if (::seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1, asks) !=
            0) {
            refuse_filter("terminals");
        }
    }
}

std::string exported(const Filter& filter) {
    const int file = ::memfd_create("vigil-filter", MFD_CLOEXEC);
    if (file < 0) refuse_filter("no memory for it");
    std::string bytes;
    const bool done = ::seccomp_export_bpf(filter.get(), file) == 0;
    const auto size = done ? ::lseek(file, 0, SEEK_END) : 0;
    if (size > 0) {
        bytes.resize(static_cast<std::size_t>(size));
        if (::pread(file, bytes.data(), bytes.size(), 0) != size) bytes.clear();
    }
    ::close(file);
    if (bytes.empty()) refuse_filter("it cannot be written");
    return bytes;
}

}  // namespace

std::string reader_filter() {
    const Filter filter(::seccomp_init(SCMP_ACT_ERRNO(EPERM)), &::seccomp_release);
    if (!filter) refuse_filter("this machine is not known to libseccomp");
    for (const auto* name : needed) {
        const int number = ::seccomp_syscall_resolve_name(name);
        if (number == __NR_SCMP_ERROR) continue;
        if (::seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, number, 0) != 0) refuse_filter(name);
    }
    return exported(filter);
}

std::string system_call_filter() {
    const Filter filter(::seccomp_init(SCMP_ACT_ALLOW), &::seccomp_release);
    if (!filter) refuse_filter("this machine is not known to libseccomp");
    // Programs of 32 bits run, under the same rules.
    if (::seccomp_arch_native() == SCMP_ARCH_X86_64) {
        const int added = ::seccomp_arch_add(filter.get(), SCMP_ARCH_X86);
        if (added != 0 && added != -EEXIST) refuse_filter("programs of 32 bits");
    }
    for (const auto* name : refused) refuse(filter, name, EPERM);
    for (const auto* name : unknown) refuse(filter, name, ENOSYS);
    refuse_namespaces(filter);
    refuse_typing(filter);
    return exported(filter);
}

}  // namespace vigil::worker
