#include "service/report/send/attempt_rules.hpp"

#include <catch2/catch.hpp>

#include "schema/http/client.hpp"
#include "schema/http/target.hpp"
#include "service/report/deliver/tracker_pace.hpp"
#include "service/report/send/github_tracker.hpp"
#include "service/report/send/moved_repository.hpp"
#include "service/report/send/tracker_answer.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

constexpr std::int64_t now_s = 1'000'000;

SendReply reply_of(SendOutcome outcome) {
    SendReply reply;
    reply.outcome = outcome;
    return reply;
}

SendReply judge(int status, http::Headers headers = {}) {
    http::Exchange exchange;
    exchange.progress = http::SendProgress::answered;
    exchange.response.status = status;
    exchange.response.headers = std::move(headers);
    return tracker_reply(exchange, "filing the issue", now_s);
}

}  // namespace

TEST_CASE("A message is marked as maybe sent before it is sent", "[service][report]") {
    const OutboxRow begun = begin_attempt({}, now_s);
    CHECK(begun.ambiguous);
    CHECK(begun.attempts == 1);
    CHECK(begun.next_attempt_at_s == now_s + in_flight_s);
    CHECK(begun.state == OutboxState::pending);
}

TEST_CASE("A sent message is done and knows where it went", "[service][report]") {
    SendReply reply = reply_of(SendOutcome::sent);
    reply.external_ref = "https://tracker.example/issues/3";
    const OutboxRow row = end_attempt(begin_attempt({}, now_s), reply, now_s + 1);
    CHECK(row.state == OutboxState::sent);
    CHECK_FALSE(row.ambiguous);
    CHECK(row.external_ref == "https://tracker.example/issues/3");
}

TEST_CASE("Only an attempt that may have arrived stays ambiguous", "[service][report]") {
    SendReply reply = reply_of(SendOutcome::later);
    CHECK_FALSE(end_attempt(begin_attempt({}, now_s), reply, now_s).ambiguous);
    reply.may_exist = true;
    CHECK(end_attempt(begin_attempt({}, now_s), reply, now_s).ambiguous);
}

TEST_CASE("Waiting doubles up to an hour, then the message is given up", "[service][report]") {
    CHECK(back_off_s(1) == 5);
    CHECK(back_off_s(2) == 10);
    CHECK(back_off_s(30) == max_back_off_s);
    OutboxRow row;
    int attempts = 0;
    std::int64_t now = now_s;
    while (row.state == OutboxState::pending) {
        row = end_attempt(begin_attempt(row, now), reply_of(SendOutcome::later), now);
        CHECK(row.next_attempt_at_s > now);
        now = row.next_attempt_at_s;
        ++attempts;
    }
    CHECK(row.state == OutboxState::dead);
    CHECK(attempts == max_send_attempts);
    CHECK(now - now_s > 8 * 3600);
}

TEST_CASE("Being asked to wait costs no attempt and is bounded", "[service][report]") {
    SendReply reply = reply_of(SendOutcome::wait);
    OutboxRow row;
    for (int i = 0; i < 100; ++i) row = end_attempt(begin_attempt(row, now_s), reply, now_s);
    CHECK(row.state == OutboxState::pending);
    CHECK(row.attempts == 0);
    CHECK(row.next_attempt_at_s == now_s + default_wait_s);
    reply.not_before_s = now_s + 120;
    CHECK(end_attempt(begin_attempt(row, now_s), reply, now_s).next_attempt_at_s == now_s + 120);
    reply.not_before_s = now_s + 1'000'000;
    CHECK(
        end_attempt(begin_attempt(row, now_s), reply, now_s).next_attempt_at_s ==
        now_s + max_wait_s);
}

