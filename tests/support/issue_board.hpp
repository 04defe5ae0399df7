#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/board_pulls.hpp"
#include "tests/support/canned_server.hpp"

namespace vigil::test {

constexpr const char* board_account = "vigil-bot";  ///< whose token every caller has

struct BoardIssue {
    int number = 0;
    std::string title;
    std::string body;
    std::string state = "open";
    bool pull_request = false;
    std::string author = board_account;
};

struct BoardComment {
    int issue = 0;  ///< or pull request; 0: it was removed
    std::string body;
    std::string author = board_account;
};

/// What goes wrong with one request. The effect happens before the fault unless `before` is set.
struct BoardFault {
    std::string method;            ///< of the request it waits for
    CannedReply reply;             ///< with a fault, or the answer to give instead
    bool before = false;           ///< the board does not act on the request at all
    std::int64_t act_after_s = 0;  ///< it acts that much later by its clock
    std::string target_end = {};   ///< of the request it waits for
};

/// How a board misbehaves from then on.
struct BoardHabits {
    double fault_share = 0;       ///< of all requests
    std::int64_t list_lag_s = 0;  ///< a list is as old as that
    bool late = false;            ///< of the faults some are carried out two minutes later
    std::uint32_t seed = 1;
};

/// A small GitHub-compatible issues API with state, on a real socket, with a clock, and with
/// planned or random faults.
class IssueBoard {
  public:
    /// @param now_ms  its clock; called on the server's thread
    explicit IssueBoard(std::function<std::int64_t()> now_ms = [] { return 0; });

    std::string url() const { return server_.url(); }
    std::vector<BoardIssue> issues();
    std::vector<CannedRequest> requests();
    std::vector<std::int64_t> writes_ms();  ///< when each request other than GET came
    int untimely();                         ///< requests that came while it had asked for silence
    void forget_wait();                     ///< the answer in which it asked for silence was lost
    int faults();                           ///< that it made at random
    void add(BoardIssue issue);
    void plan(BoardFault fault);
    void behave(const BoardHabits& habits);
    /// From then on paths under `from` answer with a redirect to the same place under `to`, with
    /// this status; `to` may be a URL.
    void move(std::string from, std::string to, int status = 301);
    /// What the board says that a login may do; of others it says "read".
    void permit(const std::string& login, const std::string& permission);
    std::vector<BoardComment> comments();
    void add_pull(BoardPull pull);
    std::vector<BoardCheck> checks();
    void refuse_checks();            ///< as of a token that is no App's
    void remove_comment(int index);  ///< as a person does
    void say(BoardComment comment);  ///< as a person does
    void no_accounts();              ///< it does not say whose a token is, as to an app

  private:
    struct Version {
        std::int64_t at_ms = 0;
        BoardIssue issue;
    };
    struct Late {
        std::int64_t at_ms = 0;
        CannedRequest request;
    };

    CannedReply handle(const CannedRequest& request);
    CannedReply act(const CannedRequest& request);
    CannedReply list(const CannedRequest& request);
    CannedReply change(const CannedRequest& request, const std::string& number);
    CannedReply create(const CannedRequest& request);
    CannedReply talk(const CannedRequest& request, int issue);
    CannedReply say_anew(const CannedRequest& request, std::size_t id);
    bool has_thread(int number) const;
    std::optional<CannedReply> redirect(const std::string& target) const;
    std::optional<BoardFault> next_fault(const CannedRequest& request);
    void act_late();

    /// A late request is carried out in its time, whenever the next one comes.
    std::int64_t acting_ms() const { return acting_ms_ ? *acting_ms_ : now_ms_(); }

    std::function<std::int64_t()> now_ms_;
    std::optional<std::int64_t> acting_ms_;
    std::mutex mutex_;
    std::vector<std::vector<Version>> issues_;  // by number - 1, oldest version first
    std::map<std::string, std::string> permissions_;
    std::vector<BoardComment> comments_;
    BoardPulls pulls_;
    std::vector<CannedRequest> requests_;
    std::vector<std::int64_t> writes_ms_;
    std::deque<BoardFault> faults_;
    std::vector<Late> late_;
    BoardHabits habits_;
    std::mt19937 random_;
    std::int64_t quiet_until_ms_ = 0;
    int untimely_ = 0;
    int made_ = 0;
    std::string moved_from_;
    std::string moved_to_;
    int moved_status_ = 301;
    bool tells_accounts_ = true;
    CannedServer server_;
};

}  // namespace vigil::test
