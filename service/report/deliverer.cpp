#include "service/report/deliverer.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

#include "schema/model/error.hpp"
#include "service/report/github_tracker.hpp"

namespace vigil::service {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::size_t max_writes_an_hour = 500;

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

SendReply print(std::ostream& output, const Envelope& envelope) {
    output << "\n" << envelope.title << "\n\n" << envelope.body << std::flush;
    if (output) return sent("standard output");
    output.clear();
    return later("printing the report: standard output takes nothing");
}

}  // namespace

std::int64_t WritePace::ask(std::int64_t now_ns) {
    // A clock that was set back makes nobody wait for it to come around again.
    for (auto& written_ns : writes_ns_) written_ns = std::min(written_ns, now_ns);
    while (!writes_ns_.empty() && writes_ns_.front() <= now_ns - 3600 * second_ns) {
        writes_ns_.pop_front();
    }
    if (!writes_ns_.empty() && writes_ns_.back() + second_ns > now_ns) {
        return writes_ns_.back() + second_ns - now_ns;
    }
    if (writes_ns_.size() >= max_writes_an_hour) {
        return writes_ns_.front() + 3600 * second_ns - now_ns;
    }
    writes_ns_.push_back(now_ns);
    return 0;
}

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

Deliverer::Deliverer(const Config& config, std::ostream& output, MakeTracker make_tracker)
    : targets_(config.report_targets), output_(&output), make_tracker_(std::move(make_tracker)) {}

Deliverer::~Deliverer() = default;

void Deliverer::set_targets(const std::map<std::string, ReportTarget>& targets) {
    trackers_.clear();  // they keep nothing but their connection
    targets_ = targets;
}

SendReply Deliverer::deliver(const Envelope& envelope, std::int64_t now_ns) {
    const auto found = targets_.find(envelope.target);
    if (found == targets_.end()) return later("there is no target " + envelope.target);
    const ReportTarget& target = found->second;
    try {
        switch (target.kind) {
            case TargetKind::folder:
                return sent(write_file_whole(target.path, envelope.file_name, envelope.body));
            case TargetKind::standard_output: return print(*output_, envelope);
            case TargetKind::issues: return to_issues(envelope, target, now_ns);
        }
    } catch (const Error& error) {
        return later(error.what());
    }
    return later("the target has an unknown kind");
}

SendReply Deliverer::to_issues(
    const Envelope& envelope, const ReportTarget& target, std::int64_t now_ns) {
    auto& tracker = trackers_[envelope.target];
    if (!tracker) tracker = make_tracker_(target);
    std::string ref = envelope.external_ref;
    if (ref.empty() && envelope.look_first) {
        SendReply found = tracker->find(envelope.marker);
        if (found.outcome != SendOutcome::sent) {
            // Whatever the search met, the earlier attempt may still have arrived.
            found.may_exist = true;
            if (found.outcome == SendOutcome::refused) found.outcome = SendOutcome::later;
            return found;
        }
        ref = found.external_ref;
    }
    if (const std::int64_t wait_ns = pace_[envelope.target].ask(now_ns); wait_ns > 0) {
        SendReply reply = later("keeping the tracker's pace");
        reply.outcome = SendOutcome::wait;
        reply.not_before_s = (now_ns + wait_ns + second_ns - 1) / second_ns;
        reply.external_ref = ref;
        return reply;
    }
    const IssueText text{envelope.title, envelope.body, envelope.closed};
    SendReply reply = ref.empty() ? tracker->create(text) : tracker->update(ref, text);
    // A found issue is remembered even when the update fails, or it would be created once more.
    if (reply.external_ref.empty()) reply.external_ref = ref;
    return reply;
}

Deliverer::MakeTracker real_trackers() {
    return [](const ReportTarget& target) -> std::unique_ptr<IssueTracker> {
        return std::make_unique<GithubTracker>(target, [] {
            const auto now = std::chrono::system_clock::now().time_since_epoch();
            return std::int64_t{std::chrono::duration_cast<std::chrono::seconds>(now).count()};
        });
    };
}

}  // namespace vigil::service
