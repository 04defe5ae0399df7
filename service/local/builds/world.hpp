#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <ostream>
#include <string>

namespace vigil::local {

/// What a search on this machine sees of the world; tests give their own.
struct World {
    std::ostream* out = nullptr;
    std::map<std::string, std::string> environment;  ///< all of it: builds and runs inherit it
    bool terminal = false;                           ///< `out` is one
    bool quiet = false;                              ///< no progress
    std::size_t width = 0;                           ///< of the terminal; 0: not one
    std::function<std::int64_t()> now_s;             ///< UTC
    const std::atomic<bool>* stop = nullptr;         ///< turns true: end children, keep the state
    std::filesystem::path child_program;             ///< vigil-child; empty: beside this program

    bool stopped() const { return stop != nullptr && stop->load(); }
};

/// While it lives, SIGINT, SIGTERM and SIGHUP only set a flag. One at a time.
class StopSignals {
  public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    const std::atomic<bool>& flag() const;
};

}  // namespace vigil::local
