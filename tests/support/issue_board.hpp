#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tests/support/canned_server.hpp"

namespace vigil::test {

struct BoardIssue {
    int number = 0;
    std::string title;
    std::string body;
    std::string state = "open";
    bool pull_request = false;
};

/// What goes wrong with one request. The effect happens before the fault unless `before` is set.
struct BoardFault {
    std::string method;   ///< of the request it waits for
    CannedReply reply;    ///< with a fault, or the answer to give instead
    bool before = false;  ///< the board does not act on the request at all
};

/// A small GitHub-compatible issues API with state, on a real socket, and with planned faults.
class IssueBoard {
  public:
    IssueBoard();

    std::string url() const { return server_.url(); }
    std::vector<BoardIssue> issues();
    std::vector<CannedRequest> requests();
    void add(BoardIssue issue);
    void plan(BoardFault fault);

  private:
    CannedReply handle(const CannedRequest& request);
    CannedReply act(const CannedRequest& request);

    std::mutex mutex_;
    std::vector<BoardIssue> issues_;
    std::vector<CannedRequest> requests_;
    std::deque<BoardFault> faults_;
    CannedServer server_;
};

}  // namespace vigil::test
