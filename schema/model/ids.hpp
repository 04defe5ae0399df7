#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace vigil {

/// A row's key in the ledger; each table has its own type, so they cannot be mixed up.
template <class Tag>
struct Id {
    std::int64_t value = 0;  ///< > 0 for a row that exists
    friend auto operator<=>(const Id&, const Id&) = default;
};

template <class Tag>
std::string to_string(Id<Tag> id) {
    return std::to_string(id.value);
}

using ProjectId = Id<struct ProjectTag>;
using MachineClassId = Id<struct MachineClassTag>;
using WorkerId = Id<struct WorkerTag>;
using TokenId = Id<struct TokenTag>;
using TriggerId = Id<struct TriggerTag>;
using BuildId = Id<struct BuildTag>;
using ProductId = Id<struct ProductTag>;
using RequestId = Id<struct RequestTag>;
using PullId = Id<struct PullTag>;
using NightlyId = Id<struct NightlyTag>;
using SessionId = Id<struct SessionTag>;
using JobId = Id<struct JobTag>;
using ImportId = Id<struct ImportTag>;
using RunId = Id<struct RunTag>;
using EnvironmentId = Id<struct EnvironmentTag>;
using SeriesId = Id<struct SeriesTag>;
using SuspicionId = Id<struct SuspicionTag>;
using RegressionId = Id<struct RegressionTag>;
using MuteId = Id<struct MuteTag>;
using MissedId = Id<struct MissedTag>;
using FixId = Id<struct FixTag>;
using BackfillId = Id<struct BackfillTag>;
using BisectionId = Id<struct BisectionTag>;
using ProbeId = Id<struct ProbeTag>;
using ReportId = Id<struct ReportTag>;
using TroubleId = Id<struct TroubleTag>;
using EventId = Id<struct EventTag>;

}  // namespace vigil
