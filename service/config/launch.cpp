// How runs are started: the keys, and whose launch counts.

#include "service/config/keys.hpp"

namespace vigil::service {

namespace {

void describe_openmp(KeyVisitor& v, OpenMpSettings& openmp) {
    v.small("threads", openmp.threads, {0, max_openmp_threads});
    v.text("affinity", openmp.affinity, {"value of KMP_AFFINITY", affinity_problem});
    v.maybe("blocktime_ms", openmp.blocktime_ms, [&](int& value) {
        v.small("blocktime_ms", value, {0, max_blocktime_ms});
    });
    v.choice("library", openmp.library);
}

}  // namespace

void describe_launch(KeyVisitor& v, Launch& launch) {
    v.choice("profile", launch.profile);
    v.text("cores", launch.cores, {"list of core numbers, such as 0-3,8", cores_problem});
    v.maybe("memory_node", launch.numa_memory, [&](int& value) {
        v.small("memory_node", value, {0, max_numa_memory});
    });
    v.choice("allocator", launch.allocator);
    v.object("openmp", launch.openmp, describe_openmp);
    Launch profile_alone;
    profile_alone.profile = launch.profile;
    v.check(
        launch.profile == LaunchProfile::none || launch == profile_alone,
        "profile",
        "stands alone: it says all that the other keys of launch say");
}

BenchmarkPlan launched(
    BenchmarkPlan plan, const ProjectConfig& project, const std::string& machine_class) {
    const auto found = project.launches.find(machine_class);
    if (!plan.launch && found != project.launches.end()) plan.launch = found->second;
    return plan;
}

}  // namespace vigil::service
