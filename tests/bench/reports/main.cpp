// One regression, one issue: files many reports on a tracker that fails in every way it can, on a
// fake clock, and prints what it came to. docs/figures/reports.md

#include <algorithm>
#include <array>
#include <chrono>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/integration/service/report/office.hpp"

namespace vigil::service {

namespace {

using test::BoardFault;
using test::CannedReply;
using test::Fault;

constexpr double fault_share = 0.1;
constexpr std::int64_t minute_ms = 60'000;
constexpr std::int64_t slow_ms = 20'000;
constexpr int client_timeout_ms = 60;  // of real time

CannedReply breaks(Fault kind) {
    CannedReply reply;
    reply.fault = kind;
    return reply;
}

CannedReply says(int status, const char* retry_after = "", const char* body = "{}") {
    CannedReply reply;
    reply.status = status;
    reply.body = body;
    if (*retry_after != '\0') reply.headers["retry-after"] = retry_after;
    return reply;
}

struct Failure {
    const char* name;
    CannedReply reply;
    bool before = false;  ///< the tracker did not act on the request
    bool slow = false;    ///< it is done right, and takes long
    int met = 0;
};

std::array<Failure, 13> failures() {
    return {
        {{"created, and timed out", breaks(Fault::silence)},
         {"timed out, nothing done", breaks(Fault::silence), true},
         {"created, and the reply was dropped", breaks(Fault::hang_up)},
         {"dropped before it was read", breaks(Fault::hang_up), true},
         {"created, and 502", says(502)},
         {"502, nothing done", says(502), true},
         {"403 with Retry-After", says(403, "30"), true},
         {"403 without", says(403), true},
         {"429 with Retry-After", says(429, "7"), true},
         {"429 without", says(429), true},
         {"422", says(422), true},
         {"created, and an answer that is no JSON", says(201, "", "cut")},
         {"slow: 20 s", {}, false, true}}};
}

struct Pace {
    std::int64_t closest_ms = std::numeric_limits<std::int64_t>::max();
    std::size_t most_a_minute = 0;
    std::size_t most_an_hour = 0;
};

/// How many of the writes fall into the span that ends with each of them, at most.
std::size_t most_within(const std::vector<std::int64_t>& writes_ms, std::int64_t span_ms) {
    std::size_t most = 0;
    std::size_t first = 0;
    for (std::size_t i = 0; i < writes_ms.size(); ++i) {
        while (writes_ms[first] <= writes_ms[i] - span_ms) ++first;
        most = std::max(most, i - first + 1);
    }
    return most;
}

Pace pace_of_writes(const std::vector<std::int64_t>& writes_ms) {
    Pace pace;
    for (std::size_t i = 1; i < writes_ms.size(); ++i) {
        pace.closest_ms = std::min(pace.closest_ms, writes_ms[i] - writes_ms[i - 1]);
    }
    pace.most_a_minute = most_within(writes_ms, minute_ms);
    pace.most_an_hour = most_within(writes_ms, 60 * minute_ms);
    return pace;
}

class Play {
  public:
    explicit Play(int reports) : office_(reports), failures_(failures()) {
        test::BoardHabits habits;
        habits.list_lag_s = 30;      // its lists are half a minute old
        habits.fault_share = 1e-12;  // it tells who comes while it asked for silence
        office_.board.behave(habits);
    }

    void run() {
        deliver_all();
        for (int id = 2; id < office_.reports / 5; ++id) {  // and some change
            office_.write(RegressionId{id}, id % 2 == 0 ? "issues" : "more");
        }
        deliver_all();
    }

    /// @return  whether every promise was kept
    bool tell();

  private:
    void deliver_all();
    void deliver(Deliverer& all, const DueDelivery& due);
    int wrong_issues();

