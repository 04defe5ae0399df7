#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/job.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"

// Tables `build`, `source_facts` and `product`: what is measured, and what became of it.

namespace vigil::service {

/// The build of a revision's source tree, whoever asked for it.
std::optional<BuildId> find_source_build(Database& db, ProjectId project, const Revision& revision);

/// The build of a revision's source tree, made when missing. Its input is exported later, by the
/// git lane, once a job asks for it.
BuildId ensure_source_build(
    Database& db, ProjectId project, const Revision& revision, std::int64_t now_s);

/// The build of an archive, made when missing.
BuildId ensure_archive_build(
    Database& db,
    ProjectId project,
    const Revision& revision,
    const Digest& archive,
    std::int64_t now_s);

Revision load_revision(Database& db, BuildId build);

BuildId build_of(Database& db, NightlyId nightly);

/// Whether the two builds gave the same product with some toolchain: then no measurement can tell
/// them apart, and none is made.
bool same_product(Database& db, BuildId a, BuildId b);

/// What is known about making one build.
struct BuildFacts {
    bool built = false;     ///< a product exists, with some toolchain
    int failures = 0;       ///< failed attempts, over all toolchains, while not built
    bool no_input = false;  ///< its source can never be had
};
BuildFacts load_build_facts(Database& db, BuildId build);

/// What the newest failure says, with a toolchain that has not made it; may be empty.
std::optional<std::string> find_build_failure(Database& db, BuildId build);

/// What differs between a build's source tree and a checkout; empty: nothing, or there is none.
std::string find_source_notes(Database& db, BuildId build);

/// What a build becomes by one recipe and one toolchain.
struct ProductKey {
    BuildId build;
    Digest recipe;
    std::string toolchain;
};

std::optional<Digest> find_product(Database& db, const ProductKey& key);

/// Notes a product, where there is none or it failed before.
void note_product(
    Database& db, const ProductKey& key, const BuildOutcome& built, std::int64_t now_s);

/// Counts a failure, where there is no product.
void note_failed_product(
    Database& db, const ProductKey& key, const BuildOutcome& failed, std::int64_t now_s);

/// What two builds share whose products are the same: equal names, equal products. Products
/// compare only within one toolchain; the least name stands for the fleet. nullopt: not built.
std::optional<std::string> find_product_name(Database& db, BuildId build);

/// How long the newest builds of a project took, on average; nullopt: there is none.
std::optional<double> find_usual_build_ns(Database& db, ProjectId project);

/// The build of the newest night before this one that gave a product, of another revision.
std::optional<BuildId> find_built_before(Database& db, NightlyId nightly);

/// A source tree that a queued job of the project waits for.
struct MissingSource {
    BuildId build;
    Revision revision;
    std::string unreadable = {};  ///< why its row cannot be read; then there is no revision
};
std::vector<MissingSource> list_missing_sources(Database& db, int limit, ProjectId project);

/// A revision's tree that was exported.
struct NewSource {
    Digest tree;
    std::string describe;
    std::int64_t committed_at_s = 0;
    std::string notes;  ///< what differs from a checkout, one line; may be empty
};

/// Records the outcome of an export.
void record_source(Database& db, BuildId build, const NewSource& source);
void record_source_failure(Database& db, BuildId build, const std::string& why, std::int64_t now_s);

}  // namespace vigil::service
