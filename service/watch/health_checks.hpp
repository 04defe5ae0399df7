#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "service/config/config.hpp"
#include "service/source/source_tree.hpp"
#include "service/store/nights/nightlies.hpp"
#include "service/store/troubles.hpp"
#include "service/store/work/claimers.hpp"

// What is wrong and no event tells: each is a trouble from the first look that sees it until one
// that does not.

namespace vigil::service {

/// How long after a start, or after somebody set the clock, each worker that is here has been heard
/// of: the longest poll and a margin, s. Before that check_health() takes them for gone.
std::int64_t hearing_s(const JobConfig& jobs);

/// Looks for machine classes whose jobs no worker can serve ("class.no_workers") and for nights
/// that did not come by their deadline ("night.late"), and for projects whose jobs wait because
/// their machine hours of the day are spent ("budget.spent"), and what the self-test planted and
/// nobody reported ("self_test.missed"). Ends the troubles of projects,
/// targets and workers that left the config.
void check_health(Database& db, const Config& config, std::int64_t now_s);

/// When the project's nights last came, UTC. A git branch without a new commit has no new night,
/// and that is no trouble: there it is when the source was last looked at.
std::int64_t last_night_s(Database& db, ProjectId project, const ProjectConfig& config);

/// Whether the disk of the state folder has room ("disk.full"), and how much it has each day.
/// @param free_bytes  of it
/// @param needed_bytes  ledger.ballast_bytes
void note_disk(
    Database& db,
    bool is_full,
    std::int64_t free_bytes,
    std::int64_t needed_bytes,
    std::int64_t now_s);

/// A project's source was asked for its newest nightly ("source.failed").
/// @param why  it gave none; nullopt: it gave one
void note_source(
    Database& db,
    ProjectId project,
    const std::string& name,
    const std::optional<std::string>& why,
    std::int64_t now_s);

/// A project's source gave its newest nightly ("source.incomplete").
/// @param missing  parts that the nightly lacks, with the reasons; none: it is whole
void note_incomplete(
    Database& db,
    ProjectId project,
    const std::string& name,
    const std::string& version,
    const std::vector<std::string>& missing,
    std::int64_t now_s);

/// A project's repository was asked for trees or commits ("repository.unreachable").
/// @param why  it cannot be reached now; nullopt: it was
void note_repository(
    Database& db,
    ProjectId project,
    const std::string& name,
    const std::optional<std::string>& why,
    std::int64_t now_s);

/// A tree of a project was made, or lacks submodules ("submodule.missing", one for each path, until
/// a tree has it, or none has asked for it for a day).
void note_submodules(
    Database& db,
    ProjectId project,
    const std::string& name,
    const SourceTree& tree,
    std::int64_t now_s);

/// What a tree lacks in words, one line, fit for rows: without paths of this machine.
std::string submodule_words(const std::vector<MissingSubmodule>& missing);

/// A nightly's build was made, or failed ("nightly.unbuildable"); nothing when neither is known.
void note_build(Database& db, const NightlyRow& nightly, std::int64_t now_s);

// The rules, pure.

/// Why none of a class's workers takes a job; nullopt: one is here, if only busy.
/// @param seen_since_s  who was seen then or later is here
std::optional<std::string> why_nobody(
    const std::vector<ClassWorker>& workers, std::int64_t seen_since_s);

/// Whether a trouble is of something that left the config: it says nothing more of itself, not even
/// that all is well. A target that still owes reports is in trouble all the same, and a class
/// without workers while jobs wait, whose ever they are.
bool left_config(const TroubleOwner& trouble, const Config& config);

}  // namespace vigil::service
