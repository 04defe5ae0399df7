#include <atomic>
#include <fstream>
#include <iostream>
#include <limits>
#include <optional>
#include <random>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "service/report/deliverer.hpp"
#include "service/report/github_tracker.hpp"
#include "service/report/store_report.hpp"
#include "service/report/tracker_pace.hpp"
#include "tests/integration/service/report/ledger.hpp"
#include "tests/support/issue_board.hpp"

// One report is one issue, whatever the tracker does and whenever the daemon is killed.

using namespace vigil;
using namespace vigil::service;
using vigil::test::BoardHabits;
using vigil::test::BoardIssue;
using vigil::test::CannedReply;
using vigil::test::CannedServer;
using vigil::test::Fault;
using vigil::test::IssueBoard;

namespace {

/// A ledger with many reports for two targets on one board, on a clock that the test moves.
struct Office : Ledger {
    explicit Office(int reports) : board([this] { return clock_ms.load(); }) {
        db.execute_script("PRAGMA synchronous = OFF");  // no power fails here
        const std::string token = (folder.path() / "token").string();
        std::ofstream(token) << "secret\n";
        for (const char* name : {"issues", "more"}) {
            ReportTarget& target = config.report_targets[name];
            target.name = name;
            target.kind = TargetKind::issues;
            target.repository = "owner/name";
            target.base_url = board.url();
            target.token_file = token;
        }
        db.execute("DELETE FROM outbox");
        for (int i = 0; i < reports; ++i) {
            db.execute(
                "INSERT INTO regression (project_id, nightly_id, good_build_id, bad_build_id, "
                "state, created_at_s, changed_at_s) SELECT project_id, nightly_id, good_build_id, "
                "bad_build_id, 'reported', created_at_s, changed_at_s FROM regression WHERE id = "
                "1");
            write(RegressionId{db.last_insert_id()}, i % 2 == 0 ? "issues" : "more");
        }
    }

    std::string body_of(RegressionId regression, int version) {
        return fmt::format(
            "report {} version {}\n\n{}\n",
            regression.value,
            version,
            load_marker(db, regression).line);
    }

    /// Stores the next version of its report.
    void write(RegressionId regression, const std::string& target) {
        const int version =
            1 + count(fmt::format("report WHERE regression_id = {}", regression.value));
        const Document document{
            fmt::format("report {}", regression.value), body_of(regression, version)};
        const ReportSubject subject{.project = ProjectId{1}, .regression = regression};
        store_report(db, subject, document, {target}, clock_ms / 1000);
    }

    Moment moment() const {
        const std::int64_t ms = clock_ms;
        return {ms / 1000, ms / 1000, ms};
    }

    Deliverer deliverer() {
        return Deliverer(config, std::cout, [this](const ReportTarget& target) {
            return std::make_unique<GithubTracker>(target, [this] { return clock_ms / 1000; });
        });
    }

    void pass(std::int64_t most_ms) { clock_ms += std::int64_t(random() % unsigned(most_ms + 1)); }

