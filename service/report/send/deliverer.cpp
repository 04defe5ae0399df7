#include "service/report/send/deliverer.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "service/report/send/check_sender.hpp"
#include "service/report/send/comment_sender.hpp"
#include "service/report/send/github_tracker.hpp"
#include "service/report/send/hook_sender.hpp"
#include "service/report/send/mail_sender.hpp"
#include "service/report/send/tracker_answer.hpp"

namespace vigil::service {

namespace {

/// An open file that is closed at the end.
class File {
  public:
    File(const std::string& path, int flags) : path_(path) {
        handle_ = ::open(path.c_str(), flags | O_CLOEXEC, 0644);
        if (handle_ < 0) fail("opening");
    }
    ~File() { ::close(handle_); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    void write(const std::string& text) {
        std::size_t done = 0;
        while (done < text.size()) {
            const ssize_t count = ::write(handle_, text.data() + done, text.size() - done);
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) fail("writing");
            done += static_cast<std::size_t>(count);
        }
    }
    void sync() {
        if (::fsync(handle_) != 0) fail("storing");
    }

  private:
    [[noreturn]] void fail(const char* what) const {
        throw Error(
            Errc::unavailable, std::string(what) + " " + path_ + ": " + std::strerror(errno));
    }
    std::string path_;
    int handle_;
};

/// Writes `text` to `folder`/`name` as a whole: readers see the old file or the new one.
/// @return  the file's path
std::string write_file_whole(
    const std::string& folder, const std::string& name, const std::string& text) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
        throw Error(Errc::unavailable, "making the folder " + folder + ": " + error.message());
    }
    const std::string path = folder + "/" + name;
    const std::string temporary = folder + "/." + name + ".part";
    try {
        File file(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
        file.write(text);
        file.sync();
    } catch (const Error&) {
        std::filesystem::remove(temporary, error);
        throw;
    }
    std::filesystem::rename(temporary, path, error);
    if (error) throw Error(Errc::unavailable, "renaming to " + path + ": " + error.message());
    File(folder, O_RDONLY | O_DIRECTORY).sync();  // the name itself
    return path;
}

SendReply print(std::ostream& output, const Envelope& envelope) {
    output << "\n" << envelope.title << "\n\n" << envelope.body << std::flush;
    if (output) return sent("standard output");
    output.clear();
    return later("printing the report: standard output takes nothing");
}

/// Closes the newest of several issues for one report, with a link to the oldest. Its marker goes
/// with its text, so that it is not found again.
SendReply end_twin(
    IssueTracker& tracker,
    const std::vector<std::string>& refs,
    const Envelope& envelope,
    std::int64_t now_s) {
    const auto kept = issue_number(refs.front()).value_or(0);
    IssueText text;
    text.title = envelope.title;
    text.body = fmt::format(
        "The same report as #{}, filed a second time because the tracker did not answer the first "
        "time. #{} is kept up to date; this one is not.\n",
        kept,
        kept);
    text.state = IssueState::closed;
    SendReply reply = tracker.update(refs.back(), text);
    if (reply.outcome == SendOutcome::refused) reply.outcome = SendOutcome::later;  // not ours
    if (reply.outcome == SendOutcome::sent) {
        reply = look_again(now_s + settle_s, "filed twice; the newer issue is closed");
    }
    reply.may_exist = true;
    reply.wrote = true;
    reply.external_ref = refs.front();
    return reply;
}

/// Files the issue, or updates the one at `ref`.
SendReply file(
    IssueTracker& tracker, const std::string& ref, const Envelope& envelope, std::int64_t now_s) {
    const IssueText text{envelope.title, envelope.body, envelope.state, envelope.assignees};
    SendReply reply = ref.empty() ? tracker.create(text) : tracker.update(ref, text);
    reply.wrote = true;
    // A found issue is remembered even when the update fails, or it would be created once more.
    if (reply.external_ref.empty()) reply.external_ref = ref;
    if (reply.outcome == SendOutcome::sent && ref.empty() && text.state == IssueState::closed) {
        // No issue is born closed: its next turn closes it.
        reply.outcome = SendOutcome::wait;
        reply.message = "filed; it is closed next";
        reply.not_before_s = now_s + 1;
        reply.may_exist = envelope.look_first;
        return reply;
    }
    if (!envelope.look_first) return reply;
    if (reply.outcome != SendOutcome::sent) {
        reply.may_exist = true;
        return reply;
    }
    if (envelope.filings + (reply.filed ? 1 : 0) < 2) return reply;
    const std::int64_t check_s = (reply.filed ? now_s : envelope.filed_at_s) + twin_check_s;
    if (now_s >= check_s) return reply;
    SendReply check =
        look_again(check_s, "filed; looked at again, for an earlier attempt may have filed it too");
    check.external_ref = reply.external_ref;
    check.wrote = true;
    check.filed = reply.filed;
    return check;
}

/// What a complete search leads to.
SendReply act_on(
    IssueTracker& tracker, const FoundIssues& found, const Envelope& envelope, std::int64_t now_s) {
    if (found.refs.size() > 1) return end_twin(tracker, found.refs, envelope, now_s);
    const std::string ref = found.refs.empty() ? envelope.external_ref : found.refs.front();
    const std::int64_t settled_s = envelope.filed_at_s + settle_s;
    if (ref.empty() && found.began_s.value_or(now_s) < settled_s) {
        return look_again(
            std::max(settled_s, now_s + 1),
            "an earlier attempt may have filed it; its issue is looked for until it would be "
            "listed");
    }
    return file(tracker, ref, envelope, now_s);
}

}  // namespace

