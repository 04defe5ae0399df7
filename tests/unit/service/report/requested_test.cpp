#include "service/report/facts/requested.hpp"

#include <catch2/catch.hpp>

using namespace vigil::service;

namespace {

constexpr std::int64_t monday_s = 1'795'996'800 - 3 * 86'400;  // 2026-11-30, minus three days
constexpr std::int64_t week_s = 604'800;

ReportTarget tracker() {
    ReportTarget target;
    target.kind = TargetKind::issues;
    target.logins = {{"ada@example.org", "ada"}, {"Author Two", "grace"}};
    target.on_call = {"linus", "barbara"};
    return target;
}

}  // namespace

TEST_CASE("An author is known by address, by name, or by GitHub's own address", "[service]") {
    const auto target = tracker();
    CHECK(login_of(target, "Ada", "ADA@example.org") == "ada");
    CHECK(login_of(target, "author two", "g@elsewhere") == "grace");
    CHECK(login_of(target, "x", "7+margaret@users.noreply.github.com") == "margaret");
    CHECK(login_of(target, "x", "joan@users.noreply.github.com") == "joan");
    CHECK(login_of(target, "x", "x@example.org").empty());
    // An address is a stranger's text.
    CHECK(login_of(target, "x", "7+a b/../c@users.noreply.github.com").empty());
    CHECK(login_of(target, "", "@users.noreply.github.com").empty());
}

TEST_CASE("Those on call have turns of a week, from a Monday on", "[service]") {
    const auto target = tracker();
    const std::int64_t first_s = (monday_s - 4 * 86'400) / week_s * week_s + 4 * 86'400;
    const auto one = on_call_at(target, first_s);
    CHECK(on_call_at(target, first_s + week_s - 1) == one);
    CHECK(on_call_at(target, first_s + week_s) != one);
    CHECK(on_call_at(target, first_s + 2 * week_s) == one);
    CHECK(on_call_at(ReportTarget{}, first_s).empty());
}

TEST_CASE("Asked is whom a person named, else the author, else who is on call", "[service]") {
    const auto target = tracker();
    RequestedRow row{.assigned = "", .author = "Author Two", .email = "", .found_s = monday_s};
    CHECK(login_to_ask(target, row) == "grace");
    row.author = "Nobody Known";
    CHECK(login_to_ask(target, row) == on_call_at(target, monday_s));
    row.assigned = "github:margaret";  // by a command in the thread
    CHECK(login_to_ask(target, row) == "margaret");
    row.assigned = "Author Two";
    CHECK(login_to_ask(target, row) == "grace");
    row.assigned = "somebody";
    CHECK(login_to_ask(target, row) == on_call_at(target, monday_s));
}
