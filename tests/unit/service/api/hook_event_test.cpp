#include "service/api/hook_event.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace vigil::service;
using Catch::Contains;
using nlohmann::json;

namespace {

Config config_of(SourceKind kind) {
    Config config;
    ProjectConfig project;
    project.name = "demo";
    project.source.kind = kind;
    project.source.branch = "trunk";
    config.projects["demo"] = project;
    config.webhook = WebhookConfig{"secret", {{"Owner/name", "demo"}, {"owner/gone", "gone"}}};
    return config;
}

const json repository = {{"full_name", "owner/Name"}, {"default_branch", "main"}};

HookWish read(const std::string& event, const json& payload, SourceKind kind = SourceKind::git) {
    return read_hook_event(event, payload.dump(), config_of(kind), {});
}

json workflow_run(const json& changes) {
    json run = {
        {"conclusion", "success"},
        {"head_branch", "trunk"},
        {"name", "nightly @all"},
        {"head_repository", {{"full_name", "owner/name"}}}};
    if (!changes.is_null()) run.update(changes);
    return {{"action", "completed"}, {"repository", repository}, {"workflow_run", run}};
}

json comment(const std::string& body) {
    return {
        {"action", "created"},
        {"repository", repository},
        {"issue", {{"number", 7}, {"html_url", "https://github.com/owner/Name/issues/7"}}},
        {"comment", {{"id", 99}, {"body", body}, {"user", {{"login", "ada"}}}}}};
}

/// A target of the project files its issues in the repository.
Config filing_config() {
    Config config = config_of(SourceKind::git);
    ReportTarget target;
    target.name = "issues";
    target.kind = TargetKind::issues;
    target.repository = "owner/name";
    config.report_targets["issues"] = target;
    config.projects["demo"].reports = {"issues"};
    return config;
}

HookWish read_comment(const json& payload) {
    return read_hook_event("issue_comment", payload.dump(), filing_config(), {});
}

std::string hash(char digit) {
    return std::string(40, digit);
}

json pull_request(const json& changes) {
    json pull = {
        {"number", 7},
        {"state", "open"},
        {"updated_at", "2026-11-21T04:05:00Z"},
        {"labels", {{{"name", "bug"}}, {{"name", "vigil"}}}},
        {"head", {{"sha", hash('a')}, {"repo", {{"full_name", "owner/name"}}}}},
        {"base", {{"sha", hash('b')}}}};
    if (!changes.is_null()) pull.update(changes);
    return {{"action", "labeled"}, {"repository", repository}, {"pull_request", pull}};
}

HookWish read_pull(const json& payload) {
    return read_hook_event("pull_request", payload.dump(), filing_config(), {});
}

}  // namespace

TEST_CASE("A comment whose first line is a command is kept for its author", "[service][api]") {
    const auto wish = read_comment(comment("/vigil accept worth it\n\nmore"));
    CHECK_FALSE(wish.project);
    REQUIRE(wish.command);
    CHECK(wish.command->target == "issues");
    CHECK(wish.command->issue == 7);
    CHECK(wish.command->comment == 99);
    CHECK(wish.command->login == "ada");
    CHECK(wish.command->issue_url == "https://github.com/owner/Name/issues/7");
    CHECK(wish.command->words == "/vigil accept worth it");
    CHECK_FALSE(wish.command->is_member);
    for (const auto& [association, member] :
         {std::pair{"OWNER", true}, {"MEMBER", true}, {"COLLABORATOR", true}, {"NONE", false}}) {
        auto said = comment("/vigil ack");
        said["comment"]["author_association"] = association;
        CHECK(read_comment(said).command->is_member == member);
    }
    CHECK_FALSE(read_comment(comment("thanks")).command);
    // No target of the project files its issues there.
    CHECK_FALSE(read("issue_comment", comment("/vigil ack")).command);
    for (const json& change :
         {json{{"action", "edited"}},
          json{{"action", "deleted"}},
          json{{"issue", {{"number", "7"}}}},
          json{{"issue", json::array()}},
          json{{"comment", {{"id", 99}, {"body", "/vigil ack"}}}},
          json{{"comment", {{"id", 99}, {"body", 7}, {"user", {{"login", "ada"}}}}}},
          json{{"comment", {{"id", -1}, {"body", "/vigil ack"}, {"user", {{"login", "ada"}}}}}},
          json{
              {"comment",
               {{"id", 1}, {"body", "/vigil ack"}, {"user", {{"login", std::string(200, 'a')}}}}}},
          json{{"repository", {{"full_name", "owner/gone"}}}}}) {
        CAPTURE(change.dump());
        auto other = comment("/vigil ack");
        other.update(change);
        CHECK_FALSE(read_comment(other).command);
    }
}

TEST_CASE("A comment below a pull request is told from one below an issue", "[service][api]") {
    auto below = comment("/vigil bench");
    CHECK_FALSE(read_comment(below).command->is_pull);
    below["issue"]["pull_request"] = {{"url", "https://api.github.com/repos/owner/Name/pulls/7"}};
    CHECK(read_comment(below).command->is_pull);
}

