#include "service/report/render/render_night.hpp"

#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "service/report/facts/night_headline.hpp"
#include "tests/unit/service/report/example_facts.hpp"
#include "tests/unit/service/report/golden.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

NightFacts quiet_night() {
    NightFacts facts;
    facts.marker = "<!-- vigil:night:0f3a9c1b22de:6:9d3a60f2c4b81e75a2c07d5e2f49b186 -->";
    facts.id = NightlyId{6};
    facts.links = example_links();
    facts.project = "tensorlab";
    facts.version = "2026-11-20";
    facts.name = "2026-11-20";
    facts.revision = example_revision(24);
    facts.state = NightlyState::done;
    facts.started_at_s = 1'795'229'100;
    facts.ended_at_s = facts.started_at_s + 4000;
    facts.work[Purpose::nightly] = {{{JobState::done, 8}}, 24, 2210, {{Outcome::passed, 24}}};
    facts.measured_series = 16;
    facts.compared_series = 16;
    return facts;
}

std::vector<NightRegressionFact> busy_regressions() {
    std::vector<NightRegressionFact> regressions{
        {RegressionId{8},
         RegressionState::reported,
         std::nullopt,
         "tensorlab: mlp/train-cpu CPU time +18.3 %",
         example_revision(15),
         true,
         false,
         "2026-11-20"},
        {RegressionId{5},
         RegressionState::acknowledged,
         std::nullopt,
         "tensorlab: conv/infer wall time +9.1 %",
         std::nullopt,
         false,
         false,
         "2026-11-17"},
        {RegressionId{3},
         RegressionState::closed,
         RegressionEnd::recovered,
         "tensorlab: gru/infer CPU time +12.0 %",
         std::nullopt,
         false,
         true,
         "2026-11-12"}};
    regressions[2].fixes = {{}};
    regressions[2].fixes[0].told =
        Fix{.by = history::FixedBy::revert, .revision = example_revision(51)};
    return regressions;
}

/// One that is still searched, and one whose search of the night before has ended.
std::vector<NightImprovement> two_improvements() {
    NightImprovement searched;
    searched.benchmark = "gru";
    searched.variant = "infer";
    searched.machine_class = "xeon";
    searched.metric = Metric::cpu_time_ns;
    searched.confirmed.change_ratio = -0.2;
    searched.confirmed.low = -0.21;
    searched.confirmed.high = -0.19;
    searched.night = "2026-11-20";
    searched.others = 3;
    searched.request = RequestId{12};
    searched.is_searched = true;
    auto found = searched;
    found.night = "2026-11-19";
    found.others = 0;
    found.is_searched = false;
    found.culprit = example_revision(15);
    found.subject = "Skip the last layer";
    found.verified = found.confirmed;
    found.verified.runs_after = 8;
    return {searched, found};
}

NightFacts busy_night() {
    NightFacts facts = quiet_night();
    facts.work[Purpose::confirm] = {{{JobState::done, 9}}, 36, 1900};
    facts.work[Purpose::probe] = {{{JobState::done, 6}, {JobState::parked, 1}}, 24, 3000};
    facts.work[Purpose::nightly].outcomes[Outcome::oom] = 1;
    facts.same_revision_as = "2026-11-19";
    facts.regressions = busy_regressions();
    facts.changes = {
        {"mlp", "train-cpu", "xeon", Metric::cpu_time_ns, Verdict::regression, 0.183},
        {"conv", "infer", "xeon", Metric::peak_process_bytes, Verdict::noise, 0.081},
        {"gru", "infer", "xeon", Metric::cpu_time_ns, Verdict::improvement, -0.11},
        {"gru", "train", "xeon", Metric::cpu_time_ns, std::nullopt, 0.075}};
    facts.drifts = {
        {"mlp", "infer", "xeon", Metric::cpu_time_ns, "history", "2026-11-14", 0.031, 0.024, 0.038},
        {"@everyone <b>",
         "a|b",
         "xeon",
         Metric::cpu_time_ns,
         "creep",
         "2026-11-02",
         0.06,
         0.05,
         0.066}};
    facts.improvements = two_improvements();
    facts.storms = {
        {"xeon-1",
         StormState::environment,
         200,
         41,
         0.09,
         196,
         "the old builds of 8 of 8 series moved too, in the middle by +9.00 %, 98 % of the night's "
         "move"},
        {"`@everyone`<b>", StormState::checking, 30, 9, 0.1, 0, ""}};
    facts.missing = {
        {"job 41 (probe) parked", "3 attempts were lost on 2 workers"},
        {"attention (train-cpu) on xeon: 1 of its runs oom", "`killed` @everyone <b>"}};
    return facts;
}

