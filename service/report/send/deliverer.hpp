#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string>

#include "service/config/config.hpp"
#include "service/report/send/envelope.hpp"
#include "service/report/send/github_thread.hpp"
#include "service/report/send/issue_tracker.hpp"
#include "service/report/send/tracker_session.hpp"

namespace vigil::service {

/// Carries messages to their targets. Owned by the lane of one receiver and used on its thread
/// only: calls block (files, network).
class Deliverer {
  public:
    /// Builds the tracker of a target of kind `issues`; tests put a fake here.
    using MakeTracker =
        std::function<std::unique_ptr<IssueTracker>(TrackerSession&, const ReportTarget&)>;

    /// @param output  where targets of kind `standard_output` print; outlives the deliverer
    Deliverer(const Config& config, std::ostream& output, MakeTracker make_tracker);
    Deliverer(Deliverer&&) = default;
    Deliverer& operator=(Deliverer&&) = delete;
    ~Deliverer();

    /// Other targets from now on, by name. A tracker whose target changed is made anew; its pace is
    /// kept.
    void set_targets(const std::map<std::string, ReportTarget>& targets);

    /// Delivers one message. Never throws for what the world does: the reply says it.
    /// - folder: a file of the report's name, replaced as a whole (temporary file, fsync, rename)
    /// - standard_output: printed once; after a crash in between perhaps twice
    /// - issues: filed once, then updated in place; looked for first when it may be there already.
    ///   What is there twice is fixed: the oldest is kept, the others are closed with a link to
    ///   it. At most one write a call: the caller keeps the pace. A comment goes below one.
    /// - webhook, slack, mail: sent once; after a crash or a lost answer in between perhaps twice
    /// @param now_s  UTC
    SendReply deliver(const Envelope& envelope, std::int64_t now_s);

    /// Who writes below issues, and about what.
    GithubThread& thread() { return thread_; }

    /// For other requests of this receiver.
    TrackerSession& session() { return *session_; }

  private:
    SendReply to_issues(const Envelope& envelope, const ReportTarget& target, std::int64_t now_s);

    std::map<std::string, ReportTarget> targets_;
    std::ostream* output_;
    MakeTracker make_tracker_;
    std::unique_ptr<TrackerSession> session_ = std::make_unique<TrackerSession>();
    std::map<std::string, std::unique_ptr<IssueTracker>> trackers_;
    GithubThread thread_{*session_};
};

/// Trackers as the config says, on the system's clock.
Deliverer::MakeTracker real_trackers();

}  // namespace vigil::service
