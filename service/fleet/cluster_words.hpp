#pragma once

#include <set>
#include <string>
#include <string_view>

#include "schema/model/allocation.hpp"
#include "service/fleet/cluster.hpp"

// Slurm's words for states and reasons. Pure functions.

namespace vigil::service {

/// Of a state as squeue and sacct have it: "RUNNING", "CANCELLED by 1000".
ClusterState parse_cluster_state(std::string_view word);

/// Whether nothing of a job in this state runs any more.
bool is_over(ClusterState state);

/// How an allocation ended whose job is over.
AllocationEnd end_of(ClusterState state);

/// Whether what a pending job waits for comes only when somebody changes the request or the
/// cluster's rules: it will not start by itself.
bool waits_for_ever(std::string_view reason);

/// Why a job does not start, for a person: the reason, with what it means where that is known.
std::string reason_words(std::string_view reason);

/// Whether a node in this state, as sinfo or slurmrestd names it, is to take no more jobs: drained,
/// down, failing or in maintenance.
bool takes_no_jobs(std::string_view node_state);

inline constexpr std::size_t max_cluster_line_bytes = 300;

/// A stranger's text as one short line.
std::string short_line(std::string_view text);

/// One node's name; empty where the text names none or several.
std::string one_node(std::string_view text);

/// "n1,n2".
std::string listed(const std::set<std::string>& nodes);

/// Why a job waits; empty where the text says that it waits for nothing ("None").
std::string reason_of(std::string_view text);

/// The reason of a job that slurmrestd made for another user than vigild's; it waits for ever.
inline constexpr const char* wrong_user = "WrongUser";

/// Whether what a client of Slurm printed says that the controller was not reached or did not
/// answer, so that nothing is known; otherwise it is an answer.
bool is_no_answer(std::string_view errors);

}  // namespace vigil::service
