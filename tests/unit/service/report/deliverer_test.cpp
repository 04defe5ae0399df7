#include "service/report/send/deliverer.hpp"

#include <memory>
#include <sstream>
#include <vector>

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::service;

namespace {

constexpr std::int64_t tonight_s = 1'000'000;

/// A tracker that notes what it is asked and gives the answers it was told.
struct FakeTracker : IssueTracker {
    struct Script {
        std::vector<std::string> calls;
        FoundIssues found;
        SendReply created;
        SendReply updated;
    };
    explicit FakeTracker(Script& script) : script_(script) {}
    FoundIssues find(const Marker& marker, std::int64_t) override {
        script_.calls.push_back("find " + marker.line);
        return script_.found;
    }
    SendReply create(const IssueText& text) override {
        script_.calls.push_back("create " + text.title);
        return script_.created;
    }
    SendReply update(const std::string& ref, const IssueText& text) override {
        script_.calls.push_back(
            "update " + ref + (text.state == IssueState::closed ? " closed" : ""));
        return script_.updated;
    }
    Script& script_;
};

SendReply reply(SendOutcome outcome, const std::string& ref = "") {
    SendReply out;
    out.outcome = outcome;
    out.external_ref = ref;
    return out;
}

FoundIssues found(std::vector<std::string> refs) {
    return {reply(SendOutcome::sent), std::move(refs)};
}

Envelope envelope() {
    Envelope out;
    out.target = "issues";
    out.title = "title";
    out.body = "body\n";
    out.marker.line = "<!-- m -->";
    out.file_name = "r.md";
    return out;
}

struct Bench {
    Bench() {
        ReportTarget issues;
        issues.kind = TargetKind::issues;
        config.report_targets["issues"] = issues;
        ReportTarget print;
        print.kind = TargetKind::standard_output;
        config.report_targets["print"] = print;
    }
    Deliverer deliverer() {
        return Deliverer(config, output, [this](TrackerSession&, const ReportTarget&) {
            return std::make_unique<FakeTracker>(script);
        });
    }
    Config config;
    std::ostringstream output;
    FakeTracker::Script script;
};

}  // namespace

TEST_CASE("A first delivery creates without looking", "[service][report]") {
    Bench bench;
    bench.script.created = reply(SendOutcome::sent, "x/1");
    auto deliverer = bench.deliverer();
    CHECK(deliverer.deliver(envelope(), tonight_s).external_ref == "x/1");
    CHECK(bench.script.calls == std::vector<std::string>{"create title"});
}

TEST_CASE("What may be there already is looked for, and updated when found", "[service][report]") {
    Bench bench;
    bench.script.found = found({"x/1"});
    bench.script.updated = reply(SendOutcome::sent, "x/1");
    auto deliverer = bench.deliverer();
    Envelope message = envelope();
    message.look_first = true;
    message.state = IssueState::closed;
    CHECK(deliverer.deliver(message, tonight_s).outcome == SendOutcome::sent);
    CHECK(bench.script.calls == std::vector<std::string>{"find <!-- m -->", "update x/1 closed"});
}

TEST_CASE(
    "A search that fails leaves the message ambiguous and creates nothing", "[service][report]") {
    Bench bench;
    auto deliverer = bench.deliverer();
    Envelope message = envelope();
    message.look_first = true;
    for (const auto outcome : {SendOutcome::later, SendOutcome::wait, SendOutcome::refused}) {
        bench.script.calls.clear();
        bench.script.found.reply = reply(outcome);
        const SendReply answer = deliverer.deliver(message, tonight_s);
        CHECK(answer.may_exist);
        CHECK(answer.outcome != SendOutcome::sent);
        CHECK(answer.outcome != SendOutcome::refused);
        CHECK(bench.script.calls.size() == 1);
    }
}

TEST_CASE("An issue that was found is remembered when its update fails", "[service][report]") {
    Bench bench;
    bench.script.found = found({"x/1"});
    bench.script.updated = reply(SendOutcome::later);
    auto deliverer = bench.deliverer();
    Envelope message = envelope();
    message.look_first = true;
    const SendReply answer = deliverer.deliver(message, tonight_s);
    CHECK(answer.outcome == SendOutcome::later);
    CHECK(answer.external_ref == "x/1");
}

