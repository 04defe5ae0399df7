#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "service/config/config.hpp"
#include "service/report/send/issue_tracker.hpp"

namespace vigil::http {
struct BaseUrl;
struct Exchange;
}  // namespace vigil::http

namespace vigil::service {

class TrackerSession;

/// A GitHub-compatible issues API. The token goes to the host of base_url and to no other.
class GithubTracker : public IssueTracker {
  public:
    /// @param target  kind `issues`; its token file is read for every call, so it can be replaced
    ///                while running
    /// @param now_s   UTC clock, to tell how long the server asks to wait
    GithubTracker(
        TrackerSession& session, const ReportTarget& target, std::function<std::int64_t()> now_s);

    /// Our own account is the target's `account`, or whom the server says the token belongs to.
    /// Where it says nobody (an app's token), signed markers count alone.
    FoundIssues find(const Marker& marker, std::int64_t since_s) override;
    SendReply create(const IssueText& text) override;
    SendReply update(const std::string& ref, const IssueText& text) override;

    /// Longest wait for one answer.
    void set_timeout_ms(int timeout_ms) { timeout_ms_ = timeout_ms; }

  private:
    struct Account {
        SendReply reply;    ///< `sent`: the answer is known
        std::string login;  ///< empty: the server does not say
    };

    /// A search that is not complete.
    struct Search {
        std::optional<std::int64_t> began_s;
        int page = 1;                               ///< to be read next
        int furthest = 1;                           ///< page that an earlier call stopped at
        std::map<std::int64_t, std::string> found;  ///< by number, so the oldest comes first
    };

    http::Exchange call(
        const std::string& method, const std::string& path, const std::string& body = "") const;
    Account own_account();
    /// Reads one page more. @return  nullopt: there are more
    std::optional<SendReply> read_page(
        Search& search, const Marker& marker, const std::string& login, std::int64_t since_s);
    /// What it means for the message that its search is not complete yet: one that came further is
    /// no failed attempt.
    SendReply stopped(Search& search, SendReply reply) const;
    std::string issues_path() const;

    TrackerSession& session_;
    ReportTarget target_;
    std::function<std::int64_t()> now_s_;
    int timeout_ms_ = 30'000;
    std::string prefix_;                      ///< path of base_url
    std::map<std::string, Search> searches_;  ///< by marker
    std::set<std::string> refused_;           ///< logins that cannot be assigned
    std::string account_token_;               ///< whose login is known
    std::string login_;
};

}  // namespace vigil::service
