// Messages to chat and programs, from the outbox to the receiver.

#include <mutex>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/text/times.hpp"
#include "schema/wire/digest.hpp"
#include "service/store/troubles.hpp"
#include "tests/integration/service/report/post.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;
using nlohmann::json;

namespace {

/// A receiver that keeps what it is sent.
struct ChatReceiver {
    test::CannedReply reply;
    std::mutex mutex;
    std::vector<test::CannedRequest> kept;
    test::CannedServer server{[this](const test::CannedRequest& request) {
        const std::lock_guard lock(mutex);
        kept.push_back(request);
        return reply;
    }};
    std::vector<test::CannedRequest> requests() {
        const std::lock_guard lock(mutex);
        return kept;
    }
};

/// A project that reports to one receiver only.
struct Channel : Post {
    explicit Channel(TargetKind kind) {
        db.execute("DELETE FROM outbox");
        db.execute("DELETE FROM report");
        db.execute("UPDATE regression SET state = 'attributed', unreported = 1");
        std::ofstream(folder / "secret") << "s3cret\n";
        std::ofstream(folder / "url") << receiver.server.url() << "/services/T/B/x\n";
        ReportTarget target;
        target.name = "chat";
        target.kind = kind;
        target.url = receiver.server.url() + "/vigil";
        target.secret_file = (folder / "secret").string();
        target.url_file = (folder / "url").string();
        config.report_targets["chat"] = target;
        config.projects["tensorlab"].reports = {"chat"};
        config.links.public_url = "https://vigil.example";
    }
    ReportTarget& target() { return config.report_targets["chat"]; }
    void report() { report_step(db, config, now_s); }

    ChatReceiver receiver;
};

}  // namespace

TEST_CASE("A program gets every version, signed", "[service][report]") {
    Channel channel(TargetKind::webhook);
    channel.report();
    channel.deliver_all();
    auto requests = channel.receiver.requests();
    REQUIRE(requests.size() == 1);
    CHECK(requests[0].target == "/vigil");
    CHECK(requests[0].headers.at("x-vigil-event") == "regression");
    CHECK(
        requests[0].headers.at("x-vigil-signature-256") ==
        "sha256=" + wire::hmac_sha256_hex("s3cret", requests[0].body));
    const auto body = json::parse(requests[0].body);
    CHECK(body.at("subject") == "regression/1");
    CHECK(body.at("state") == "reported");
    CHECK(body.at("culprit") == full_hash('3'));
    CHECK(body.at("url") == "https://vigil.example/regressions/1");
    channel.change("acknowledged");
    channel.deliver_all();
    requests = channel.receiver.requests();
    REQUIRE(requests.size() == 2);
    CHECK(json::parse(requests[1].body).at("version") == 2);
    CHECK(requests[0].headers.at("x-vigil-delivery") != requests[1].headers.at("x-vigil-delivery"));
}

TEST_CASE("Chat hears of news, and not of every change", "[service][report]") {
    Channel channel(TargetKind::slack);
    channel.report();
    channel.deliver_all();
    REQUIRE(channel.receiver.requests().size() == 1);
    CHECK(channel.receiver.requests()[0].target == "/services/T/B/x");
    channel.change("acknowledged");
    channel.deliver_all();
    CHECK(channel.receiver.requests().size() == 1);
    channel.change("closed");
    channel.deliver_all();
    CHECK(channel.receiver.requests().size() == 2);
    CHECK(channel.count("outbox WHERE state = 'sent'") == 2);
}

TEST_CASE("A receiver that is down loses nothing, one that refuses is given up", "[service]") {
    Channel channel(TargetKind::webhook);
    channel.report();
    channel.receiver.reply.status = 503;
    channel.deliver_all(3);
    CHECK(channel.count("outbox WHERE state = 'pending' AND attempts = 3") == 1);
    channel.receiver.reply.status = 422;
    channel.deliver_all(1);
    CHECK(channel.count("outbox WHERE state = 'dead' AND message LIKE '%422%'") == 1);
    CHECK(channel.count("trouble WHERE kind = 'report.undelivered' AND ended_s IS NULL") == 1);
    channel.receiver.reply.status = 204;
    const auto report = *channel.db.find<ReportId>("SELECT report_id FROM outbox");
    CHECK(retry_given_up(channel.db, report, channel.now_s).size() == 1);
    channel.deliver_all();
    CHECK(channel.count("outbox WHERE state = 'sent'") == 1);
    CHECK(channel.count("trouble WHERE kind = 'report.undelivered' AND ended_s IS NULL") == 0);
}

