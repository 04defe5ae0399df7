#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "service/store/work/jobs.hpp"
#include "service/store/work/machine_time.hpp"

// In which order a claim looks at what waits for a machine class: a pure rule over rows
// (docs/decisions.md, 0016).

namespace vigil::service {

/// How near to a report work is. Within a level priorities decide.
enum class WorkLevel { urgent, nightly, later };

/// Confirmations, canaries and searches are urgent; requests and what comes after them are later.
WorkLevel level_of(int priority);
WorkLevel level_of(MachineWork work);

/// One project in the queue of a machine class.
struct ProjectTurn {
    std::vector<WaitingJob> jobs;           ///< by priority, then by age
    std::array<std::int64_t, 3> spent_s{};  ///< machine time on the class today, by WorkLevel
    int leased = 0;                         ///< of its jobs on the class, now

    std::int64_t total_s() const { return spent_s[0] + spent_s[1] + spent_s[2]; }
};

/// Urgent work of others goes first for so much machine time a day; then it shares.
inline constexpr std::int64_t head_start_s = 2 * 3600;
/// Of what goes first and one that waits behind it, the latter gets one part in so many.
inline constexpr int parts = 4;

/// Whether a project may go before another whose work is of a higher level: that one had its head
/// start today and three times as much machine time, and the first holds less than a quarter of
/// the leases of the class. Backfills have no such share.
/// @param leased  all jobs of the class under lease
bool is_owed(const ProjectTurn& behind, const ProjectTurn& first, int leased);

/// The jobs of all projects in the order in which one is to be begun: higher priority first. Among
/// equal ones the project that has fewer leases, then less machine time today, then the older job.
/// A project that is owed its share goes before all.
/// @param leased  all jobs of the class under lease
std::vector<JobRow> claim_order(const std::vector<ProjectTurn>& turns, int leased);

}  // namespace vigil::service