    Office office_;
    std::array<Failure, 13> failures_;
    int deliveries_ = 0;
};

void Play::deliver(Deliverer& all, const DueDelivery& due) {
    ++deliveries_;
    bool slow = false;
    const double drawn = double(office_.random() % 10'000) / 10'000;
    if (drawn < fault_share) {
        auto& failure = failures_[office_.random() % failures_.size()];
        ++failure.met;
        slow = failure.slow;
        const auto& envelope = due.envelope;
        const bool reads = envelope.look_first && office_.random() % 2 == 0;
        BoardFault fault;
        fault.method = reads ? "GET" : envelope.external_ref.empty() ? "POST" : "PATCH";
        fault.reply = failure.reply;
        fault.before = failure.before;
        if (!slow) office_.board.plan(fault);
    }
    office_.pass(2500);
    const auto reply = all.deliver(due.envelope, office_.clock_ms / 1000);
    office_.clock_ms += slow ? slow_ms : 0;
    office_.pass(900);
    finish_delivery(office_.db, due, reply, office_.moment());
}

void Play::deliver_all() {
    Deliverer all(
        office_.config, std::cout, [this](TrackerSession& session, const ReportTarget& target) {
            auto tracker = std::make_unique<GithubTracker>(
                session, target, [this] { return office_.clock_ms / 1000; });
            tracker->set_timeout_ms(client_timeout_ms);
            return tracker;
        });
    for (;;) {
        const std::int64_t due_s = office_.next_due_s();
        if (due_s == std::numeric_limits<std::int64_t>::max()) return;
        office_.clock_ms = std::max<std::int64_t>(office_.clock_ms, due_s * 1000);
        const auto due = take_due(office_.db, office_.config, office_.moment());
        if (due.empty()) office_.clock_ms += 250;
        for (const auto& delivery : due) deliver(all, delivery);
    }
}

/// Regressions whose newest text is not in exactly one issue that carries their marker.
int Play::wrong_issues() {
    std::map<std::string, std::vector<std::string>> bodies;  // by marker
    for (const auto& issue : office_.board.issues()) {
        const auto at = issue.body.rfind("<!-- vigil:");
        if (at == std::string::npos) continue;
        auto marker = issue.body.substr(at);
        while (!marker.empty() && marker.back() == '\n') marker.pop_back();
        bodies[marker].push_back(issue.body);
    }
    int wrong = 0;
    for (int id = 2; id < 2 + office_.reports; ++id) {
        const RegressionId regression{id};
        const auto marker = load_marker(office_.db, {.regression = regression}).line;
        const auto version = office_.count(fmt::format("report WHERE regression_id = {}", id));
        const auto& held = bodies[marker];
        wrong += held.size() == 1 && held[0] == office_.body_of(regression, version) ? 0 : 1;
    }
    return wrong;
}

bool Play::tell() {
    const auto writes_ms = office_.board.writes_ms();
    const auto pace = pace_of_writes(writes_ms);
    const int wrong = wrong_issues();
    const auto issues = office_.board.issues().size();
    int met = 0;
    fmt::print("{:<42} {:>7}\n", "failure", "times");
    for (const auto& failure : failures_) {
        fmt::print("{:<42} {:>7}\n", failure.name, failure.met);
        met += failure.met;
    }
    fmt::print(
        "\n{} regressions, {} deliveries, {} failures ({:.1f} %), {} requests, {} writes, {:.1f} h "
        "of the tracker's time\n\n",
        office_.reports,
        deliveries_,
        met,
        100.0 * met / deliveries_,
        office_.board.requests().size(),
        writes_ms.size(),
        double(office_.clock_ms - start_ms) / double(60 * minute_ms));
    const int untimely = office_.board.untimely();
    const auto row = [](const char* what, auto measured, const char* promised) {
        fmt::print("{:<42} {:>7} {:>10}\n", what, measured, promised);
    };
    row("", "came to", "promised");
    row("regressions without exactly one issue", wrong, "0");
    row("issues", issues, std::to_string(office_.reports).c_str());
    row("given up", office_.given_up(), "0");
    row("least time between writes, ms", pace.closest_ms, ">= 1000");
    row("most writes in a minute", pace.most_a_minute, "<= 80");
    row("most writes in an hour", pace.most_an_hour, "<= 500");
    row("requests while it asked for silence", untimely, "0");
    return wrong == 0 && issues == std::size_t(office_.reports) && office_.given_up() == 0 &&
           pace.closest_ms >= 1000 && pace.most_a_minute <= 80 && pace.most_an_hour <= 500 &&
           untimely == 0;
}

}  // namespace

}  // namespace vigil::service

int main(int argc, char** argv) {
    const int reports = argc > 1 ? std::stoi(argv[1]) : 1000;
    vigil::service::Play play(reports);
    play.run();
    return play.tell() ? 0 : 1;
}
