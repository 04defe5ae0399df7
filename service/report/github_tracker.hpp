#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "service/config/config.hpp"
#include "service/report/issue_tracker.hpp"

namespace vigil::http {
struct Exchange;
}

namespace vigil::service {

/// A GitHub-compatible issues API.
class GithubTracker : public IssueTracker {
  public:
    /// @param target  kind `issues`; its token file is read for every call, so it can be replaced
    ///                while running
    /// @param now_s   UTC clock, to tell how long the server asks to wait
    GithubTracker(const ReportTarget& target, std::function<std::int64_t()> now_s);

    SendReply find(const std::string& marker) override;
    SendReply create(const IssueText& text) override;
    SendReply update(const std::string& ref, const IssueText& text) override;

    /// Longest wait for one answer.
    void set_timeout_ms(int timeout_ms) { timeout_ms_ = timeout_ms; }

  private:
    http::Exchange call(
        const std::string& method, const std::string& path, const std::string& body) const;

    ReportTarget target_;
    std::function<std::int64_t()> now_s_;
    int timeout_ms_ = 30'000;
};

/// What an answer of the issues API means for the message, when it is not the success expected.
/// @param doing  "filing the issue", for the message
SendReply judge_answer(
    const http::Exchange& exchange, const std::string& doing, std::int64_t now_s);

/// Whether `marker` is a line of `body`; white space around it does not count.
bool has_marker_line(const std::string& body, const std::string& marker);

/// The issue's number at the end of a reference such as ".../issues/12"; nullopt when there is
/// none.
std::optional<std::int64_t> issue_number(const std::string& ref);

}  // namespace vigil::service