NightFacts broken_night() {
    NightFacts facts = quiet_night();
    facts.state = NightlyState::failed;
    facts.message = "its build failed: command 1 (make): exit code 2: shape.h: no such file";
    facts.work[Purpose::probe] = {{{JobState::done, 8}}, 0, 900};
    facts.measured_series = 0;
    facts.work[Purpose::nightly].outcomes.clear();
    facts.missing = {{"build of 8f6d4b2907", "command 1 (make): exit code 2"}};
    BreakageFact breakage;
    breakage.bisection = BisectionId{4};
    breakage.state = BisectionState::done;
    breakage.culprit = example_revision(15);
    breakage.subject = "Use `Shape` @everyone fixes #1";
    breakage.author = "Author Two <b>";
    breakage.bad = facts.revision;
    breakage.good = example_revision(0);
    breakage.good_night = "2026-11-19";
    breakage.commits = 70;
    breakage.builds = 8;
    breakage.conclusion.summary = "its parent is built, it failed 2 times; 8 builds";
    breakage.log_tail =
        "cc -c add.c\nadd.c:3: fatal error: shape.h: no such file\n```\n@everyone <!-- x -->\n";
    facts.breakage = breakage;
    return facts;
}

}  // namespace

TEST_CASE("A night whose project spent its machine hours says so", "[service][report]") {
    auto facts = quiet_night();
    CHECK(render_night(facts).body.find("Machine hours of the project") == std::string::npos);
    facts.budget_days = {{"2026-11-20", 4 * 3600 + 60, 4 * 3600}};
    CHECK(
        render_night(facts).body.find(
            "Machine hours of the project by day (UTC): 2026-11-20 4 h 01 min of 4 h (spent: work "
            "waited for the next day).") != std::string::npos);
}

