#include "service/report/deliverer.hpp"

#include <memory>
#include <sstream>
#include <vector>

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::service;

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

/// A tracker that notes what it is asked and gives the answers it was told.
struct FakeTracker : IssueTracker {
    struct Script {
        std::vector<std::string> calls;
        SendReply found;
        SendReply created;
        SendReply updated;
    };
    explicit FakeTracker(Script& script) : script_(script) {}
    SendReply find(const std::string& marker) override {
        script_.calls.push_back("find " + marker);
        return script_.found;
    }
    SendReply create(const IssueText& text) override {
        script_.calls.push_back("create " + text.title);
        return script_.created;
    }
    SendReply update(const std::string& ref, const IssueText& text) override {
        script_.calls.push_back("update " + ref + (text.closed ? " closed" : ""));
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

Envelope envelope() {
    Envelope out;
    out.target = "issues";
    out.title = "title";
    out.body = "body\n";
    out.marker = "<!-- m -->";
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
        return Deliverer(config, output, [this](const ReportTarget&) {
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
    CHECK(deliverer.deliver(envelope(), second_ns).external_ref == "x/1");
    CHECK(bench.script.calls == std::vector<std::string>{"create title"});
}

TEST_CASE("What may be there already is looked for, and updated when found", "[service][report]") {
    Bench bench;
    bench.script.found = reply(SendOutcome::sent, "x/1");
    bench.script.updated = reply(SendOutcome::sent, "x/1");
    auto deliverer = bench.deliverer();
    Envelope message = envelope();
    message.look_first = true;
    message.closed = true;
    CHECK(deliverer.deliver(message, second_ns).outcome == SendOutcome::sent);
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
        bench.script.found = reply(outcome);
        const SendReply answer = deliverer.deliver(message, second_ns);
        CHECK(answer.may_exist);
        CHECK(answer.outcome != SendOutcome::sent);
        CHECK(answer.outcome != SendOutcome::refused);
        CHECK(bench.script.calls.size() == 1);
    }
}

TEST_CASE("An issue that was found is remembered when its update fails", "[service][report]") {
    Bench bench;
    bench.script.found = reply(SendOutcome::sent, "x/1");
    bench.script.updated = reply(SendOutcome::later);
    auto deliverer = bench.deliverer();
    Envelope message = envelope();
    message.look_first = true;
    const SendReply answer = deliverer.deliver(message, second_ns);
    CHECK(answer.outcome == SendOutcome::later);
    CHECK(answer.external_ref == "x/1");
}

TEST_CASE("Two writes within a second keep the tracker's pace", "[service][report]") {
    Bench bench;
    bench.script.created = reply(SendOutcome::sent, "x/1");
    auto deliverer = bench.deliverer();
    CHECK(deliverer.deliver(envelope(), 10 * second_ns).outcome == SendOutcome::sent);
    const SendReply answer = deliverer.deliver(envelope(), 10 * second_ns + 1);
    CHECK(answer.outcome == SendOutcome::wait);
    CHECK(answer.not_before_s == 11);
    CHECK(bench.script.calls.size() == 1);
}

TEST_CASE("Standard output gets title and body", "[service][report]") {
    Bench bench;
    auto deliverer = bench.deliverer();
    Envelope message = envelope();
    message.target = "print";
    CHECK(deliverer.deliver(message, second_ns).outcome == SendOutcome::sent);
    CHECK(bench.output.str() == "\ntitle\n\nbody\n");
    bench.output.setstate(std::ios::badbit);
    CHECK(deliverer.deliver(message, second_ns).outcome == SendOutcome::later);
}

TEST_CASE("A target that is gone is an answer, not a crash", "[service][report]") {
    Bench bench;
    auto deliverer = bench.deliverer();
    Envelope message = envelope();
    message.target = "nowhere";
    CHECK(deliverer.deliver(message, second_ns).outcome == SendOutcome::later);
}