    /// Plays until the outbox is empty; of all deliveries the given share is cut off by a kill.
    /// @return  how many kills
    int play(double kill_share) {
        int kills = 0;
        std::optional<Deliverer> all(deliverer());
        for (;;) {
            const std::int64_t due_s = next_due_s(db);
            if (due_s == std::numeric_limits<std::int64_t>::max()) return kills;
            clock_ms = std::max<std::int64_t>(clock_ms, due_s * 1000);
            const auto due = take_due(db, config, moment());
            if (due.empty()) clock_ms += 250;
            for (const auto& delivery : due) {
                const double drawn = double(random() % 10'000) / 10'000;
                if (drawn < kill_share / 2) break;  // it had begun, and nothing was sent
                pass(2500);
                const auto reply = all->deliver(delivery.envelope, clock_ms / 1000);
                pass(900);
                if (drawn < kill_share) break;  // it was sent, and nobody wrote it down
                finish_delivery(db, delivery, reply, moment());
            }
            if (count("outbox WHERE in_flight") == 0) continue;
            ++kills;
            board.forget_wait();
            pass(20'000);
            all.emplace(deliverer());
            resume_outbox(db, moment());
        }
    }

    std::atomic<std::int64_t> clock_ms{std::int64_t{1'795'229'100} * 1000};
    std::mt19937 random{7};
    IssueBoard board;
};

/// Issues that hold the regression's marker, of whomever.
std::vector<BoardIssue> holding(const std::vector<BoardIssue>& issues, const std::string& marker) {
    std::vector<BoardIssue> out;
    for (const auto& issue : issues) {
        if (has_marker_line(issue.body, marker)) out.push_back(issue);
    }
    return out;
}

void check_pace(const std::vector<std::int64_t>& writes_ms) {
    int closer = 0;
    int crowded = 0;
    for (std::size_t i = 1; i < writes_ms.size(); ++i) {
        closer += writes_ms[i] - writes_ms[i - 1] < 1000 ? 1 : 0;
        crowded += i >= 80 && writes_ms[i] - writes_ms[i - 80] < 60'000 ? 1 : 0;
        crowded += i >= 500 && writes_ms[i] - writes_ms[i - 500] < 3'600'000 ? 1 : 0;
    }
    CHECK(closer == 0);
    CHECK(crowded == 0);
}

/// Each report's newest version is in exactly one issue.
void check_issues(Office& office) {
    const auto issues = office.board.issues();
    int wrong = 0;
    Query row = office.db.query(
        "SELECT regression_id, max(version) FROM report WHERE kind = 'regression' "
        "AND regression_id > 1 GROUP BY regression_id");
    while (row.next()) {
        const auto regression = row.get<RegressionId>(0);
        const auto marker = load_marker(office.db, regression).line;
        const auto held = holding(issues, marker);
        const bool right =
            held.size() == 1 && held[0].body == office.body_of(regression, row.get<int>(1));
        if (right) continue;
        ++wrong;
        UNSCOPED_INFO("regression " << regression.value << " has " << held.size() << " issues");
    }
    CHECK(wrong == 0);
}

CannedReply lost() {
    CannedReply reply;
    reply.fault = Fault::hang_up;
    return reply;
}

}  // namespace

TEST_CASE(
    "Hundreds of reports on a bad tracker, with kills, are one issue each", "[service][report]") {
    Office office(300);
    BoardHabits habits;
    habits.fault_share = 0.1;
    habits.list_lag_s = 30;
    habits.seed = 42;
    office.board.behave(habits);
    int kills = office.play(0.04);
    for (int id = 2; id < 60; ++id) office.write(RegressionId{id}, id % 2 == 0 ? "issues" : "more");
    kills += office.play(0.04);
    CHECK(kills > 10);
    CHECK(office.board.faults() > 30);
    CHECK(office.board.issues().size() == 300);  // not one was filed twice
    CHECK(office.board.untimely() == 0);
    CHECK(office.count("outbox WHERE state = 'dead' AND message NOT LIKE 'replaced%'") == 0);
    check_issues(office);
    check_pace(office.board.writes_ms());
}

TEST_CASE("What a slow tracker filed twice becomes one issue again", "[service][report]") {
    Office office(80);
    BoardHabits habits;
    habits.fault_share = 0.3;
    habits.list_lag_s = 30;
    habits.late = true;  // a request without an answer is carried out two minutes later
    habits.seed = 11;
    office.board.behave(habits);
    office.play(0.05);
    CHECK(office.board.issues().size() > 80);  // the board did file some twice
    check_issues(office);
    check_pace(office.board.writes_ms());
    for (const auto& issue : office.board.issues()) {
        const bool kept = issue.body.find("vigil:regression:") != std::string::npos;
        if (kept) continue;
        CHECK(issue.state == "closed");
        CHECK(issue.body.find("The same report as #") == 0);
    }
}

TEST_CASE("A stranger's issue with our next marker is left alone", "[service][report]") {
    Office office(1);
    const Marker marker = load_marker(office.db, RegressionId{2});
    BoardIssue forged;
    forged.author = "stranger";
    forged.body = "mine\n" + marker.unsigned_line + "\n" + marker.line + "\n";
    office.board.add(forged);
    office.board.plan({"POST", lost(), false});
    office.play(0);
    const auto issues = office.board.issues();
    REQUIRE(issues.size() == 2);
    CHECK(issues[0].body == forged.body);
    CHECK(issues[1].body == office.body_of(RegressionId{2}, 1));
    CHECK(office.count("outbox WHERE external_ref LIKE '%/issues/2'") == 1);
}

TEST_CASE("An issue of ours with an unsigned marker is found", "[service][report]") {
    Office office(1);
    BoardIssue earlier;
    earlier.body = "text\n" + load_marker(office.db, RegressionId{2}).unsigned_line + "\n";
    office.board.add(earlier);
    office.board.plan({"POST", lost(), true});
    office.play(0);
    REQUIRE(office.board.issues().size() == 1);
    CHECK(office.board.issues()[0].body == office.body_of(RegressionId{2}, 1));
}

TEST_CASE("A search that fails on its way goes on where it stopped", "[service][report]") {
    Office office(1);
    for (int i = 0; i < 450; ++i) office.board.add({0, "other", "text", "open", false, "stranger"});
    GithubTracker tracker(office.config.report_targets.at("issues"), [] { return 5; });
    const Marker marker = load_marker(office.db, RegressionId{2});
    office.board.add({0, "ours", marker.line, "open"});
    const auto asked = [&](const std::string& page) {
        int count = 0;
        for (const auto& request : office.board.requests()) {
            count += request.target.ends_with("&page=" + page) ? 1 : 0;
        }
        return count;
    };
    BoardHabits busy;
    busy.fault_share = 0.4;
    busy.seed = 3;
    office.board.behave(busy);
    int calls = 0;
    FoundIssues found;
    do {
        found = tracker.find(marker, 0);
        REQUIRE(++calls < 200);
    } while (found.reply.outcome != SendOutcome::sent);
    CHECK(calls > 2);
    CHECK(asked("1") < calls);
    CHECK(found.refs.size() == 1);
    CHECK(found.began_s == 5);
    office.board.behave({});
    CHECK(tracker.find(marker, 0).refs == found.refs);  // from the beginning again
}

TEST_CASE("Where nobody says whose the token is, signed markers count", "[service][report]") {
    Office office(1);
    office.board.no_accounts();
    BoardIssue forged;
    forged.author = "stranger";
    forged.body = load_marker(office.db, RegressionId{2}).unsigned_line + "\n";
    office.board.add(forged);
    office.board.plan({"POST", lost(), false});
    office.play(0);
    REQUIRE(office.board.issues().size() == 2);
    CHECK(office.board.issues()[0].body == forged.body);
    CHECK(office.board.issues()[1].body == office.body_of(RegressionId{2}, 1));
}

TEST_CASE("A repository that moved is followed, a write later", "[service][report]") {
    Office office(3);
    const int status = GENERATE(301, 307, 308);
    office.board.move("/repos/owner/name/issues", "/repositories/7/issues", status);
    office.board.plan({"POST", lost(), false});  // so that a list is read too
    office.play(0);
    CHECK(office.board.issues().size() == 3);
    check_issues(office);
    check_pace(office.board.writes_ms());
}

TEST_CASE(
    "A redirect to another host is not followed, nor is the token sent", "[service][report]") {
    std::atomic<int> asked{0};
    CannedServer elsewhere([&](const auto&) {
        ++asked;
        return CannedReply{};
    });
    Office office(1);
    office.board.move("/repos/owner/name/issues", elsewhere.url() + "/repositories/7/issues");
    office.play(0);
    CHECK(asked == 0);
    CHECK(office.count("outbox WHERE state = 'dead' AND message LIKE '%same host only%'") == 1);
}

TEST_CASE("A regression that is open again opens its issue again", "[service][report]") {
    Office office(1);
    office.db.execute("UPDATE regression SET state = 'accepted' WHERE id = 2");
    office.play(0);
    REQUIRE(office.board.issues().size() == 1);
    CHECK(office.board.issues()[0].state == "closed");
    office.db.execute("UPDATE regression SET state = 'reported' WHERE id = 2");
    office.write(RegressionId{2}, "issues");
    office.play(0);
    CHECK(office.board.issues()[0].state == "open");
}

TEST_CASE("A busy tracker's rows do not keep files waiting", "[service][report]") {
    Office office(600);
    office.write(RegressionId{2}, "files");
    const auto due = take_due(office.db, office.config, office.moment());
    REQUIRE(due.size() == 2);  // one write to the board, whatever its targets, and the file
    CHECK(due[1].envelope.target == "files");
}