Deliverer::Deliverer(const Config& config, std::ostream& output, MakeTracker make_tracker)
    : targets_(config.report_targets), output_(&output), make_tracker_(std::move(make_tracker)) {}

Deliverer::~Deliverer() = default;

void Deliverer::set_targets(const std::map<std::string, ReportTarget>& targets) {
    trackers_.clear();  // what they remember they can ask for again
    targets_ = targets;
}

SendReply Deliverer::deliver(const Envelope& envelope, std::int64_t now_s) {
    const auto found = targets_.find(envelope.target);
    if (found == targets_.end()) return later("there is no target " + envelope.target);
    const ReportTarget& target = found->second;
    try {
        switch (target.kind) {
            case TargetKind::folder:
                return sent(write_file_whole(target.path, envelope.file_name, envelope.body));
            case TargetKind::standard_output: return print(*output_, envelope);
            case TargetKind::issues:
                if (envelope.check) return send_check(*session_, target, envelope, now_s);
                if (envelope.comment_below == 0) return to_issues(envelope, target, now_s);
                return send_comment(*session_, target, envelope, now_s);
            case TargetKind::webhook:
            case TargetKind::slack: return send_hook(target, envelope, now_s);
            case TargetKind::mail: return send_mail(target, envelope, now_s);
        }
    } catch (const Error& error) {
        return later(error.what());
    }
    return later("the target has an unknown kind");
}

SendReply Deliverer::to_issues(
    const Envelope& envelope, const ReportTarget& target, std::int64_t now_s) {
    auto& tracker = trackers_[envelope.target];
    if (!tracker) tracker = make_tracker_(*session_, target);
    if (!envelope.look_first) return file(*tracker, envelope.external_ref, envelope, now_s);
    FoundIssues found = tracker->find(envelope.marker, envelope.first_stored_s);
    if (found.reply.outcome != SendOutcome::sent) {
        // Whatever the search met, the earlier attempt may still have arrived.
        found.reply.may_exist = true;
        if (found.reply.outcome == SendOutcome::refused) found.reply.outcome = SendOutcome::later;
        return found.reply;
    }
    SendReply reply = act_on(*tracker, found, envelope, now_s);
    reply.came_further = found.reply.came_further;
    return reply;
}

Deliverer::MakeTracker real_trackers() {
    return
        [](TrackerSession& session, const ReportTarget& target) -> std::unique_ptr<IssueTracker> {
            return std::make_unique<GithubTracker>(session, target, [] {
                const auto now = std::chrono::system_clock::now().time_since_epoch();
                return std::int64_t{std::chrono::duration_cast<std::chrono::seconds>(now).count()};
            });
        };
}

}  // namespace vigil::service
