// What chat, mail and programs are sent: nothing in a report takes effect there.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/wire/base64.hpp"
#include "service/report/send/hook_sender.hpp"
#include "service/report/send/mail_sender.hpp"
#include "service/report/send/message_text.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;
using nlohmann::json;

namespace {

Envelope message_of(const std::string& title, const std::string& body) {
    Envelope envelope;
    envelope.target = "t";
    envelope.title = title;
    envelope.body = body;
    envelope.marker.line = "<!-- vigil:regression:x:7:0 -->";
    envelope.about.kind = "regression";
    envelope.about.subject = "regression/7";
    envelope.about.project = "tensorlab";
    envelope.about.report = ReportId{12};
    envelope.about.version = 2;
    envelope.about.url = "https://vigil.example/regressions/7";
    envelope.about.told.state = RegressionState::reported;
    envelope.about.told.change_ratio = 0.2;
    return envelope;
}

const char* const report_text =
    "**`mlp` takes 20 % more** since [`1a2b`](https://x.example/c/1a2b).\n\n"
    "### What is worse\n\n<details>\n<summary>All of it</summary>\n\n- more\n\n</details>\n\n"
    "<!-- vigil:regression:x:7:0 -->\n";

ReportTarget mail_target() {
    ReportTarget target;
    target.kind = TargetKind::mail;
    target.from = "vigil@example.org";
    target.to = {"a@example.org", "b@example.org"};
    return target;
}

}  // namespace

TEST_CASE("Markdown becomes text without folds, markers and emphasis", "[service][report]") {
    const auto text = plain_text(report_text);
    CHECK(
        text ==
        "`mlp` takes 20 % more since `1a2b` (https://x.example/c/1a2b).\n\n"
        "### What is worse\n\nAll of it\n\n- more\n");
    CHECK(first_paragraph(report_text, 2000).ends_with("1a2b)."));
    CHECK(plain_text("").empty());
    CHECK(plain_text("[a](http").find("[a](http") == 0);
}

TEST_CASE("A program is told in stable fields", "[service][report]") {
    const auto body = json::parse(webhook_body(message_of("title", report_text)));
    CHECK(
        body == json{
                    {"format", 1},
                    {"kind", "regression"},
                    {"subject", "regression/7"},
                    {"project", "tensorlab"},
                    {"report", 12},
                    {"version", 2},
                    {"title", "title"},
                    {"body", report_text},
                    {"closed", false},
                    {"state", "reported"},
                    {"ended_as", nullptr},
                    {"culprit", nullptr},
                    {"change_ratio", 0.2},
                    {"broken", false},
                    {"url", "https://vigil.example/regressions/7"}});
}

TEST_CASE("In chat nothing of a report is a mention or a link", "[service][report]") {
    const std::string hostile = "<!channel> <@U1> <https://evil.example|here> & @here *b*";
    const auto body = json::parse(slack_body(message_of(hostile, hostile + "\n\nmore\n")));
    CHECK(body.at("link_names") == false);
    CHECK(body.at("text").get<std::string>().find('<') == std::string::npos);
    int links = 0;
    for (const auto& block : body.at("blocks")) {
        if (block.at("type") == "section") {
            CHECK(block.at("text").at("type") == "plain_text");  // Slack reads no markup there
            continue;
        }
        ++links;
        CHECK(
            block.at("elements").at(0).at("text") ==
            "<https://vigil.example/regressions/7|The whole report>");
    }
    CHECK(links == 1);
}

TEST_CASE("Several reports are one message of a bounded size", "[service][report]") {
    auto message = message_of("first", "one\n");
    for (int i = 0; i < 40; ++i) {
        message.more.push_back({"more", std::string(5000, 'x'), message.about});
    }
    const auto body = json::parse(slack_body(message));
    CHECK(body.at("blocks").size() <= 50);
    for (const auto& block : body.at("blocks")) {
        if (block.contains("text")) {
            CHECK(block.at("text").at("text").get<std::string>().size() <= 3000);
        }
    }
    CHECK_THAT(body.at("text").get<std::string>(), Contains("41 reports: first and 40 more"));
    CHECK_THAT(mail_of(mail_target(), message, 0), Contains("Subject: =?UTF-8?B?"));
}

TEST_CASE("No text of a report becomes a header of a mail", "[service][report]") {
    const std::string hostile = "a\r\nBcc: x@y\r\n\r\n.\r\n\u00fc";
    const auto mail = mail_of(mail_target(), message_of(hostile + std::string(300, 'z'), "b\n"), 0);
    const auto head = mail.substr(0, mail.find("\r\n\r\n"));
    CHECK(head.find("Bcc") == std::string::npos);
    CHECK_THAT(head, Contains("To: a@example.org,\r\n b@example.org\r\n"));
    CHECK_THAT(head, Contains("Date: Thu, 01 Jan 1970 00:00:00 +0000\r\n"));
    std::size_t at = 0;
    while (at < mail.size()) {
        const auto end = mail.find("\r\n", at);
        REQUIRE(end != std::string::npos);
        CHECK(end - at <= 78);
        CHECK(mail.substr(at, end - at) != ".");
        at = end + 2;
    }
}

TEST_CASE("The versions of a report are one thread, and each is one mail", "[service][report]") {
    const auto header = [](const std::string& mail, const std::string& name) {
        const auto at = mail.find(name + ": ");
        REQUIRE(at != std::string::npos);
        return mail.substr(at, mail.find("\r\n", at) - at);
    };
    auto message = message_of("title", report_text);
    const auto first = mail_of(mail_target(), message, 0);
    CHECK(header(first, "Message-ID") == header(mail_of(mail_target(), message, 99), "Message-ID"));
    message.about.version = 3;
    const auto second = mail_of(mail_target(), message, 0);
    CHECK(header(first, "Message-ID") != header(second, "Message-ID"));
    CHECK(header(first, "References") == header(second, "References"));
}
