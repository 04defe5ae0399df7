#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/model/text_ids.hpp"

namespace vigil::history {

/// A commit on the first-parent line. Subject and author are a stranger's text: valid UTF-8 and one
/// line, not otherwise neutralised.
struct Commit {
    Revision revision;
    Revision parent;  ///< first parent
    bool merge = false;
    std::string subject;
    std::string author;
    std::int64_t authored_at_s = 0;
    std::string pins =
        {};  ///< what it moves of dependencies (pins.hpp), in words; who lists fills it
    std::vector<Revision> brought = {};  ///< further parents: what a merge brought, in their order
    std::string email = {};              ///< of the author; a stranger's text
    int commits = 1;  ///< of the range that came with it, itself counted: a merge has many
    std::string dependency = {};  ///< that it moves, where it does nothing else (place_of)
    Revision stands_for = {};     ///< the dependency's commit that it puts there, see write_moves
};

constexpr int most_suspects = 20'000;

/// How the good end of a range lies to the first-parent line of the bad one.
enum class Relation {
    on_line,    ///< it is a commit of the line
    merged_in,  ///< it came into the line through a merge
    forked      ///< it is no ancestor of the bad end: the two lines part
};

/// The suspects of two ends that need not lie on one line.
struct Range {
    Revision base;  ///< what the suspects follow: the good end, or where the two lines part
    std::vector<Commit> suspects;  ///< after `base`, up to and with the bad end, oldest first
    Relation relation = Relation::on_line;
};

/// The suspects between two revisions: after `good`, up to and with `bad`, oldest first, along
/// first parents in topological order (time stamps play no part). Where `good` is not on bad's
/// first-parent line, they follow the newest commit of that line that `good` holds: they are what
/// the bad end has and the good lacks.
/// @param repository  path of a clone or bare repository
/// @throws Error{not_found} when a revision or an object is missing; Error{invalid_argument} when
///         there are more than `limit` commits; Error{conflict} when the two have no common history
///         on the line, or `good` holds `bad`
Range list_range(
    const std::string& repository,
    const Revision& good,
    const Revision& bad,
    int limit = most_suspects);

/// The last commit of one day on a first-parent line.
struct DayCommit {
    Revision revision;
    std::int64_t committed_at_s = 0;
};

/// The last commit of each of the days (UTC, by the committer) before the day of `end`, on its
/// first-parent line, oldest first. Days without a commit have none; a commit that claims a later
/// day than one that follows it has none either.
/// @param days  this many days before the day of `from`, which is `end` or a descendant of it
/// @throws Error{not_found} when a commit is missing; where history was cut off, it ends there
std::vector<DayCommit> list_days(
    const std::string& repository, const Revision& end, const Revision& from, int days);

/// The parents of a commit, first parent first.
/// @throws Error{not_found} when the commit is missing
std::vector<Revision> list_parents(const std::string& repository, const Revision& revision);

}  // namespace vigil::history
