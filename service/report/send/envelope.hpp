#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/report/facts/marker.hpp"
#include "service/report/send/issue_tracker.hpp"
#include "service/store/reports/outbox.hpp"

// What is sent, whole: who sends it needs no ledger.

namespace vigil::service {

/// What a message is about, for programs.
struct MessageAbout {
    std::string kind;     ///< "regression", "night", "trouble", "comment" or "week"
    std::string subject;  ///< "regression/7": all versions of one document share it
    std::string project;
    ReportId report;
    int version = 1;
    ToldFact told;    ///< of a regression
    std::string url;  ///< its page; empty: none is known
};

/// One of several reports that are one message.
struct MessagePart {
    std::string title;
    std::string body;
    MessageAbout about;
};

enum class CheckConclusion { success, neutral, failure };

/// What is said of a commit.
struct CommitCheck {
    Revision revision;
    CheckConclusion conclusion = CheckConclusion::neutral;
};

/// A report on its way to one target.
struct Envelope {
    std::string target;     ///< name in the config
    std::string file_name;  ///< of the report, the same for all its versions: [0-9A-Za-z._-]+
    std::string title;
    std::string body;
    Marker marker;  ///< the line of the body that names the report; a comment gets it when sent
    std::string external_ref;         ///< where an earlier version went; empty: not known
    bool look_first = false;          ///< an earlier attempt may have arrived, or two have
    int filings = 0;                  ///< earlier requests that filed it, or may have
    std::int64_t filed_at_s = 0;      ///< when the last of them ended, UTC
    std::int64_t first_stored_s = 0;  ///< when its first version was stored: nothing is older
    IssueState state = IssueState::as_it_is;
    std::vector<std::string> assignees = {};  ///< logins, of an issue that is filed
    std::int64_t comment_below = 0;           ///< issue below which it is a comment; 0: it is none
    std::optional<CommitCheck> check = {};    ///< it goes to a commit, and is no issue
    MessageAbout about = {};
    std::vector<MessagePart> more = {};  ///< that go with it, of a target that collects
};

}  // namespace vigil::service