TEST_CASE("The tracker's answers mean what its manual says", "[service][report]") {
    CHECK(judge(403, {{"retry-after", "77"}}).outcome == SendOutcome::wait);
    CHECK(judge(403, {{"retry-after", "77"}}).not_before_s == now_s + 78);
    CHECK(judge(429).outcome == SendOutcome::slower);
    CHECK(judge(429).quiet_until_s == now_s + 60);
    CHECK(judge(403).outcome == SendOutcome::slower);
    CHECK(judge(403).message.find("permission") != std::string::npos);
    CHECK(judge(403, {{"retry-after", "77"}}).quiet_until_s == now_s + 78);
    const auto limited =
        judge(403, {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1000300"}});
    CHECK(limited.outcome == SendOutcome::wait);
    CHECK(limited.not_before_s == 1'000'300);
    CHECK(judge(403, {{"x-ratelimit-remaining", "12"}}).outcome == SendOutcome::slower);
    CHECK(judge(404).outcome == SendOutcome::later);
    CHECK(judge(404).message.find("token may not see it") != std::string::npos);
    CHECK(judge(401).outcome == SendOutcome::later);
    CHECK(judge(410).outcome == SendOutcome::refused);
    CHECK(judge(422).outcome == SendOutcome::slower);
    CHECK(judge(301).message.find("base_url") != std::string::npos);
    CHECK(judge(500).may_exist);
    CHECK(judge(502).outcome == SendOutcome::later);
    CHECK(
        judge(429, {{"retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"}}).not_before_s ==
        std::nullopt);
}

TEST_CASE("A broken connection is ambiguous only after sending began", "[service][report]") {
    http::Exchange exchange;
    exchange.message = "connection refused";
    CHECK_FALSE(tracker_reply(exchange, "filing", now_s).may_exist);
    exchange.progress = http::SendProgress::maybe_sent;
    CHECK(tracker_reply(exchange, "filing", now_s).may_exist);
}

TEST_CASE("What a search failed counts no more once it comes further", "[service][report]") {
    SendReply vain = reply_of(SendOutcome::later);
    vain.in_vain = true;
    OutboxRow row = end_attempt(begin_attempt({}, now_s), reply_of(SendOutcome::later), now_s);
    for (int i = 0; i < max_send_attempts - 2; ++i) {
        row = end_attempt(begin_attempt(row, now_s), vain, now_s);
    }
    CHECK(row.attempts == max_send_attempts - 1);
    CHECK(row.in_vain == max_send_attempts - 2);
    CHECK(end_attempt(begin_attempt(row, now_s), vain, now_s).state == OutboxState::dead);
    SendReply further = reply_of(GENERATE(SendOutcome::wait, SendOutcome::later));
    further.came_further = true;
    const int own = further.outcome == SendOutcome::wait ? 0 : 1;
    row = end_attempt(begin_attempt(row, now_s), further, now_s);
    CHECK(row.attempts == 1 + own);  // what failed at something else is not forgiven
    CHECK(row.in_vain == 0);
    row.in_vain = 100;  // no row of ours
    CHECK(end_attempt(begin_attempt(row, now_s), further, now_s).attempts == own);
}

TEST_CASE("No tracker makes us wait longer than six hours", "[service][report]") {
    for (const char* far : {"90000", "9223372036854775807"}) {
        CHECK(judge(429, {{"retry-after", far}}).quiet_until_s == now_s + max_wait_s);
    }
    const auto reply =
        judge(403, {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "9223372036854775807"}});
    CHECK(reply.quiet_until_s == now_s + max_wait_s);
}

TEST_CASE("A marker counts only as a line of its own", "[service][report]") {
    const std::string marker = "<!-- vigil:regression:abc:7 -->";
    CHECK(has_marker_line("text\n\n" + marker + "\n", marker));
    CHECK(has_marker_line("text\r\n" + marker + "\r\nedited below", marker));
    CHECK(has_marker_line(marker, marker));
    CHECK_FALSE(has_marker_line("see `" + marker + "`", marker));
    CHECK_FALSE(has_marker_line("<!-- vigil:regression:abc:71 -->", marker));
    CHECK_FALSE(has_marker_line("", marker));
}

TEST_CASE("An issue's number ends its reference", "[service][report]") {
    CHECK(issue_number("https://tracker.example/o/r/issues/12") == 12);
    CHECK_FALSE(issue_number("https://tracker.example/o/r/issues/").has_value());
    CHECK_FALSE(issue_number("12").has_value());
    CHECK_FALSE(issue_number("issues/12x").has_value());
}

TEST_CASE(
    "A tracker that is too busy is asked again after a minute, then later", "[service][report]") {
    OutboxRow row;
    std::int64_t now = now_s;
    for (const std::int64_t wait_s : {60, 120, 240}) {
        row = end_attempt(begin_attempt(row, now), reply_of(SendOutcome::slower), now);
        CHECK(row.next_attempt_at_s == now + wait_s);
        now = row.next_attempt_at_s;
    }
}

TEST_CASE("An attempt that nobody saw end may have filed", "[service][report]") {
    const OutboxRow begun = begin_attempt({}, now_s);
    CHECK(begun.in_flight);
    const OutboxRow row = resume_attempt(begun, now_s + 40);
    CHECK_FALSE(row.in_flight);
    CHECK(row.attempts == 0);
    CHECK(row.ambiguous);
    CHECK(row.filings == 1);
    CHECK(row.filed_at_s == now_s + 40);
    CHECK(row.next_attempt_at_s == now_s + 40);
    OutboxRow known = begun;
    known.external_ref = "x/1";
    CHECK(resume_attempt(known, now_s).filings == 0);
}

TEST_CASE("A redirect is followed on the same host and scheme only", "[service][report]") {
    const auto base = http::parse_base_url("https://tracker.example/api/v3");
    const auto path = [&](std::string_view location) {
        return path_on_same_server(base, location).value_or("");
    };
    CHECK(
        path("https://tracker.example/repositories/7/issues?page=2") ==
        "/repositories/7/issues?page=2");
    CHECK(path("https://TRACKER.example:443/a") == "/a");
    CHECK(path("/repositories/7") == "/repositories/7");
    for (const char* elsewhere :
         {"http://tracker.example/a",
          "https://tracker.example:8443/a",
          "https://tracker.example.evil.example/a",
          "https://tracker.example@evil.example/a",
          "https://evil.example/https://tracker.example/a",
          "//evil.example/a",
          "https://tracker.example",
          "https://tracker.example?x=/a",
          "repositories/7",
          "",
          "/a b",
          "/a\r\nx: y",
          "https:///a"}) {
        CAPTURE(elsewhere);
        CHECK(path(elsewhere).empty());
    }
}

TEST_CASE("A marker is bound to its report and to the ledger's key", "[service][report]") {
    const Marker marker = make_marker("key", "regression", "abc", 7);
    CHECK(marker.unsigned_line == "<!-- vigil:regression:abc:7 -->");
    CHECK(marker.line.starts_with("<!-- vigil:regression:abc:7:"));
    CHECK(marker.line != make_marker("other", "regression", "abc", 7).line);
    const auto signature = [](const Marker& m) { return m.line.substr(m.line.rfind(':')); };
    CHECK(signature(marker) != signature(make_marker("key", "regression", "abc", 8)));
    CHECK(signature(marker) != signature(make_marker("key", "night", "abc", 7)));
    CHECK(signature(marker) != signature(make_marker("key", "regression", "abd", 7)));
}

namespace {

constexpr std::int64_t long_ago_ms = 10'000'000;

/// So many of a share, evenly over the span that ends now.
std::vector<TrackerWrite> spread(TrackerShare share, std::size_t count, std::int64_t span_ms) {
    std::vector<TrackerWrite> all;
    for (std::size_t i = 0; i < count; ++i) {
        const auto age_ms = span_ms * std::int64_t(count - i) / std::int64_t(count + 1);
        all.push_back({long_ago_ms - age_ms, share});
    }
    return all;
}

/// How many of a share may follow at once, were there no second between them.
std::size_t fitting(std::vector<TrackerWrite> past, TrackerShare share, std::int64_t age_ms) {
    std::size_t count = 0;
    for (; count < 1000 && has_turn(past, share, long_ago_ms); ++count) {
        past.push_back({long_ago_ms - age_ms, share});
    }
    return count;
}

}  // namespace

TEST_CASE("Writes are a second apart, and one is open at a time", "[service][report]") {
    const auto report = TrackerShare::report;
    CHECK(has_turn({}, report, 5000));
    CHECK_FALSE(has_turn({{5000, TrackerShare::answer}}, report, 5999));
    CHECK(has_turn({{5000, TrackerShare::answer}}, report, 6000));
    CHECK_FALSE(has_turn({{5000, TrackerShare::answer, true}}, report, 600'000));
    CHECK(has_turn({{5000, TrackerShare::answer, true}}, report, 905'000));  // nobody saw its end
    // A question keeps no write waiting, nor a write a question.
    CHECK(has_turn({{5000, TrackerShare::question, true}}, report, 5001));
    CHECK(has_turn({{5000, report, true}}, TrackerShare::question, 5001));
    CHECK_FALSE(has_turn({{5000, TrackerShare::question, true}}, TrackerShare::question, 5001));
}

TEST_CASE("No share of a tracker's writes takes what another is kept", "[service][report]") {
    const auto age_ms = GENERATE(30'000, 1'800'000);  // a minute's bound, an hour's
    const bool minute = age_ms < 60'000;
    const std::size_t most = minute ? max_writes_a_minute : max_writes_an_hour;
    const auto kept = [&](TrackerShare share) {
        return minute ? kept_writes(share).a_minute : kept_writes(share).an_hour;
    };
    const std::array all{TrackerShare::report, TrackerShare::check, TrackerShare::answer};
    std::size_t together = 0;
    for (const auto share : all) together += kept(share);
    REQUIRE(together <= most);
    for (const auto greedy : all) {
        std::vector<TrackerWrite> past;
        while (has_turn(past, greedy, long_ago_ms)) {
            past.push_back({long_ago_ms - age_ms, greedy});
        }
        // It has what it is kept and what is left over, and each other one still has its own.
        CHECK(past.size() == most - (together - kept(greedy)));
        for (const auto other : all) {
            if (other != greedy) CHECK(fitting(past, other, age_ms) == kept(other));
        }
        CHECK(fitting(past, TrackerShare::question, age_ms) == kept(TrackerShare::question));
    }
    CHECK(kept(TrackerShare::report) > kept(TrackerShare::check) + kept(TrackerShare::answer));
}

TEST_CASE("Strangers leave room for questions about members", "[service][report]") {
    const auto age_ms = GENERATE(30'000, 1'800'000);
    std::vector<TrackerWrite> past;
    while (has_turn(past, TrackerShare::stranger, long_ago_ms)) {
        past.push_back({long_ago_ms - age_ms, TrackerShare::question});
    }
    const std::size_t left = age_ms < 60'000 ? 10 : 200;
    CHECK(fitting(past, TrackerShare::question, age_ms) == left);
    CHECK_FALSE(has_turn({{5000, TrackerShare::question, true}}, TrackerShare::stranger, 5001));
}

TEST_CASE("Writes are at most 80 in a minute and 500 in an hour", "[service][report]") {
    const auto span_ms = GENERATE(59'000, 3'590'000);
    const std::size_t most = span_ms < 60'000 ? max_writes_a_minute : max_writes_an_hour;
    std::vector<TrackerWrite> past;
    for (const auto share : {TrackerShare::report, TrackerShare::check, TrackerShare::answer}) {
        const auto kept =
            span_ms < 60'000 ? kept_writes(share).a_minute : kept_writes(share).an_hour;
        const auto some = spread(share, kept, span_ms);
        past.insert(past.end(), some.begin(), some.end());
    }
    const auto rest = spread(TrackerShare::report, most - past.size(), span_ms);
    past.insert(past.end(), rest.begin(), rest.end());
    for (auto& one : past) one.at_ms = std::min(one.at_ms, long_ago_ms - 1000);
    CHECK_FALSE(has_turn(past, TrackerShare::report, long_ago_ms));
    CHECK_FALSE(has_turn(past, TrackerShare::answer, long_ago_ms));
    CHECK(has_turn(past, TrackerShare::report, long_ago_ms + 3'600'000));
}

TEST_CASE("A receiver that does not answer is tried ever more rarely", "[service][report]") {
    Circuit circuit;
    std::vector<std::int64_t> waits_s;
    for (int i = 0; i < 12; ++i) {
        circuit = next_circuit(circuit, unanswered("a time-out"), now_s);
        waits_s.push_back(circuit.until_s - now_s);
        CHECK(is_open(circuit) == (i >= 2));
        CHECK(holds_back(circuit, circuit.until_s - 1));
        CHECK_FALSE(holds_back(circuit, circuit.until_s));
        CHECK_FALSE(holds_back(circuit, now_s - 3600));  // somebody set the clock back
    }
    CHECK(waits_s.front() == 5);
    CHECK(waits_s[1] == 10);
    CHECK(waits_s.back() == 600);
    // Whoever answers is there, whatever the answer.
    for (const auto& reply : {sent(""), later("503"), reply_of(SendOutcome::refused)}) {
        CHECK_FALSE(holds_back(next_circuit(circuit, reply, now_s), now_s));
        CHECK_FALSE(is_open(next_circuit(circuit, reply, now_s)));
    }
    CHECK(unanswered("x").outcome == SendOutcome::later);
}
