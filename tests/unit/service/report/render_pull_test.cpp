#include "service/report/render/render_pull.hpp"

#include <catch2/catch.hpp>

#include "schema/text/escape.hpp"
#include "service/report/render/render_requested.hpp"
#include "tests/unit/service/report/hostile_texts.hpp"
#include "tests/unit/service/report/rendered.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

JudgedSeries judged(std::optional<Verdict> verdict, double ratio) {
    JudgedSeries series;
    series.id = SeriesId{3};
    series.benchmark = "mlp";
    series.variant = "train";
    series.machine_class = "xeon";
    series.metric = Metric::cpu_time_ns;
    series.unit = "ns";
    series.verdict = verdict;
    series.comparison = {1e7, 1e7 * (1 + ratio), ratio, ratio - 0.01, ratio + 0.01, 1, 8, 8};
    return series;
}

PullTold told(PullState state) {
    PullTold all;
    all.pull.number = 7;
    all.pull.head = Revision(std::string(40, 'a'));
    all.pull.base = Revision(std::string(40, 'b'));
    all.pull.state = state;
    RequestedFacts asked;
    asked.id = RequestId{5};
    asked.state = RequestState::done;
    asked.a = Revision(std::string(40, 'b'));
    asked.b = all.pull.head;
    asked.runs = 16;
    asked.series = {judged(Verdict::noise, 0.001)};
    all.asked = asked;
    return all;
}

}  // namespace

TEST_CASE("A fix is told by what comes back of each series", "[service][report]") {
    auto all = told(PullState::done);
    CHECK(fixed_words(all).empty());
    all.pull.fixes = RegressionId{4};
    CHECK(
        fixed_words(all) == "None of the series of regression 4, which it fixes, was judged.\n\n");
    ReportedSeries series;
    series.id = SeriesId{3};
    series.confirmed = judged(Verdict::regression, 0.124).comparison;
    all.fixes = {series};
    all.issue = "https://x.example/issues/12";
    all.asked->series = {judged(Verdict::improvement, 1 / 1.06 - 1)};
    CHECK_THAT(
        fixed_words(all),
        Contains("fixes [regression 4](https://x.example/issues/12).") &&
            Contains("on `xeon`: it brings back 6.0 of 12.4 %, a part"));
    all.asked->series = {judged(Verdict::noise, 0.001)};
    CHECK_THAT(fixed_words(all), Contains("it brings back nothing of 12.4 %"));
    all.issue = "javascript:alert(1)";
    CHECK_THAT(fixed_words(all), Contains("fixes regression 4."));
    CHECK_THAT(render_pull(all).comment, Contains("brings back nothing"));
}

TEST_CASE("A pull request's check run ends as its series do", "[service][report]") {
    auto all = told(PullState::done);
    const auto ends = [&] { return render_pull(all).status; };
    CHECK(ends() == "success");
    all.asked->series.push_back(judged(Verdict::improvement, -0.2));
    all.asked->series.push_back(judged(Verdict::drift, 0.04));
    CHECK(ends() == "success");
    all.asked->series.push_back(judged(std::nullopt, 0.05));
    CHECK(ends() == "neutral");
    all.asked->series.push_back(judged(Verdict::regression, 0.2));
    CHECK(ends() == "failure");
    CHECK(
        render_pull(all).title ==
        "1 of 5 series is worse; 1 is worse, not beyond the threshold; 1 is better; 1 is "
        "undecided");
    all.asked->series = {judged(Verdict::noise, 0)};
    all.asked->unjudged = {{SessionId{1}, "mlp", "infer", "xeon", "no value that is judged"}};
    CHECK(ends() == "neutral");
    std::swap(all.asked->unjudged, all.asked->broken);
    CHECK(ends() == "failure");
    CHECK(render_pull(all).title == "None of 1 series is worse; 1 variant does not run");
    all.pull.state = PullState::failed;  // where nothing else was measured
    CHECK(ends() == "failure");
    all.pull.state = PullState::done;
    all.asked->broken.clear();
    all.asked->series.clear();
    CHECK(ends() == "neutral");
    all.asked.reset();
    CHECK(ends() == "neutral");
}

TEST_CASE("A check run follows its commit", "[service][report]") {
    CHECK(render_pull(told(PullState::listing)).status == "queued");
    CHECK(render_pull(told(PullState::listing)).comment.empty());
    CHECK(render_pull(told(PullState::measuring)).status == "in_progress");
    for (const auto state : {PullState::held, PullState::failed, PullState::stopped}) {
        auto all = told(state);
        all.pull.message = "why";
        CHECK(render_pull(all).status == "neutral");
        CHECK_FALSE(render_pull(all).comment.empty());
    }
}

TEST_CASE("Long comparisons stay short", "[service][report]") {
    auto all = told(PullState::done);
    for (int i = 0; i < 500; ++i) {
        all.asked->series.push_back(judged(Verdict::regression, 0.2));
        all.asked->series.push_back(judged(Verdict::noise, 0));
        all.asked->unjudged.push_back(
            {SessionId{1}, "mlp", "infer", "xeon", std::string(4000, 'x')});
    }
    const auto texts = render_pull(all);
    CHECK(texts.comment.size() < 30'000);
    CHECK_THAT(texts.comment, Contains("And 490 more."));
}

TEST_CASE("No text of a stranger takes effect on a pull request", "[service][report]") {
    const auto say = [](const std::string& text) {
        std::vector<std::string> all;
        auto pull = told(PullState::done);
        pull.asked->series.front().benchmark = text;
        pull.asked->series.front().unit = text;
        pull.asked->unjudged = {{SessionId{1}, text, text, text, text}};
        pull.asked->broken = pull.asked->unjudged;
        all.push_back(render_pull(pull).comment);
        pull.pull.state = PullState::failed;
        pull.pull.message = text;
        all.push_back(render_pull(pull).comment);
        pull.asked->kind = RequestKind::bisection;
        pull.asked->message = text;
        all.push_back(render_requested(*pull.asked));
        for (auto& one : all) one = html_of(one);
        return all;
    };
    const auto plain = say("plain");
    for (const auto& text : hostile_texts()) {
        CAPTURE(text);
        const auto all = say(text);
        for (std::size_t i = 0; i < all.size(); ++i) {
            CHECK(signs_of_strangers(all[i]) == "");
            CHECK((tags_of(all[i]) == tags_of(plain[i]) || text::harmless(text).empty()));
        }
    }
}
