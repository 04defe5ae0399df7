#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/enum_names.hpp"
#include "service/store/database.hpp"
#include "service/store/work/jobs.hpp"

// Table `attempt`: who had a job under lease, and how that ended.

namespace vigil {

enum class AttemptOutcome {
    done,
    failed,    ///< the worker could not do the job
    lost,      ///< the lease expired, or the worker's process is gone
    released,  ///< the worker failed before anything ran, which was held against it
    cancelled,
};

template <>
struct EnumNames<AttemptOutcome> {
    static constexpr std::string_view noun = "attempt outcome";
    static constexpr std::array names{
        std::pair{AttemptOutcome::done, std::string_view("done")},
        std::pair{AttemptOutcome::failed, std::string_view("failed")},
        std::pair{AttemptOutcome::lost, std::string_view("lost")},
        std::pair{AttemptOutcome::released, std::string_view("released")},
        std::pair{AttemptOutcome::cancelled, std::string_view("cancelled")}};
};

}  // namespace vigil

namespace vigil::service {

struct AttemptRow {
    int number = 0;
    WorkerId worker;
    Digest recipe;                          ///< that the lease carried
    std::string key;                        ///< by lot: which ledger's attempt it is
    std::optional<AttemptOutcome> outcome;  ///< nullopt: it goes on
    std::optional<Digest> result;           ///< that was taken
};

/// The attempts of a job, oldest first.
std::vector<AttemptRow> list_attempts(Database& db, JobId job);
std::optional<AttemptRow> find_attempt(Database& db, JobId job, int number);

/// Notes who begins a job's attempt, which goes on.
void add_attempt(Database& db, JobId job, const AttemptRow& attempt, std::int64_t now_s);

/// How an attempt ends.
struct AttemptEnd {
    AttemptOutcome outcome = AttemptOutcome::done;
    std::string message = {};                  ///< why it has no result, one line
    std::optional<Digest> result = {};         ///< what tells it from others
    std::optional<EnvironmentId> before = {};  ///< of a result: facts of the machine
    std::optional<EnvironmentId> after = {};
    std::string readings = "{}";  ///< JSON object: load, temperature, clocks before and after
};

/// Ends a job's newest attempt, if it goes on.
void end_attempt(Database& db, const JobRow& job, const AttemptEnd& end, std::int64_t now_s);

/// Counts a result that came too late for an attempt.
void note_stale_result(Database& db, JobId job, int number);

}  // namespace vigil::service
