#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>

#include "worker/run/neighbours.hpp"
#include "worker/run/run.hpp"

namespace vigil::worker {

/// Lets the workers of one machine take turns: while one builds or measures, the others wait, so
/// that nobody's numbers hold a neighbour's load. The turn is an exclusive lock on a file that they
/// share; the kernel gives it back when a worker dies. Workers that may run beside each other have
/// the lock only while they begin, and wait for the turns of all others to end.
class TurnRunner : public Runner {
  public:
    /// @param runner  does the work; outlives this
    /// @param file    made when missing; every user of it must be able to write it
    /// @param self    what the others are told
    /// @throws Error{unavailable} when it cannot be opened, and as Neighbours does
    TurnRunner(Runner& runner, const std::filesystem::path& file, Neighbour self = {});
    ~TurnRunner() override;
    TurnRunner(const TurnRunner&) = delete;
    TurnRunner& operator=(const TurnRunner&) = delete;

    /// Waits for its turn, or until the request is stopped; limits count from the turn on. Runs of
    /// one TurnRunner that overlap share the turn: the first takes it, the last gives it back.
    RunReport run(const RunRequest& request) override;
    bool sandboxed() const override { return runner_.sandboxed(); }
    std::map<std::string, std::string> facts() const override;

  private:
    class Turn;
    bool take(const std::atomic<bool>* stop);  ///< @return  whether it has the turn
    void give_back();

    Runner& runner_;
    Neighbours neighbours_;
    int file_ = -1;
    std::mutex mutex_;
    int sharing_ = 0;  ///< runs that use the turn, guarded by mutex_
};

}  // namespace vigil::worker
