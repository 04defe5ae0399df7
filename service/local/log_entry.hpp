#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "bisect/history/history.hpp"
#include "bisect/history/pins.hpp"
#include "bisect/search/search.hpp"
#include "service/local/cases/case_chosen.hpp"
#include "service/local/reading/order.hpp"

// The log of a search: one JSON object a line, only ever appended to. What is about to be done is
// written before it is done, what came of it after; the search is replayed from these lines alone.
// docs/bisection.md describes every key.

namespace vigil::local {

constexpr int log_version = 1;

/// A merge whose commits are searched; or a commit that does nothing but move a submodule, whose
/// commits are: between the two that it was at.
struct Inside {
    Revision merge;
    int parent = 2;              ///< which of its parents brought them: 2, 3 ...
    std::string submodule = {};  ///< path of the submodule; empty: it is a merge
    friend bool operator==(const Inside&, const Inside&) = default;
};

/// The first line: what is searched, and where. Further ones begin searches inside of merges.
struct Started {
    Order order;    ///< as it was given, in every search of a log
    Revision base;  ///< commit 0; order.good where that is on the line
    history::Relation relation = history::Relation::on_line;  ///< of the good end to the bad one
    std::optional<Inside> inside;                             ///< of the last search's culprit
    Revision good_parent = Revision();  ///< of order.good; empty where it has none, or not known
    std::vector<history::Commit> suspects;  ///< commits 1.., oldest first
    std::vector<bool> touches;              ///< [suspects] whether it touches order.path
    int planner = search::planner_version;
};

/// How much a search may spend.
struct Spending {
    int runs = 1'000'000;
    int builds = 1000;
    std::int64_t seconds = 0;  ///< of building and measuring; 0: no limit
    double further = 1;        ///< for further changes, of what the first took; 0: none is sought
    friend bool operator==(const Spending&, const Spending&) = default;
};

/// A program began to work on the search, or went on with it.
struct Resumed {
    std::int64_t at_s = 0;  ///< UTC
    int jobs = 1;
    Spending spending;
};

/// The search asks for a probe. Probes asked for together stand on neighbouring lines.
struct ProbeRequested {
    int number = 0;
    search::ProbeRequest request;
};

struct BuildBegun {
    int probe = 0;
    int commit = 0;
};

struct BuildEnded {
    int probe = 0;
    int commit = 0;
    bool built = false;
    bool cached = false;          ///< an earlier search had built it
    std::string digest;           ///< of the product; empty unless built
    double seconds = 0;           ///< of the build command
    std::string message;          ///< why not, one line
    double handling_seconds = 0;  ///< of checking the commit out, and keeping what was built
};

struct RunBegun {
    int probe = 0;
    int position = 0;  ///< in the probe's commits
};

struct RunEnded {
    int probe = 0;
    int position = 0;
    std::optional<double> value;  ///< metric's unit, >= 0
    double seconds = 0;
    std::string message;  ///< why there is none, one line
    int group = -1;       ///< runs of a probe with the same number were at once; -1: alone
    double busy = 0;      ///< processor time by wall time; 0: not known
};

/// ReadAs is an entry too: it stands before the first run whose output showed it.
/// Values of runs of the two ends, metric's unit, >= 0.
struct EndValues {
    std::vector<double> good;
    std::vector<double> bad;
};

/// How many runs may be alive together, by what the ends took alone and beside others.
struct Interference {
    EndValues alone;
    EndValues together;   ///< of groups that were made for this
    double slowdown = 0;  ///< what a run beside others takes more, of the end that it slows more
    int at_once = 1;      ///< runs that may be alive together; 1: they disturb each other
    double seconds = 0;   ///< of all these runs
};

/// What a culprit moves of the project's dependencies.
struct PinsMoved {
    int commit = 0;
    history::PinMoves moves;
};

/// A culprit is a merge: whether the commits that it brought can be searched.
struct MergeSeen {
    int commit = 0;
    std::vector<Revision> brought;  ///< of its further parents, those whose commits can be searched
    std::string why;                ///< none can be, one line; empty when some can
};

/// Stopped by a person, or an end inside of a merge gives no value: what is open stays so.
struct Paused {
    std::int64_t at_s = 0;
    std::string why;
};

/// The search came to its end; told again so that a replay can be compared.
struct SearchEnded {
    search::Ending ending = search::Ending::range;
    int first = 0;
    int last = 0;
};

using LogEntry = std::variant<
    Started,
    Resumed,
    ReadAs,
    CaseChosen,
    ProbeRequested,
    BuildBegun,
    BuildEnded,
    RunBegun,
    RunEnded,
    Interference,
    PinsMoved,
    MergeSeen,
    Paused,
    SearchEnded>;

/// "the merge 0123456789", "the commit 0123456789, which moves the submodule third/lib".
std::string inside_words(const Inside& inside);

nlohmann::json moves_json(const history::PinMoves& moves);

/// One line, without its end.
std::string write_entry(const LogEntry& entry);

/// @param where  names the line in errors
/// @throws Error{invalid_argument}
LogEntry parse_entry(std::string_view line, const std::string& where);

/// All whole lines of a log; the last one, when it has no end, was cut by a kill and is left out.
/// @param whole_bytes  gets the length of what was read
/// @throws Error{invalid_argument} naming the line
std::vector<LogEntry> parse_log(
    std::string_view text, const std::string& name, std::size_t& whole_bytes);

/// A log in searches: each begins with a `started` line.
/// @param entries  not empty, the first one begins a search
std::vector<std::vector<LogEntry>> searches_of(const std::vector<LogEntry>& entries);

}  // namespace vigil::local
