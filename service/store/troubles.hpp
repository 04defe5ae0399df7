#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/store/database.hpp"

namespace vigil::service {

/// What is wrong now and lasts until its cause is gone: a source that cannot be reached, a machine
/// class without workers. One cause is one row, however often it is met.
struct Trouble {
    std::string kind;     ///< thing.state, our own words: "source.failed"
    std::string subject;  ///< what has it: "project/json"; with the kind it names the cause
    std::optional<ProjectId> project;
    std::string message;  ///< one line for a person: what, why, what to do
    std::int64_t since_s = 0;
    std::int64_t seen_s = 0;
};

/// The kind of a worker that cannot count the instructions that a project judges.
inline constexpr std::string_view counts_nothing = "worker.counts_nothing";

/// Writes down that `trouble` is met at `now_s`. A new cause is an event and a line in the log;
/// one that is known gets the newest message and time (its own times are not read).
/// @return  whether it is new
bool note_trouble(Database& db, const Trouble& trouble, std::int64_t now_s);

/// Its cause is gone. An event and a line in the log when it was open; nothing otherwise.
/// @return  whether it was open
bool end_trouble(Database& db, std::string_view kind, std::string_view subject, std::int64_t now_s);

/// Notes `trouble` where it lasts, and ends it where it does not.
void set_trouble(Database& db, const Trouble& trouble, bool lasts, std::int64_t now_s);

/// The open ones, oldest first.
/// @param kind  only these; empty: of every kind
std::vector<Trouble> list_troubles(Database& db, std::string_view kind = "");

/// How many are open of a kind.
struct OpenTroubles {
    std::string kind;
    std::int64_t count = 0;
};
std::vector<OpenTroubles> count_open_troubles(Database& db);

/// Whose an open trouble is, by names of the config.
struct TroubleOwner {
    std::string kind;
    std::string subject;
    std::optional<std::string> project;
    std::optional<std::string> worker;  ///< the subject is this worker
    bool owes_reports = false;          ///< the subject is a target, with reports to send
};
std::vector<TroubleOwner> list_trouble_owners(Database& db);

}  // namespace vigil::service
