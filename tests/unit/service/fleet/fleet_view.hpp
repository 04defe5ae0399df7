#pragma once

#include "service/fleet/decide.hpp"

// What a decision about the fleet stands on, for its tests.

namespace vigil::test {

using service::Allocation;
using service::ClusterJob;
using service::ClusterState;
using service::FleetView;

inline constexpr std::int64_t now_s = 1'000'000;
inline constexpr const char* name = "vigil-cpu-0123456789abcdef";

/// A class with jobs that wait, and nothing else.
inline FleetView waiting(int jobs = 2) {
    FleetView view;
    view.name = "vigil";
    view.classes["cpu"].limits.max_allocations = 3;
    view.classes["cpu"].jobs = jobs;
    view.jobs.emplace();
    view.now_s = now_s;
    return view;
}

inline Allocation allocation_in(AllocationState state, const std::string& machine = "") {
    Allocation one;
    one.id = AllocationId{7};
    one.machine_class = "cpu";
    one.name = name;
    one.state = state;
    if (state != AllocationState::planned) one.cluster_job = 40;
    one.machine = machine;
    one.created_at_s = now_s - 5;
    one.seen_at_s = now_s - 10;
    return one;
}

/// One allocation, and what the cluster says of its job.
inline FleetView with(AllocationState state, ClusterState says, const std::string& reason = "") {
    auto view = waiting();
    const bool on_node = state == AllocationState::running || state == AllocationState::leaving;
    view.allocations = {allocation_in(state, on_node ? "n1" : "")};
    const bool has_node = says != ClusterState::pending;
    view.jobs = {{ClusterJob{40, name, says, reason, has_node ? "n1" : ""}}};
    return view;
}

}  // namespace vigil::test
