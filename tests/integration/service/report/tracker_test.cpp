#include <atomic>
#include <ctime>
#include <iostream>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "tests/integration/service/report/office.hpp"

// One report is one issue, whatever the tracker does and whenever the daemon is killed.

using namespace vigil;
using namespace vigil::service;
using vigil::test::BoardFault;
using vigil::test::BoardHabits;
using vigil::test::BoardIssue;
using vigil::test::CannedReply;
using vigil::test::CannedServer;
using vigil::test::Fault;

namespace {

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
    int disturbed = 0;
    for (std::size_t i = 1; i < writes_ms.size(); ++i) {
        closer += writes_ms[i] - writes_ms[i - 1] < 1000 ? 1 : 0;
        disturbed += i >= 80 && writes_ms[i] - writes_ms[i - 80] < 60'000 ? 1 : 0;
        disturbed += i >= 500 && writes_ms[i] - writes_ms[i - 500] < 3'600'000 ? 1 : 0;
    }
    CHECK(closer == 0);
    CHECK(disturbed == 0);
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
        const auto marker = load_marker(office.db, {.regression = regression}).line;
        const auto held = holding(issues, marker);
        const bool right =
            held.size() == 1 && held[0].body == office.body_of(regression, row.get<int>(1));
        if (right) continue;
        ++wrong;
        UNSCOPED_INFO("regression " << regression.value << " has " << held.size() << " issues");
    }
    CHECK(wrong == 0);
}

/// Everything is filed, and some of it once more, on a tracker with faults and stale lists, with
/// kills. @return  how many kills
int bad_weather(Office& office) {
    const int reports = office.reports;
    BoardHabits habits;
    habits.fault_share = 0.1;
    habits.list_lag_s = 30;
    habits.seed = 42;
    office.board.behave(habits);
    int kills = office.play(0.04);
    for (int id = 2; id < reports / 5; ++id) {
        office.write(RegressionId{id}, id % 2 == 0 ? "issues" : "more");
    }
    kills += office.play(0.04);
    CHECK(kills > reports / 30);
    CHECK(office.board.faults() > reports / 10);
    CHECK(int(office.board.issues().size()) == reports);  // not one was filed twice
    CHECK(office.board.untimely() == 0);
    CHECK(office.given_up() == 0);
    check_issues(office);
    check_pace(office.board.writes_ms());
    return kills;
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
    bad_weather(office);
}

TEST_CASE("Thousands of reports on a bad tracker are one issue each", "[.long]") {
    const int reports = GENERATE(1500, 5000);
    Office office(reports);
    const std::clock_t began = std::clock();
    const int kills = bad_weather(office);
    std::cout << fmt::format(
        "{} reports: {} issues, {} given up, {} kills, {} faults, {} requests of which {} writes, "
        "{} h of the tracker's time, {} s of CPU\n",
        reports,
        office.board.issues().size(),
        office.given_up(),
        kills,
        office.board.faults(),
        office.board.requests().size(),
        office.board.writes_ms().size(),
        (office.clock_ms - start_ms) / 3'600'000,
        (std::clock() - began) / CLOCKS_PER_SEC);
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
    const Marker marker = load_marker(office.db, {.regression = RegressionId{2}});
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
    earlier.body =
        "text\n" + load_marker(office.db, {.regression = RegressionId{2}}).unsigned_line + "\n";
    office.board.add(earlier);
    office.board.plan({"POST", lost(), true});
    office.play(0);
    REQUIRE(office.board.issues().size() == 1);
    CHECK(office.board.issues()[0].body == office.body_of(RegressionId{2}, 1));
}