TEST_CASE("What may have been filed is looked for until it would be listed", "[service][report]") {
    Bench bench;
    bench.script.found = found({});
    bench.script.created = reply(SendOutcome::sent, "x/2");
    bench.script.created.filed = true;
    auto deliverer = bench.deliverer();
    Envelope message = envelope();
    message.look_first = true;
    message.filings = 1;
    message.filed_at_s = tonight_s - settle_s + 10;
    const SendReply soon = deliverer.deliver(message, tonight_s);
    CHECK(soon.outcome == SendOutcome::wait);
    CHECK(soon.not_before_s == tonight_s + 10);
    CHECK(soon.may_exist);
    CHECK_FALSE(soon.wrote);
    const SendReply settled = deliverer.deliver(message, tonight_s + 10);
    CHECK(bench.script.calls.back() == "create title");
    CHECK(settled.external_ref == "x/2");
    // The first may be carried out all the same: it is looked for once more.
    CHECK(settled.outcome == SendOutcome::wait);
    CHECK(settled.may_exist);
    CHECK(settled.not_before_s == tonight_s + 10 + twin_check_s);
}

TEST_CASE("Of two issues for one report the oldest is kept", "[service][report]") {
    Bench bench;
    bench.script.found = found({"x/1", "x/2"});
    bench.script.updated = reply(SendOutcome::sent, "x/2");
    auto deliverer = bench.deliverer();
    Envelope message = envelope();
    message.look_first = true;
    message.external_ref = "x/2";
    message.filings = 2;
    message.filed_at_s = tonight_s - twin_check_s;
    const SendReply closed = deliverer.deliver(message, tonight_s);
    CHECK(bench.script.calls.back() == "update x/2 closed");
    CHECK(closed.external_ref == "x/1");
    CHECK(closed.outcome == SendOutcome::wait);
    CHECK(closed.may_exist);
    bench.script.found = found({"x/1"});
    bench.script.updated = reply(SendOutcome::sent, "x/1");
    message.external_ref = "x/1";
    CHECK(deliverer.deliver(message, tonight_s + settle_s).outcome == SendOutcome::sent);
    CHECK(bench.script.calls.back() == "update x/1");
}

TEST_CASE("That a search came further is told whatever comes after it", "[service][report]") {
    Bench bench;
    auto deliverer = bench.deliverer();
    Envelope message = envelope();
    message.look_first = true;
    message.filed_at_s = GENERATE(0, tonight_s);
    bench.script.found = found({});
    bench.script.found.reply.came_further = true;
    CHECK(deliverer.deliver(message, tonight_s).came_further);
    bench.script.found.refs = {"x/1", "x/2"};
    CHECK(deliverer.deliver(message, tonight_s).came_further);
}

TEST_CASE("A second issue that cannot be closed is no endless wait", "[service][report]") {
    Bench bench;
    bench.script.found = found({"x/1", "x/2"});
    bench.script.updated = reply(SendOutcome::refused);
    auto deliverer = bench.deliverer();
    Envelope message = envelope();
    message.look_first = true;
    message.filings = 2;
    const SendReply answer = deliverer.deliver(message, tonight_s);
    CHECK(answer.outcome == SendOutcome::later);  // an attempt, of which there are so many
    CHECK(answer.may_exist);
    CHECK(answer.external_ref == "x/1");
}

TEST_CASE("Standard output gets title and body", "[service][report]") {
    Bench bench;
    auto deliverer = bench.deliverer();
    Envelope message = envelope();
    message.target = "print";
    CHECK(deliverer.deliver(message, tonight_s).outcome == SendOutcome::sent);
    CHECK(bench.output.str() == "\ntitle\n\nbody\n");
    bench.output.setstate(std::ios::badbit);
    CHECK(deliverer.deliver(message, tonight_s).outcome == SendOutcome::later);
}

TEST_CASE("A target that is gone is an answer, not a crash", "[service][report]") {
    Bench bench;
    auto deliverer = bench.deliverer();
    Envelope message = envelope();
    message.target = "nowhere";
    CHECK(deliverer.deliver(message, tonight_s).outcome == SendOutcome::later);
}
