#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/job.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"
#include "service/store/work/class_builds.hpp"

// Builds for machine classes whose workers build nothing themselves (`build_class`). Each is a job
// without steps for the class that builds (docs/fleet.md, "Machines that only build").

namespace vigil::service {

/// The class that builds for a class; empty: it builds for itself.
std::string build_class_of(const Config& config, const std::string& machine_class);

/// The classes for which a class builds, in the order of their names; none: it measures.
std::vector<std::string> classes_built_by(const Config& config, const std::string& machine_class);

/// Whether a product of a toolchain is of use where these are: the same text.
/// @param toolchains  of the class that measures; none: they are not known yet, so any may be
bool is_usable(const std::vector<std::string>& toolchains, const std::string& toolchain);

/// What is known of a build that waiting jobs need.
struct ClassBuild {
    bool built = false;                  ///< by a toolchain that is of use
    int failures = 0;                    ///< with such toolchains, while not built
    std::optional<BuildJob> newest_job;  ///< of the class that builds
    JobId oldest_waiting;                ///< of the jobs that need it
    int priority = 0;                    ///< the highest of these
};

/// What is to be done about it.
enum class BuildStep {
    none,    ///< it is built, under way, or failed as often as a build is tried
    add,     ///< a job is to be added
    raise,   ///< its job waits with a lower priority than those that need it
    give_up  ///< its job ended without saying whether it builds: those that waited for it end
};
BuildStep next_step(const ClassBuild& build);

/// The purpose of the job that makes a build. What somebody asked for is built as a probe: a
/// night's own builds may write compiler caches, these may not.
Purpose build_purpose(Purpose needed_for);

/// Adds the jobs that build what waiting jobs need of another class, gives them the priority of the
/// most urgent of these, and ends the jobs whose build was given up. It runs in the caller's
/// transaction on the writer.
/// @return how many jobs were added
int plan_builds(Database& db, const Config& config, std::int64_t now_s);

/// Whether a build failed with a toolchain as often as it is tried.
bool is_unbuildable(
    Database& db, BuildId build, const Digest& recipe, const std::string& toolchain);

/// Why no product of a toolchain is of use for any class for which a class builds; nothing: it is
/// of use, or the class builds for none.
std::optional<std::string> why_useless(
    Database& db,
    const Config& config,
    const std::string& machine_class,
    const std::string& toolchain);

/// Of workers of a class that builds for others: why none of the active ones makes anything of use;
/// nothing: one does, none is active, or the class builds for none.
std::optional<std::string> why_nobody_builds(
    Database& db,
    const Config& config,
    const std::string& machine_class,
    const std::vector<ClassWorker>& workers);

}  // namespace vigil::service
