#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "service/store/reports/outbox.hpp"

// The table `notice`: comments and check runs that are kept up to date in place. Times of attempts
// are steady.

namespace vigil::service {

struct NoticeWords {
    std::string target;       ///< name of the report target
    std::string place;        ///< "answer/7", "command/7", "pull/7", "check/HASH": one each
    std::int64_t number = 0;  ///< of the issue or pull request
    std::string revision;     ///< of a check run: its commit; empty: it is a comment
    std::string status;       ///< of a check run: "queued", "in_progress", or how it ended
    std::string title;        ///< of a check run
    std::string body;         ///< Markdown without its marker
};
/// Makes the notice of its place say this, once it is its turn. @return  whether that is news
bool put_notice(Database& db, const NoticeWords& words, std::int64_t now_s);

struct NoticeRow {
    std::int64_t id = 0;
    NoticeWords words;
    int version = 1;  ///< of the words
    int attempts = 0;
    bool ambiguous = false;       ///< it may be there
    std::string external_ref;     ///< GitHub's id of it; empty: not known to be there
    int filings = 0;              ///< requests that made it, or may have
    std::int64_t filed_at_s = 0;  ///< when the last of them ended
};
/// Whether it answers a command.
bool is_answer(const NoticeWords& words);
/// Of each target the one whose turn it is among the answers, and among all others: the longest
/// waiting. Answers come last.
std::vector<NoticeRow> list_due_notices(Database& db, std::int64_t steady_s);

/// Those of which it is time to look whether they are there twice, longest waiting first.
std::vector<NoticeRow> list_notices_to_look_at(Database& db, std::int64_t steady_s, int limit);
/// @param look_at_s  nullopt: no more
void note_look(Database& db, std::int64_t notice, std::optional<std::int64_t> look_at_s);
/// Another one at GitHub is the one that counts, and gets its words.
void adopt(Database& db, std::int64_t notice, const std::string& external_ref);

/// Of the row, what the rules of service/report/deliver move. Where its words changed meanwhile it
/// is due at once, whatever came of the older ones.
/// @param version  of the words that were on their way
void write_notice(Database& db, std::int64_t notice, int version, const OutboxRow& row);

/// Whether the words of this version were given up, and somebody waits for them.
void note_given_up(Database& db, std::int64_t notice, int version, bool given_up);

/// One that was given up is due again. @return  false: it was not given up
bool revive_notice(Database& db, std::int64_t notice, std::int64_t steady_s);

/// Nobody waits any more for what was given up there. @param place  as in NoticeWords
/// @return  whether there was something
bool drop_given_up(Database& db, const std::string& target, const std::string& place);
/// The same of all whose words are older than that, UTC.
void drop_given_up_before(Database& db, std::int64_t changed_before_s);

/// What was given up at one target and is waited for.
struct GivenUpNotices {
    std::int64_t count = 0;
    std::int64_t number = 0;  ///< of the newest: its issue or pull request
    std::string revision;     ///< of the newest; empty: it is a comment
    std::string message;      ///< of the newest: why
};
/// nullopt: there is none.
std::optional<GivenUpNotices> find_given_up_notices(Database& db, const std::string& target);

/// Those whose attempt began, and nobody saw the end, are due at once; it may have made them.
/// @return  how many
int resume_notices(Database& db, std::int64_t steady_s);

}  // namespace vigil::service
