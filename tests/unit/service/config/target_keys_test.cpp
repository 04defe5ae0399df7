// The keys of report targets that send messages.

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "service/config/config.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

struct TargetText {
    TargetText() {
        std::ofstream(folder / "secret") << "hunter2\n";
        std::filesystem::permissions(folder / "secret", std::filesystem::perms(0600));
    }

    Config parse(const std::string& target) const {
        const auto text =
            fmt::format(R"({{"state_dir": "state", "report_targets": {{"t": {}}}}})", target);
        return parse_config(text, (folder / "vigild.json").string());
    }
    std::string refusal(const std::string& target) const {
        try {
            parse(target);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    }

    test::ScratchFolder folder;
};

const std::string mail = R"({"kind": "mail", "server": "mail.example:587", "user": "u",
    "password_file": "secret", "from": "vigil@example.org", "to": ["a@example.org"])";

}  // namespace

TEST_CASE("Each kind of message has its keys and keeps its secret in a file", "[service]") {
    const TargetText text;
    const auto hook =
        text.parse(R"({"kind": "webhook", "url": "https://x.example/v", "secret_file": "secret"})");
    CHECK(hook.report_targets.at("t").secret_file == (text.folder / "secret").string());
    const auto chat = text.parse(
        R"({"kind": "slack", "url_file": "secret", "collect_s": 3600, "states": ["reported"],
            "quiet_hours": {"from": "20:00", "time_zone": "Europe/Berlin"}})");
    const auto& slack = chat.report_targets.at("t");
    CHECK(slack.quiet_hours->to == "07:00");
    CHECK(slack.states == std::vector<std::string>{"reported"});
    CHECK_FALSE(takes_night_summaries(slack));
    const auto post = text.parse(mail + R"(, "weekly": {}})");
    CHECK(post.report_targets.at("t").weekly->cron == "0 8 * * mon");
    for (const auto& config : {hook, chat, post}) {
        const auto shown = effective_config(config);
        CHECK(shown.find("hunter2") == std::string::npos);
        CHECK(effective_config(parse_config(shown, "/x/vigild.json")) == shown);
    }
}

TEST_CASE("A message that would go out unencrypted or nowhere is refused", "[service][config]") {
    const TargetText text;
    CHECK_THAT(
        text.refusal(R"({"kind": "webhook", "url": "http://x.example", "secret_file": "secret"})"),
        Contains("report_targets.t.url"));
    CHECK_THAT(text.refusal(mail + R"(, "security": "none"})"), Contains("unencrypted"));
    CHECK(text.refusal(R"({"kind": "mail", "server": "127.0.0.1:25", "security": "none",
        "from": "a@b", "to": ["c@d"]})")
              .empty());
    CHECK_THAT(
        text.refusal(R"({"kind": "mail", "server": "m:25", "from": "a@b", "to": []})"),
        Contains("to is empty"));
    CHECK_THAT(
        text.refusal(R"({"kind": "mail", "server": "m:25", "from": "a@b", "to": ["c@d"],
            "user": "u"})"),
        Contains("password_file"));
    CHECK_THAT(
        text.refusal(R"({"kind": "slack", "url_file": "gone"})"), Contains("does not exist"));
    for (const char* wrong : {"a b@c", "a@b\\nBcc: x@y", "a", "<a@b>", "@b", "a@"}) {
        CAPTURE(wrong);
        const auto target = fmt::format(
            R"({{"kind": "mail", "server": "m:25", "from": "{}", "to": ["c@d"]}})", wrong);
        CHECK_THAT(text.refusal(target), Contains("from"));
    }
    for (const char* wrong : {"m", "m:", ":25", "m:x", "m/x:25", "m:123456"}) {
        CAPTURE(wrong);
        const auto target = fmt::format(
            R"({{"kind": "mail", "server": "{}", "from": "a@b", "to": ["c@d"]}})", wrong);
        CHECK_THAT(text.refusal(target), Contains("server"));
    }
}

TEST_CASE("A target is told states and ends of regressions, and no other word", "[service]") {
    const TargetText text;
    const auto with = [](const std::string& state) {
        return R"({"kind": "slack", "url_file": "secret", "states": [")" + state + "\"]}";
    };
    for (const auto* state :
         {"open", "confirmed", "reported", "closed", "recovered", "not_reproduced", "joined"}) {
        CAPTURE(state);
        CHECK(text.refusal(with(state)).empty());
    }
    CHECK_THAT(text.refusal(with("reverted")), Contains("states") && Contains("recovered"));
}

TEST_CASE("Times and people of a target are checked", "[service][config]") {
    const TargetText text;
    const std::string slack = R"({"kind": "slack", "url_file": "secret", )";
    CHECK_THAT(
        text.refusal(slack + R"("quiet_hours": {"from": "8pm"}})"), Contains("quiet_hours.from"));
    CHECK_THAT(
        text.refusal(slack + R"("quiet_hours": {"time_zone": "Mars/Base"}})"),
        Contains("quiet_hours.time_zone"));
    CHECK_THAT(text.refusal(slack + R"("weekly": {"cron": "0 8 * *"}})"), Contains("weekly.cron"));
    const std::string issues = R"({"kind": "issues", "base_url": "https://x.example",
        "repository": "a/b", "token_file": "secret", )";
    CHECK_THAT(text.refusal(issues + R"("on_call": ["a b"]})"), Contains("on_call"));
    CHECK_THAT(text.refusal(issues + R"("logins": {"a@b": ""}})"), Contains("logins"));
    CHECK_THAT(text.refusal(issues + R"("labels": [""]})"), Contains("labels"));
    CHECK_THAT(text.refusal(issues + R"("collect_s": 5})"), Contains("collect_s"));
}

TEST_CASE("Pull requests that brought culprits are told where a target says so", "[service]") {
    const TargetText text;
    const std::string tracker =
        R"({"kind": "issues", "base_url": "https://api.x.example", "repository": "o/n",
            "token_file": "secret")";
    CHECK_FALSE(text.parse(tracker + "}").report_targets.at("t").culprit_comments);
    const auto told = text.parse(tracker + R"(, "culprit_comments": true})");
    CHECK(told.report_targets.at("t").culprit_comments);
    CHECK_THAT(text.refusal(tracker + R"(, "culprit_comments": 1})"), Contains("culprit_comments"));
}