TEST_CASE("A pull request with the label is news", "[service][api]") {
    const auto wish = read_pull(pull_request({}));
    REQUIRE(wish.pull);
    CHECK(wish.pull->project == "demo");
    CHECK(wish.pull->target == "issues");
    CHECK(wish.pull->news == PullNews::labelled);
    CHECK(wish.pull->facts.number == 7);
    CHECK(wish.pull->facts.head.str() == hash('a'));
    CHECK(wish.pull->facts.base.str() == hash('b'));
    CHECK(wish.pull->facts.is_open);
    CHECK_FALSE(wish.pull->facts.is_fork);
    CHECK(wish.pull->facts.at_s == 1'795'233'900);
    const auto news = [&](const json& changes, const char* action = "labeled") {
        auto payload = pull_request(changes);
        payload["action"] = action;
        const auto read = read_pull(payload);
        return read.pull ? std::optional(read.pull->news) : std::nullopt;
    };
    CHECK(news({{"state", "closed"}}) == PullNews::closed);
    CHECK(news({{"labels", {{{"name", "VIGIL"}}}}}) == PullNews::labelled);
    const json none = {{"labels", json::array()}};
    CHECK_FALSE(news(none));
    CHECK(news(none, "synchronize") == PullNews::moved);
    CHECK_FALSE(news(none, "unlabeled"));
    auto payload = pull_request(none);
    payload["action"] = "unlabeled";
    payload["label"] = {{"name", "vigil"}};
    CHECK(read_pull(payload).pull->news == PullNews::unlabelled);
}

TEST_CASE("A pull request that says it fixes an issue is news", "[service][api]") {
    const auto read_text = [&](const std::string& text, const char* action = "opened") {
        auto payload = pull_request(
            {{"labels", json::array()},
             {"html_url", "https://github.com/owner/Name/pull/7"},
             {"title", "Faster"},
             {"body", text}});
        payload["action"] = action;
        return read_pull(payload).pull;
    };
    const auto found = read_text("Fixes #12, closes owner/name#13 and resolves other/name#14");
    REQUIRE(found);
    CHECK(found->news == PullNews::fixing);
    CHECK(
        found->facts.fixes ==
        std::vector<std::string>{
            "https://github.com/owner/Name/issues/12", "https://github.com/owner/Name/issues/13"});
    CHECK(read_text("Fixes #12", "synchronize")->news == PullNews::fixing);
    CHECK_FALSE(read_text("See #12"));
    CHECK_FALSE(read_text(""));
    auto labelled = pull_request({{"title", "Fixes #3"}, {"body", nullptr}});
    labelled["pull_request"]["html_url"] = "https://github.com/owner/Name/pull/7";
    CHECK(read_pull(labelled).pull->news == PullNews::labelled);
    CHECK(read_pull(labelled).pull->facts.fixes.size() == 1);
    labelled["pull_request"]["html_url"] =
        "https://github.com/" + std::string(600, 'a') + "/pull/7";
    CHECK(read_pull(labelled).pull->facts.fixes.empty());
}

TEST_CASE("Where a pull request comes from is not guessed", "[service][api]") {
    const auto is_fork = [](const json& head) {
        auto payload = pull_request({});
        payload["pull_request"]["head"] = head;
        return read_pull(payload).pull->facts.is_fork;
    };
    CHECK_FALSE(is_fork({{"sha", hash('a')}, {"repo", {{"full_name", "OWNER/name"}}}}));
    CHECK(is_fork({{"sha", hash('a')}, {"repo", {{"full_name", "stranger/name"}}}}));
    CHECK(is_fork({{"sha", hash('a')}, {"repo", nullptr}}));
    CHECK(is_fork({{"sha", hash('a')}}));
}

TEST_CASE("A pull request that is not as GitHub writes it asks nothing", "[service][api]") {
    for (const json& change :
         {json{{"number", "7"}},
          json{{"number", -7}},
          json{{"head", {{"sha", "abc"}}}},
          json{{"head", {{"sha", std::string(40, 'A')}}}},
          json{{"head", "a"}},
          json{{"base", json::array()}},
          json{{"labels", "vigil"}},
          json{{"labels", {"vigil", 7, {{"name", 7}}}}},
          json{{"updated_at", "yesterday"}},
          json{{"updated_at", 7}}}) {
        CAPTURE(change.dump());
        CHECK_FALSE(read_pull(pull_request(change)).pull);
    }
    CHECK_FALSE(read_pull({{"repository", repository}, {"pull_request", 7}}).pull);
    CHECK_FALSE(read("pull_request", pull_request({})).pull);  // no target files there
}

TEST_CASE("A push to the watched branch asks for a look", "[service][api]") {
    const auto ref = [](const char* name) {
        return json{{"ref", name}, {"repository", repository}};
    };
    CHECK(read("push", ref("refs/heads/trunk")).project == "demo");
    CHECK(read("push", ref("refs/heads/trunk")).message == "push to trunk");
    CHECK_FALSE(read("push", ref("refs/heads/main")).project);
    CHECK_FALSE(read("push", ref("refs/tags/trunk")).project);
    // What has no branch of its own to watch follows the repository's.
    CHECK(read("push", ref("refs/heads/main"), SourceKind::npm).project == "demo");
    auto deleted = ref("refs/heads/trunk");
    deleted["deleted"] = true;
    CHECK_THAT(read("push", deleted).message, Contains("was deleted"));
}

TEST_CASE("A workflow that succeeded on the branch asks for a look", "[service][api]") {
    const auto wish = read("workflow_run", workflow_run({}));
    CHECK(wish.project == "demo");
    CHECK_THAT(wish.message, Contains("succeeded on trunk") && !Contains("@all"));
    for (const json& other :
         {json{{"conclusion", "failure"}},
          json{{"conclusion", nullptr}},
          json{{"head_branch", "main"}},
          json{{"head_repository", {{"full_name", "stranger/name"}}}},
          json{{"head_repository", nullptr}}}) {
        CAPTURE(other.dump());
        CHECK_FALSE(read("workflow_run", workflow_run(other)).project);
    }
    auto begun = workflow_run({});
    begun["action"] = "requested";
    CHECK_FALSE(read("workflow_run", begun).project);
}

TEST_CASE("A published release asks for a look", "[service][api]") {
    const json release = {
        {"action", "published"},
        {"repository", repository},
        {"release", {{"tag_name", "v1"}, {"draft", false}}}};
    CHECK(read("release", release).project == "demo");
    auto other = release;
    other["action"] = "created";
    CHECK_FALSE(read("release", other).project);
    other = release;
    other["release"]["draft"] = true;
    CHECK_FALSE(read("release", other).project);
}

TEST_CASE("What is not ours, or not as GitHub writes it, asks nothing", "[service][api]") {
    const json of_gone = {
        {"ref", "refs/heads/main"}, {"repository", {{"full_name", "owner/gone"}}}};
    CHECK_THAT(read("push", of_gone).message, Contains("no project gone"));
    const json renamed = {
        {"ref", "refs/heads/main"}, {"repository", {{"full_name", "owner/new <b>"}}}};
    CHECK_THAT(
        read("push", renamed).message,
        Contains("watches the repository owner/new") && Contains("put it into webhook.projects") &&
            !Contains("<b>"));
    for (const json& strange :
         {json(nullptr),
          json::array(),
          json{{"repository", "owner/name"}},
          json{{"repository", {{"full_name", 7}}}},
          json{{"repository", {{"full_name", "owner/other"}}}}}) {
        CAPTURE(strange.dump());
        for (const auto* event : {"push", "workflow_run", "release"}) {
            CHECK_FALSE(read(event, strange).project);
        }
    }
    CHECK(read("star", {{"repository", repository}}).message == "events of this kind ask nothing");
    const auto cut = read_hook_event("push", R"({"ref":)", config_of(SourceKind::git), {});
    CHECK_FALSE(cut.project);
    CHECK_THAT(cut.message, Contains("content type"));
}

TEST_CASE("A repository with a new name is known by its id", "[unit][api]") {
    json moved = repository;
    moved["full_name"] = "other/place";
    moved["id"] = 5;
    const json push = {{"ref", "refs/heads/trunk"}, {"repository", moved}};
    const auto read_push = [&](const HookedRepositories& known) {
        return read_hook_event("push", push.dump(), filing_config(), known);
    };
    SECTION("only where it was seen under a name of the config") {
        CHECK_THAT(read_push({}).message, Contains("no project of the config"));
        CHECK_THAT(read_push({{5, {"third/name"}}}).message, Contains("no project of the config"));
        CHECK_THAT(read_push({{6, {"owner/name"}}}).message, Contains("no project of the config"));
    }
    SECTION("and what the config should say is told") {
        const auto wish = read_push({{5, {"owner/name", "third/name", "other/place"}}});
        CHECK(wish.project == "demo");
        CHECK_THAT(wish.message, Contains("push to trunk") && Contains("called other/place now"));
        REQUIRE(wish.repository);
        CHECK(wish.repository->github_id == 5);
        CHECK(wish.repository->name == "other/place");
    }
    SECTION("and so are its issues' targets, and its forks are none") {
        auto asked = comment("/vigil ack");
        asked["repository"] = moved;
        const HookedRepositories known{{5, {"owner/name"}}};
        const auto command =
            read_hook_event("issue_comment", asked.dump(), filing_config(), known).command;
        REQUIRE(command);
        CHECK(command->target == "issues");
        auto run = workflow_run(nullptr);
        run["repository"] = moved;
        const auto of_fork = read_hook_event("workflow_run", run.dump(), filing_config(), known);
        CHECK_THAT(of_fork.message, Contains("fork"));
    }
}
