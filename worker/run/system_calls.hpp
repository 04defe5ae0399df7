#pragma once

#include <string>

namespace vigil::worker {

/// A filter of system calls for jobs, as bwrap's --seccomp reads it. Refused are those that make
/// namespaces or mounts, load code into the kernel, hold keys that outlive a job, or go around the
/// other layers; a program is told EPERM, or ENOSYS where it then takes an older call.
/// @throws Error{unavailable} when the library cannot make one for this machine
std::string system_call_filter();

/// A filter for a process that only computes and writes what it found to a descriptor it has:
/// memory, time, and its own end. All else is refused with EPERM.
/// @throws Error{unavailable} likewise
std::string reader_filter();

}  // namespace vigil::worker
