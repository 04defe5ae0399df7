#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/canned_server.hpp"

namespace vigil::test {

/// A pull request as the board's API tells of it.
struct BoardPull {
    int number = 0;
    std::string head;
    std::string base;
    std::string head_repository = "owner/name";  ///< empty: it was deleted
    std::string state = "open";
    std::vector<std::string> commits = {};  ///< that it brings
    std::string merged_at = {};             ///< empty: it was not merged
    std::string base_repository = "owner/name";
    int base_repository_id = 7;
};

struct BoardCheck {
    std::string name;
    std::string head;
    std::string external_id;
    std::string status;
    std::string conclusion;
    std::string title;
    std::string summary;
};

/// The part of a board that knows pull requests and check runs. Not for several threads.
class BoardPulls {
  public:
    std::map<int, BoardPull> pulls;
    std::vector<BoardCheck> checks;  ///< by id - 1
    bool takes_checks = true;        ///< else it is told that an App's token is needed

    /// @param path  below /repos/owner/name, without a query
    /// @return  nullopt: it is about something else
    std::optional<CannedReply> act(const CannedRequest& request, const std::string& path);

  private:
    CannedReply make(const CannedRequest& request);
    CannedReply change(const CannedRequest& request, std::size_t id);
    CannedReply list(const std::string& head) const;
    CannedReply tell(int number) const;
    CannedReply list_with(const std::string& commit) const;
};

}  // namespace vigil::test