TEST_CASE("A night that does not build names the commit and its log", "[service][report]") {
    NightFacts facts = broken_night();
    const Document document = render_night(facts);
    CHECK(
        document.title ==
        "tensorlab night 2026-11-20: does not build since " + example_revision(15).brief());
    CHECK(document.body == golden("night_broken.md", document.body));
    for (const auto* sign : {"@everyone", "#1", "<b>", "<!-- x"}) {
        CAPTURE(sign);
        CHECK(document.body.find(sign) == std::string::npos);
    }
    facts.breakage->log_tail = std::string(100, '\n') + std::string(100'000, 'x');
    CHECK(render_night(facts).body.size() < document.body.size() + 1000);
    facts.breakage->log_tail.clear();
    CHECK(render_night(facts).body.find("log of its build is gone") != std::string::npos);
}

TEST_CASE("A broken build whose commit is not named says why", "[service][report]") {
    NightFacts facts = broken_night();
    facts.breakage->culprit.reset();
    facts.breakage->conclusion.summary = "the nightly is built when it is tried again; 1 build";
    const Document document = render_night(facts);
    CHECK(document.title == "tensorlab night 2026-11-20: nothing measured");
    CHECK(document.body.find("no commit is named: the nightly is built") != std::string::npos);
    CHECK(document.body.find("does not build since") == std::string::npos);
}

TEST_CASE("A quiet night says all clear aloud", "[service][report]") {
    const Document document = render_night(quiet_night());
    CHECK(document.title == "tensorlab night 2026-11-20: all clear");
    CHECK(document.body.find("all clear") < document.body.find('\n'));
    CHECK(document.body == golden("night_quiet.md", document.body));
}

TEST_CASE("A night in which nothing was compared is not all clear", "[service][report]") {
    NightFacts facts = quiet_night();
    facts.compared_series = 0;
    facts.first_series = 16;
    const auto first = render_night(facts);
    CHECK_FALSE(headline_of(facts).standing == NightStanding::all_clear);
    CHECK(first.title == "tensorlab night 2026-11-20: nothing to compare with");
    CHECK(first.body.find("all clear") == std::string::npos);
    CHECK(first.body.find("no series looked worse") == std::string::npos);
    CHECK(
        first.body.find("nothing was compared, 16 series in 24 runs: 16 measured for the first "
                        "time.") != std::string::npos);
    facts.compared_series = 12;
    facts.first_series = 3;
    CHECK(headline_of(facts).standing == NightStanding::all_clear);
    CHECK(
        render_night(facts).body.find(
            "all clear, 12 of 16 series compared in 24 runs, 3 measured for the first time, 1 with "
            "nothing to compare with.") != std::string::npos);
    facts.missing = {{"job 41 (nightly) failed", "no disk"}};
    CHECK_FALSE(headline_of(facts).standing == NightStanding::all_clear);
    CHECK(
        render_night(facts).body.find("1 thing is missing; 12 of 16 series compared") !=
        std::string::npos);
}

TEST_CASE("A night that is still running is not all clear", "[service][report]") {
    NightFacts facts = quiet_night();
    facts.state = NightlyState::measuring;
    facts.ended_at_s = 0;
    facts.compared_series.reset();
    CHECK_FALSE(headline_of(facts).standing == NightStanding::all_clear);
    CHECK(render_night(facts).title == "tensorlab night 2026-11-20: running");
    CHECK(render_night(facts).body.find("all clear") == std::string::npos);
}

TEST_CASE("A busy night reads as the golden file", "[service][report]") {
    const Document document = render_night(busy_night());
    CHECK(document.title == "tensorlab night 2026-11-20: 2 open, 1 new, 2 missing");
    CHECK(document.body == golden("night_busy.md", document.body));
    CHECK(document.body.find("@everyone") == std::string::npos);
    CHECK(document.body.find("<b>") == std::string::npos);
}

TEST_CASE("A night with something missing is never called all clear", "[service][report]") {
    NightFacts facts = quiet_night();
    facts.missing = {{"job 41 (nightly) failed", "no disk"}};
    CHECK(render_night(facts).body.find("all clear") == std::string::npos);
    CHECK(render_night(facts).title == "tensorlab night 2026-11-20: 1 missing");
    facts = quiet_night();
    facts.measured_series = 0;
    CHECK(render_night(facts).body.find("all clear") == std::string::npos);
    facts = quiet_night();
    facts.state = NightlyState::failed;
    facts.message = "the build failed";
    CHECK(render_night(facts).body.find("all clear") == std::string::npos);
    CHECK(
        render_night(facts).body.find("it was not judged: the build failed") != std::string::npos);
    facts.measured_series = 0;
    CHECK(
        render_night(facts).body.find("nothing could be measured: the build failed") !=
        std::string::npos);
}

TEST_CASE("A withdrawn night says by whom and why, and is never all clear", "[service][report]") {
    NightFacts facts = quiet_night();
    facts.withdrawn = "withdrawn by ada: wrong driver, see <b>#12</b>";
    const Document document = render_night(facts);
    CHECK_FALSE(headline_of(facts).standing == NightStanding::all_clear);
    CHECK(document.title == "tensorlab night 2026-11-20: withdrawn");
    CHECK(document.body.find("withdrawn by ada: wrong driver") != std::string::npos);
    CHECK(document.body.find("nothing is judged by it") != std::string::npos);
    CHECK(document.body.find("all clear") == std::string::npos);
    CHECK(document.body.find("<b>") == std::string::npos);
    facts.regressions = busy_night().regressions;
    CHECK(headline_of(facts).words == "withdrawn, 2 open");
    CHECK(
        render_night(facts).body.find("nothing is judged by it; 2 regressions open") !=
        std::string::npos);
}

TEST_CASE("What is measured beside the nights says so, and its values", "[service][report]") {
    NightFacts facts = quiet_night();
    facts.beside = "not newer than nightly 5 (2026-11-19)";
    facts.compared_series.reset();
    facts.values = {{"mlp", "infer", "xeon", Metric::cpu_time_ns, 12'300'000, 3}};
    const Document document = render_night(facts);
    CHECK_FALSE(headline_of(facts).standing == NightStanding::all_clear);
    CHECK(document.title == "tensorlab night 2026-11-20: measured beside the nights");
    CHECK(document.body.find("all clear") == std::string::npos);
    CHECK(document.body.find("no series looked worse") == std::string::npos);
    CHECK(
        document.body.find("measured beside the nights: not newer than nightly 5 (2026-11-19); "
                           "nothing was judged; 16 series measured") != std::string::npos);
    CHECK(document.body.find("| 12.30 ms | 3 |") != std::string::npos);
}

TEST_CASE("A night's summary shows no path of the server", "[service][report]") {
    NightFacts facts = broken_night();
    facts.message = "quarantined: its step failed: opening /var/lib/vigil/content/a: no such file";
    facts.missing = {
        {"build of 8f6d4b2907", "listing in /var/lib/vigil/git/a.git: it is gone"},
        {"mlp (train) on xeon: 1 of its runs failed", "/build/mlp.py:7: no GPU", true}};
    facts.lost = {{"w1", 1, "its folder /srv/worker cannot be cleared"}};
    facts.breakage->culprit.reset();
    facts.breakage->conclusion.summary = "its step failed: opening '/var/lib/vigil/content/b'";
    std::string body = render_night(facts).body;
    CHECK(body.find("/var") == std::string::npos);
    CHECK(body.find("/srv") == std::string::npos);
    CHECK(body.find("it is gone") != std::string::npos);
    // What a build or a run said of a file in the worker's sandbox tells where to look.
    CHECK(body.find("/build/mlp.py:7: no GPU") != std::string::npos);
    facts.message = "its build failed: /build/main.cpp:7: error";
    CHECK(render_night(facts).body.find("/build/main.cpp:7") != std::string::npos);
}

TEST_CASE(
    "A night whose suspicions nobody can measure again is not all clear", "[service][report]") {
    NightFacts facts = quiet_night();
    facts.changes.push_back(
        {"mlp", "infer", "xeon", Metric::cpu_time_ns, Verdict::unconfirmed, 3.69});
    const Document document = render_night(facts);
    CHECK(headline_of(facts).standing == NightStanding::incomplete);
    CHECK(document.title == "tensorlab night 2026-11-20: 1 not confirmed");
    CHECK(
        document.body.find("nothing is open, but 1 suspicion could not be measured again;") !=
        std::string::npos);
    CHECK(document.body.find("all clear") == std::string::npos);
}

TEST_CASE("A night that had no runs for a suspicion is not all clear", "[service][report]") {
    NightFacts facts = quiet_night();
    NightChangeFact waits{"mlp", "infer", "xeon", Metric::cpu_time_ns, Verdict::watch, 0.09};
    waits.waits = "number 1 of 1 that wait: 24 of the night's 24 runs are taken";
    facts.changes.push_back(waits);
    Document document = render_night(facts);
    CHECK(document.title == "tensorlab night 2026-11-20: 1 waiting");
    CHECK(document.body.find("all clear") == std::string::npos);
    CHECK(
        document.body.find("nothing is open, but 1 suspicion waits for the next night's runs") !=
        std::string::npos);
    CHECK(document.body.find("| +9.0 % by the night alone | waits |") != std::string::npos);
    CHECK(document.body.find("What waits: number 1 of 1 that wait: 24 of") != std::string::npos);
    facts = busy_night();
    facts.changes.push_back(waits);
    document = render_night(facts);
    CHECK(document.title == "tensorlab night 2026-11-20: 2 open, 1 new, 2 missing, 1 waiting");
    CHECK(document.body.find("missing, and 1 suspicion waits for the next") != std::string::npos);
}

TEST_CASE("A night with very many troubles still fits into one issue", "[service][report]") {
    NightFacts facts = busy_night();
    facts.missing.assign(5000, {std::string(500, 'w'), std::string(5000, 'y')});
    facts.changes.assign(5000, facts.changes.front());
    facts.drifts.assign(5000, facts.drifts.front());
    facts.regressions.assign(5000, facts.regressions.front());
    const Document document = render_night(facts);
    CHECK(document.body.size() <= max_body_bytes);
    CHECK(document.body.find("and 4940 more") != std::string::npos);
    CHECK(document.body.ends_with(facts.marker + "\n"));
}

TEST_CASE(
    "A summary lists what moved tonight, and of what was open before only the newest",
    "[service][report]") {
    NightFacts facts = quiet_night();
    const auto busy = busy_regressions();
    auto old = busy[1];
    for (int id = 2000; id > 1000; --id) {
        old.id = RegressionId{id};
        facts.regressions.push_back(old);
    }
    facts.regressions.insert(facts.regressions.end(), busy.begin(), busy.end());
    const auto body = render_night(facts).body;
    const auto place = [&](int id) { return body.find(fmt::format("- [{}](", id)); };
    CHECK(place(8) < place(3));
    CHECK(place(3) < place(2000));
    CHECK(place(1981) != std::string::npos);
    CHECK(place(1980) == std::string::npos);
    CHECK(
        body.find(
            "- and [981 more](https://vigil.example/regressions?project=tensorlab&state=open) "
            "that were open before this night\n") != std::string::npos);
    CHECK(render_night(facts).title == "tensorlab night 2026-11-20: 1002 open, 1 new");
    facts.regressions.resize(500);
    CHECK(body.size() - render_night(facts).body.size() < 1000);
}
