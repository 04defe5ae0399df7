#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bisect/search/search.hpp"
#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// The rows of `probe`: what a bisection asked for, each one job.

namespace vigil::service {

struct ProbeRow {
    int number = 0;  ///< in the order of asking, from 0
    search::ProbeRequest plan;
    bool is_open = false;
    std::optional<JobId> job;
};

/// In the order of their numbers.
std::vector<ProbeRow> list_probes(Database& db, BisectionId bisection);

ProbeId add_probe(
    Database& db,
    BisectionId bisection,
    int number,
    const search::ProbeRequest& plan,
    std::int64_t now_s);

int count_probes(Database& db, BisectionId bisection);
int count_open_probes(Database& db, BisectionId bisection);

/// Closes the probes of a bisection whose job has ended. @return how many are still open
int close_probes(Database& db, BisectionId bisection);

/// Probes whose job ended without a result.
int count_lost_probes(Database& db, BisectionId bisection);

}  // namespace vigil::service
