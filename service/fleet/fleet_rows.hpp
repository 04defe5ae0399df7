#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "service/config/config.hpp"
#include "service/fleet/decide.hpp"
#include "service/store/database.hpp"

// What a decision about the fleet stands on in the ledger, and what becomes of it there. Every
// function runs in the caller's transaction on the writer.

namespace vigil::service {

/// What the ledger knows; what the cluster says is still to be filled in.
FleetView read_fleet(Database& db, const Config& config, std::int64_t now_s);

/// Whether the cluster need not be asked: there is no allocation, and no job waits for one.
bool is_at_rest(const FleetView& view);

/// Writes what the cluster says: moves, ends with their leases and tokens, and the rows of what is
/// to be asked for; tells what keeps machines away.
/// @return the new rows, in the order of the requests
std::vector<Allocation> write_decision(
    Database& db, const Config& config, const FleetDecision& decision, std::int64_t now_s);

/// The workers whose tokens `write_decision` revokes.
std::vector<std::string> list_revoked(const FleetDecision& decision);

/// Gives the worker of a job that got its node a token of its own, in place of an older one.
/// @return the secret
std::string give_token(
    Database& db, const FleetStart& start, const FleetClassConfig& limits, std::int64_t now_s);

/// Its worker has its token: the allocation is running.
void note_started(Database& db, const FleetStart& start, std::int64_t now_s);

/// What came of asking for an allocation.
void note_reply(
    Database& db, const Allocation& allocation, const ClusterReply& reply, std::int64_t now_s);

/// What came of draining a node: why its worker is held says so.
/// @param refusal  why it was not done; nothing: it was
void note_drained(
    Database& db,
    const FleetDrain& drain,
    const std::optional<std::string>& refusal,
    std::int64_t now_s);

/// Why a node is drained, for the cluster's admins: a line without quotes.
std::string drain_reason(const FleetDrain& drain);

/// Whether the cluster gives answers, as a trouble.
/// @param why  nothing: it does
void note_cluster(Database& db, const std::optional<std::string>& why, std::int64_t now_s);

}  // namespace vigil::service