TEST_CASE("A search that fails on its way goes on where it stopped", "[service][report]") {
    Office office(1);
    for (int i = 0; i < 450; ++i) office.board.add({0, "other", "text", "open", false, "stranger"});
    TrackerSession session;
    GithubTracker tracker(session, office.config.report_targets.at("issues"), [] { return 5; });
    const Marker marker = load_marker(office.db, {.regression = RegressionId{2}});
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

TEST_CASE("A long search lets others have their turn and comes to its end", "[service][report]") {
    Office office(1);
    const Marker marker = load_marker(office.db, {.regression = RegressionId{2}});
    for (int i = 0; i < 5000; ++i) office.board.add({0, "other", "text", "open", false, "one"});
    office.board.add({0, "ours", marker.line, "open"});
    TrackerSession session;
    GithubTracker tracker(session, office.config.report_targets.at("issues"), [] { return 5; });
    int calls = 1;
    FoundIssues found;
    for (std::size_t asked = 0;; ++calls) {
        found = tracker.find(marker, 0);
        CHECK(office.board.requests().size() - asked <= 21);  // and whose the token is
        asked = office.board.requests().size();
        if (found.reply.outcome == SendOutcome::sent) break;
        REQUIRE(found.reply.outcome == SendOutcome::wait);
        REQUIRE(calls < 10);
    }
    CHECK(calls == 3);
    CHECK(found.refs.size() == 1);
}

TEST_CASE(
    "A search that a fault breaks off is an attempt when it came no further", "[service][report]") {
    Office office(1);
    for (int i = 0; i < 250; ++i) office.board.add({0, "other", "text", "open", false, "one"});
    ReportTarget target = office.config.report_targets.at("issues");
    target.account = "us";
    TrackerSession session;
    GithubTracker tracker(session, target, [] { return 5; });
    const Marker marker = load_marker(office.db, {.regression = RegressionId{2}});
    const auto fail_at = [&](int page) {
        BoardFault fault;
        fault.method = "GET";
        fault.reply = lost();
        fault.target_end = "&page=" + std::to_string(page);
        office.board.plan(fault);
        return tracker.find(marker, 0).reply;
    };
    const SendReply vain = fail_at(1);
    CHECK(vain.outcome == SendOutcome::later);
    CHECK(vain.in_vain);
    const SendReply further = fail_at(3);
    CHECK(further.outcome == SendOutcome::wait);
    CHECK(further.not_before_s == 5 + first_back_off_s);
    CHECK(further.came_further);
    CHECK_FALSE(further.in_vain);
    CHECK(fail_at(3).in_vain);
    CHECK(fail_at(2).in_vain);
    const SendReply whole = tracker.find(marker, 0).reply;
    CHECK(whole.outcome == SendOutcome::sent);
    CHECK(whole.came_further);
}

TEST_CASE("Kills make no attempts of what a search failed before them", "[service][report]") {
    Office office(1);
    for (int i = 0; i < 250; ++i) office.board.add({0, "other", "text", "open", false, "one"});
    office.config.report_targets.at("issues").account = "us";
    office.board.plan({"POST", lost(), true});
    const auto turn = [&](bool killed) {
        office.clock_ms = std::max<std::int64_t>(office.clock_ms, office.next_due_s() * 1000);
        office.clock_ms = std::max<std::int64_t>(office.clock_ms, office.held_until_s() * 1000);
        for (const auto& due : take_due(office.db, office.config, office.moment())) {
            // Every turn is another process: no search is remembered.
            const SendReply reply =
                office.deliverer().deliver(due.envelope, office.clock_ms / 1000);
            if (!killed) finish_delivery(office.db, due, reply, office.moment());
        }
        resume_outbox(office.db, office.moment());
        office.clock_ms += 2000;
    };
    const auto fail_at = [&](int page, bool killed) {
        BoardFault fault;
        fault.method = "GET";
        fault.reply = lost();
        fault.target_end = "&page=" + std::to_string(page);
        office.board.plan(fault);
        turn(killed);
    };
    turn(false);  // nobody knows whether it was filed
    REQUIRE(office.count("outbox WHERE ambiguous AND attempts = 1") == 1);
    for (int round = 0; round < max_send_attempts; ++round) {
        fail_at(1, false);
        fail_at(2, true);
        fail_at(2, false);
    }
    CHECK(office.count("outbox WHERE state = 'pending' AND attempts = 1 AND in_vain = 0") == 1);
    office.play(0);
    CHECK(office.given_up() == 0);
    CHECK(office.board.issues().size() == 251);
}

TEST_CASE("Where nobody says whose the token is, signed markers count", "[service][report]") {
    Office office(1);
    office.board.no_accounts();
    BoardIssue forged;
    forged.author = "stranger";
    forged.body = load_marker(office.db, {.regression = RegressionId{2}}).unsigned_line + "\n";
    office.board.add(forged);
    office.board.plan({"POST", lost(), false});
    office.play(0);
    REQUIRE(office.board.issues().size() == 2);
    CHECK(office.board.issues()[0].body == forged.body);
    CHECK(office.board.issues()[1].body == office.body_of(RegressionId{2}, 1));
}

TEST_CASE("A tracker that asks for a day gets six hours, from every report", "[service][report]") {
    Office office(2);
    CannedReply busy;
    busy.status = 429;
    busy.body = "{}";
    busy.headers["retry-after"] = "86400";
    office.board.plan({"POST", busy, true});
    office.play(0);
    const auto writes_ms = office.board.writes_ms();
    REQUIRE(writes_ms.size() == 3);
    CHECK(writes_ms[1] - writes_ms[0] > (max_wait_s - 5) * 1000);
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
