#include "service/schedule/build_jobs.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "bisect/search/breakage.hpp"
#include "schema/wire/job_json.hpp"
#include "service/store/ids.hpp"

namespace vigil::service {

namespace {

constexpr int looked_at = 200;  // waiting jobs of a project and class, the most urgent first

/// One class that measures, and the one that builds for it.
struct Pair {
    std::string measures;
    MachineClassId measuring;
    MachineClassId building;
    std::vector<std::string> toolchains;  ///< of the first
};

class Planner {
  public:
    Planner(Database& db, const Config& config, std::int64_t now_s)
        : db_(db), config_(config), now_s_(now_s) {}

    int plan() {
        for (const auto& [name, one] : config_.machine_classes) {
            if (one.build_class.empty()) continue;
            const auto id = find_machine_class(db_, name);
            if (!id) continue;
            Pair pair{name, *id, ensure_machine_class(db_, one.build_class), {}};
            pair.toolchains = list_class_toolchains(db_, *id);
            for (const auto& project : list_waiting_projects(db_, *id)) plan_for(pair, project);
        }
        return added_;
    }

  private:
    void plan_for(const Pair& pair, const WaitingProject& project) {
        const auto found = config_.projects.find(project.name);
        if (found == config_.projects.end()) return;
        for (const auto& needed : list_needed_builds(db_, pair.measuring, project.id, looked_at)) {
            const auto* recipe = find_recipe(found->second, needed.input_kind);
            if (recipe != nullptr) plan_one(pair, project.id, needed, wire::digest_of(*recipe));
        }
    }

    ClassBuild load(const Pair& pair, const NeededBuildRow& needed, const Digest& recipe) {
        ClassBuild build;
        build.priority = needed.priority;
        for (const auto& product : list_products(db_, needed.build, recipe)) {
            if (!is_usable(pair.toolchains, product.toolchain)) continue;
            build.built = build.built || product.built;
            build.failures += product.built ? 0 : product.failures;
        }
        if (build.built) return build;
        build.newest_job = find_newest_build_job(db_, pair.building, needed.build);
        build.oldest_waiting =
            find_oldest_waiting(db_, pair.measuring, needed.build).value_or(JobId{});
        return build;
    }

    void plan_one(
        const Pair& pair, ProjectId project, const NeededBuildRow& needed, const Digest& recipe) {
        const auto build = load(pair, needed, recipe);
        switch (next_step(build)) {
            case BuildStep::none: return;
            case BuildStep::add: return add(pair, project, needed);
            case BuildStep::raise: return set_priority(db_, build.newest_job->id, build.priority);
            case BuildStep::give_up: return give_up(pair, needed.build, *build.newest_job);
        }
    }

    void add(const Pair& pair, ProjectId project, const NeededBuildRow& needed) {
        NewJob job;
        job.project = project;
        job.machine_class = pair.building;
        job.purpose = build_purpose(needed.purpose);
        job.priority = static_cast<Priority>(needed.priority);
        job.nightly = needed.nightly;
        job.builds = {needed.build};
        add_job(db_, job, now_s_);
        ++added_;
    }

    void give_up(const Pair& pair, BuildId build, const BuildJob& job) {
        const auto why = fmt::format(
            "job {}, which builds build {} for it on another machine class, is {}",
            to_string(job.id),
            to_string(build),
            to_string(job.state));
        for (const auto& waits : list_waiting_before(db_, pair.measuring, build, job.id)) {
            move_job(db_, waits, {.to = JobState::failed, .message = why, .ended_at_s = now_s_});
            record_job(db_, waits, "job.parked", why, now_s_);
        }
    }

    Database& db_;
    const Config& config_;
    std::int64_t now_s_;
    int added_ = 0;
};

}  // namespace

std::string build_class_of(const Config& config, const std::string& machine_class) {
    const auto found = config.machine_classes.find(machine_class);
    return found == config.machine_classes.end() ? "" : found->second.build_class;
}

std::vector<std::string> classes_built_by(const Config& config, const std::string& machine_class) {
    std::vector<std::string> names;
    for (const auto& [name, one] : config.machine_classes) {
        if (!one.build_class.empty() && one.build_class == machine_class) names.push_back(name);
    }
    return names;
}

bool is_usable(const std::vector<std::string>& toolchains, const std::string& toolchain) {
    return toolchains.empty() || std::ranges::find(toolchains, toolchain) != toolchains.end();
}

BuildStep next_step(const ClassBuild& build) {
    if (build.built || build.failures >= search::tries_of_a_build) return BuildStep::none;
    if (!build.newest_job) return BuildStep::add;
    const auto& job = *build.newest_job;
    if (job.state == JobState::leased) return BuildStep::none;
    if (job.state == JobState::queued) {
        return job.priority < build.priority ? BuildStep::raise : BuildStep::none;
    }
    // What was cancelled, or ended before these jobs were made, says nothing of them.
    const bool lost = job.state == JobState::parked || job.state == JobState::failed;
    const bool of_these = job.id.value > build.oldest_waiting.value;
    return lost && of_these ? BuildStep::give_up : BuildStep::add;
}

Purpose build_purpose(Purpose needed_for) {
    return needed_for == Purpose::request ? Purpose::probe : needed_for;
}

int plan_builds(Database& db, const Config& config, std::int64_t now_s) {
    return Planner(db, config, now_s).plan();
}

bool is_unbuildable(
    Database& db, BuildId build, const Digest& recipe, const std::string& toolchain) {
    return std::ranges::any_of(list_products(db, build, recipe), [&](const auto& product) {
        return product.toolchain == toolchain && !product.built &&
               product.failures >= search::tries_of_a_build;
    });
}

std::optional<std::string> why_useless(
    Database& db,
    const Config& config,
    const std::string& machine_class,
    const std::string& toolchain) {
    const auto classes = classes_built_by(config, machine_class);
    if (classes.empty()) return std::nullopt;
    for (const auto& name : classes) {
        const auto id = find_machine_class(db, name);
        if (!id || is_usable(list_class_toolchains(db, *id), toolchain)) return std::nullopt;
    }
    return fmt::format(
        "its toolchain is another one than that of class {}, so nothing that it builds is of use "
        "there; install the same packages (GET /api/v1/workers shows both)",
        fmt::join(classes, ", "));
}

std::optional<std::string> why_nobody_builds(
    Database& db,
    const Config& config,
    const std::string& machine_class,
    const std::vector<ClassWorker>& workers) {
    std::optional<std::string> why;
    for (const auto& one : workers) {
        const auto worker = one.is_active() ? find_claimer(db, one.id) : std::nullopt;
        if (!worker) continue;
        const auto useless = why_useless(db, config, machine_class, worker->toolchain);
        if (!useless) return std::nullopt;
        why = "worker " + one.name + " takes none: " + *useless;
    }
    return why;
}

}  // namespace vigil::service
