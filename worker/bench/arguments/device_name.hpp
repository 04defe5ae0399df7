#pragma once

#include <optional>
#include <string>

namespace vigil_bench {

/// Where a variant is run: "cpu", "cuda", "cuda:1".
struct DeviceName {
    std::string kind;
    int index = 0;
};

/// The parts of a device's name; nothing when it is none.
std::optional<DeviceName> parse_device(const std::string& text);

/// The GPU of one of several processes, as CUDA_VISIBLE_DEVICES has to say it.
/// @param visible  what that variable says now; empty: all of them
/// @param rank     of the process, from 0
/// @return  the entry of that rank, or the rank itself; empty: there are not so many entries
std::string visible_device(const std::string& visible, int rank);

}  // namespace vigil_bench
