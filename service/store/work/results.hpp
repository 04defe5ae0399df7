#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/job.hpp"
#include "service/store/database.hpp"
#include "service/store/work/jobs.hpp"

// Tables `product`, `environment`, `run`, `measurement` and `unjudged_measurement`: what became of
// jobs.

namespace vigil::service {

/// What a build becomes by one recipe and one toolchain.
struct ProductKey {
    BuildId build;
    Digest recipe;
    std::string toolchain;
};

/// The product, when it was built.
std::optional<Digest> find_product(Database& db, const ProductKey& key);

/// Notes a product, where there is none or it failed before.
void note_product(
    Database& db, const ProductKey& key, const BuildOutcome& built, std::int64_t now_s);

/// Counts a failure, where there is no product.
void note_failed_product(
    Database& db, const ProductKey& key, const BuildOutcome& failed, std::int64_t now_s);

/// The row of facts of a machine, made when missing; nullopt where there are none.
std::optional<EnvironmentId> ensure_environment(
    Database& db, const std::map<std::string, std::string>& facts);

/// What was run, and on which build.
struct RunSubject {
    BuildId build;
    std::string benchmark;
    std::string variant;
    std::optional<EnvironmentId> environment;
};

/// Adds a run of a leased job's newest attempt, by its worker.
RunId add_run(Database& db, const JobRow& job, const RunSubject& subject, const RunOutcome& run);

/// A run's samples of one metric, summarised; metric's unit.
struct NewMeasurement {
    RunId run;
    SeriesId series;
    double value = 0;
    double spread = 0;
};

/// @param samples  [n] in order
void add_measurement(
    Database& db, const NewMeasurement& measurement, const std::vector<double>& samples);

/// Adds one that no series is judged by. Its value and spread are not stored.
/// @param why  one line
void add_unjudged_measurement(
    Database& db,
    const NewMeasurement& measurement,
    const std::vector<double>& samples,
    const std::string& why);

}  // namespace vigil::service
