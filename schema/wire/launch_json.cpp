#include "schema/wire/launch_json.hpp"

#include <nlohmann/json.hpp>

#include "schema/wire/json_types.hpp"

namespace vigil {

using nlohmann::json;

void to_json(json& value, const Launch& launch) {
    value = json::object();
    if (launch.profile != LaunchProfile::none) value["profile"] = launch.profile;
    if (!launch.cores.empty()) value["cores"] = launch.cores;
    if (launch.numa_memory) value["memory_node"] = *launch.numa_memory;
    if (launch.allocator != Allocator::standard) value["allocator"] = launch.allocator;
    const auto& openmp = launch.openmp;
    if (openmp == OpenMpSettings{}) return;
    auto& settings = value["openmp"] = json::object();
    if (openmp.threads > 0) settings["threads"] = openmp.threads;
    if (!openmp.affinity.empty()) settings["affinity"] = openmp.affinity;
    if (openmp.blocktime_ms) settings["blocktime_ms"] = *openmp.blocktime_ms;
    if (openmp.library != OpenMpLibrary::standard) settings["library"] = openmp.library;
}

void from_json(const json& value, Launch& launch) {
    launch = wire::parse_launch({&value, "launch"});
}

}  // namespace vigil

namespace vigil::wire {

namespace {

void refuse_unless(const std::string& problem, const std::string& path) {
    if (!problem.empty()) refuse(path, problem);
}

OpenMpSettings parse_openmp(ObjectReader in) {
    OpenMpSettings openmp;
    openmp.threads = in.small_or("threads", 0, {0, max_openmp_threads});
    openmp.affinity = in.text_or("affinity", "");
    refuse_unless(affinity_problem(openmp.affinity), in.path("affinity"));
    if (in.has("blocktime_ms"))
        openmp.blocktime_ms = in.small("blocktime_ms", {0, max_blocktime_ms});
    openmp.library = in.choice_or<OpenMpLibrary>("library", OpenMpLibrary::standard);
    in.done();
    return openmp;
}

}  // namespace

Launch parse_launch(const Item& item) {
    ObjectReader in(item);
    Launch launch;
    launch.profile = in.choice_or<LaunchProfile>("profile", LaunchProfile::none);
    launch.cores = in.text_or("cores", "");
    refuse_unless(cores_problem(launch.cores), in.path("cores"));
    if (in.has("memory_node")) launch.numa_memory = in.small("memory_node", {0, max_numa_memory});
    launch.allocator = in.choice_or<Allocator>("allocator", Allocator::standard);
    if (auto openmp = in.find_object("openmp")) launch.openmp = parse_openmp(std::move(*openmp));
    in.done();
    return launch;
}

std::optional<std::string> parse_folder(ObjectReader& in) {
    std::string folder = in.text_or("folder", "");
    if (folder.empty()) return std::nullopt;
    const bool plain = folder.front() != '.' && folder.find('/') == folder.npos;
    if (!plain) refuse(in.path("folder"), "must be one name without a dot at its start");
    return folder;
}

}  // namespace vigil::wire