TEST_CASE("A receiver that is too busy is asked when it says", "[service][report]") {
    Channel channel(TargetKind::slack);
    channel.report();
    channel.receiver.reply.status = 429;
    channel.receiver.reply.headers["retry-after"] = "30";
    const auto began_s = channel.now_s;
    channel.deliver_all(1);
    CHECK(channel.count("outbox WHERE state = 'pending' AND attempts = 0") == 1);
    CHECK(channel.next_due_s() == began_s + 31);
}

TEST_CASE("What a target collects is one message, which ends for all", "[service][report]") {
    Channel channel(TargetKind::slack);
    channel.target().collect_s = 3600;
    channel.report();
    const auto first_s = channel.now_s;
    for (const char* kind : {"source.failed", "night.late"}) {
        const Trouble trouble{
            .kind = kind, .subject = "project/tensorlab", .project = ProjectId{1}, .message = "x"};
        note_trouble(channel.db, trouble, channel.now_s += 60);
        channel.report();
    }
    channel.deliver_all(20);
    CHECK(channel.now_s >= first_s + 3600);
    const auto requests = channel.receiver.requests();
    REQUIRE(requests.size() == 1);
    const auto text = json::parse(requests[0].body).at("text").get<std::string>();
    CHECK_THAT(text, Contains("3 reports:"));
    CHECK(channel.count("outbox WHERE state = 'sent'") == 3);
    CHECK(channel.count("event WHERE kind = 'report.sent'") == 3);
}

TEST_CASE("What was collected in vain goes together again", "[service][report]") {
    Channel channel(TargetKind::slack);
    channel.target().collect_s = 60;
    channel.report();
    const Trouble trouble{
        .kind = "night.late", .subject = "project/x", .project = ProjectId{1}, .message = "x"};
    note_trouble(channel.db, trouble, channel.now_s);
    channel.report();
    channel.receiver.reply.status = 500;
    channel.deliver_all(4);
    CHECK(channel.count("outbox WHERE state = 'pending' AND attempts >= 1") == 2);
    channel.receiver.reply.status = 200;
    channel.deliver_all();
    CHECK(channel.count("outbox WHERE state = 'sent'") == 2);
    const auto requests = channel.receiver.requests();
    CHECK_THAT(requests.back().body, Contains("2 reports:"));
    // A daemon that ends in between sends both again.
    channel.change("closed");
    CHECK(take_due(channel.db, channel.config, channel.now_s + 60).size() == 1);
    CHECK(resume_outbox(channel.db, channel.now_s + 61) == 1);
}

TEST_CASE("In quiet hours only what is urgent is sent", "[service][report]") {
    Channel channel(TargetKind::slack);
    channel.now_s = text::parse_time("2026-11-20T23:00").value();
    channel.target().quiet_hours = QuietHours{.from = "22:00", .to = "07:00", .time_zone = "UTC"};
    const bool urgent = GENERATE(true, false);
    channel.target().urgent_change_ratio = urgent ? 0.15 : 0.5;  // it is 20 %
    channel.report();
    channel.deliver_all(1);
    CHECK(channel.receiver.requests().size() == (urgent ? 1U : 0U));
    channel.deliver_all();
    CHECK(channel.receiver.requests().size() == 1);
    const auto morning_s = text::parse_time("2026-11-21T07:00").value();
    CHECK((channel.now_s >= morning_s) == !urgent);
}

TEST_CASE("A target that wants weeks gets one each", "[service][report]") {
    Channel channel(TargetKind::webhook);
    channel.target().regressions = false;
    channel.target().night_summaries = false;
    channel.target().weekly = WeeklyConfig{};
    const auto monday_s = text::parse_time("2026-11-23T08:00").value();
    for (const auto at_s : {monday_s - 60, monday_s, monday_s + 10, monday_s + 3600}) {
        channel.now_s = at_s;
        channel.report();
    }
    channel.deliver_all();
    auto requests = channel.receiver.requests();
    REQUIRE(requests.size() == 1);
    const auto body = json::parse(requests[0].body);
    CHECK(body.at("kind") == "week");
    CHECK(body.at("subject") == "week/1/20261123");
    CHECK_THAT(body.at("title").get<std::string>(), Contains("the week to 2026-11-23"));
    channel.now_s = monday_s + 7 * 86'400;
    channel.report();
    channel.deliver_all();
    CHECK(channel.receiver.requests().size() == 2);
}
