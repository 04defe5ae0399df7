#pragma once

#include <filesystem>
#include <string>
#include <vector>

// The workers of one machine that may run at once, though they share a machine_lock.

namespace vigil::worker {

/// What a worker says of itself to the others.
struct Neighbour {
    std::string name;
    std::vector<std::string> beside;  ///< workers that it may run with; empty: none
    std::vector<int> cores;           ///< that it uses
    std::vector<std::string> gpus;    ///< files of their devices
};

/// Two workers run at once when each names the other. Each of them has a file beside the lock,
/// "<lock>.<name>", that says this; in it one byte is locked while the worker lives, another while
/// it has its turn. The kernel gives both back when it dies.
class Neighbours {
  public:
    /// Shows itself to the others, unless it runs beside nobody.
    /// @param lock  the machine_lock
    /// @throws Error{conflict} where a worker that it may run with uses its name, a core or a GPU
    ///         of its own, Error{unavailable} when its file cannot be written
    Neighbours(std::filesystem::path lock, Neighbour self);
    ~Neighbours();
    Neighbours(const Neighbours&) = delete;
    Neighbours& operator=(const Neighbours&) = delete;

    bool alone() const { return self_.beside.empty(); }

    /// Whether no worker that this one may not run with has its turn.
    bool others_rest() const;

    /// Its own turn, for the others to see.
    void begin_turn();
    void end_turn();

  private:
    void refuse_overlaps() const;

    std::filesystem::path lock_;
    Neighbour self_;
    int file_ = -1;
};

/// What is wrong with a name that is to be a file's; empty: nothing.
std::string neighbour_name_problem(const std::string& name);

}  // namespace vigil::worker
