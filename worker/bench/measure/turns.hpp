#pragma once

#include <optional>
#include <sched.h>
#include <string>
#include <vector>

namespace vigil_bench {

/// An exclusive lock on a file that can be read. It ends with the process at the latest.
class FileLock {
  public:
    FileLock() = default;
    explicit FileLock(const std::string& path);  ///< a file that cannot be opened is never locked
    ~FileLock();
    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&& other) noexcept;
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

    bool exists() const { return file_ >= 0; }
    int descriptor() const { return file_; }
    bool try_take();
    void give();

  private:
    int file_ = -1;
};

/// Measuring in short turns with other processes of one group, so that all of them see the same
/// spells of a disturbed machine (duet benchmarking: Bulej et al., ICPE 2020, here in alternation).
///
/// The worker names a folder with the files `turn` and one `member-<i>` per process, and marks
/// process i as over with a file `over-<i>`. Nobody writes here, everything is said by locks, so
/// the folder can be read-only: who measures holds an exclusive flock on `turn`; a member that has
/// had k turns holds a shared lock (of its open file description) on byte k of its own file.
struct TurnGroup {
    std::string folder;  ///< VIGIL_TURNS
    int member = 0;      ///< VIGIL_TURNS_MEMBER, from 0
    int members = 1;     ///< VIGIL_TURNS_MEMBERS
};

/// What the environment says; none without VIGIL_TURNS. @throws std::runtime_error when it is wrong
std::optional<TurnGroup> turn_group();

/// How many turns a member has had.
class TurnCount {
  public:
    explicit TurnCount(const std::string& path) : file_(path) {}

    void move_to(int turns);  ///< of this process
    bool is_taken() const;    ///< by another process: it is ready
    bool is_before(int turns) const;

  private:
    bool is_locked(int first, int count) const;

    FileLock file_;
    int turns_ = -1;
};

/// The right to measure now: the machine's lock and, in a group, the group's turn.
class Turns {
  public:
    /// In a group, waits until every member is ready to measure or over; then for the first turn.
    /// @param max_wait_s  each time, then measuring goes on without waiting
    /// @param lock_machine  take the machine's lock too
    /// @param pin  measure on one processor, the same for all members: the processors of a virtual
    ///             machine do not have the same neighbours
    Turns(std::optional<TurnGroup> group, double max_wait_s, bool lock_machine, bool pin);
    ~Turns();
    Turns(const Turns&) = delete;
    Turns& operator=(const Turns&) = delete;

    /// Lets the others have as many turns as this one has had; returns with the turn again.
    void pass();
    bool is_shared() const { return group_.has_value(); }
    bool is_held() const { return is_held_; }
    double waited_s() const { return waited_s_; }

  private:
    void meet();
    bool others_are_behind() const;
    TurnCount& own_place() { return places_[static_cast<std::size_t>(group_->member)]; }
    void take();
    void give();

    std::optional<TurnGroup> group_;
    double max_wait_s_;
    double waited_s_ = 0;
    bool is_held_ = false;
    bool pin_;
    cpu_set_t processors_;           ///< this process's own, before it was pinned
    std::vector<TurnCount> places_;  ///< [members]
    int had_ = 0;                    ///< turns
    FileLock turn_;
    FileLock machine_;
};

}  // namespace vigil_bench
