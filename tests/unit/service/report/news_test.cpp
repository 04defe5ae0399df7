#include "service/report/facts/news.hpp"

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::service;

namespace {

using S = RegressionState;

ToldFact told(S state, const std::string& culprit = "") {
    ToldFact fact;
    fact.state = state;
    if (!culprit.empty()) fact.culprit = Revision(std::string(40, culprit.front()));
    return fact;
}

ToldFact told(RegressionEnd ended_as) {
    auto fact = told(S::closed);
    fact.ended_as = ended_as;
    return fact;
}

}  // namespace

TEST_CASE("News is what people wait for, and nothing else", "[service][report]") {
    CHECK(news_of(std::nullopt, told(S::reported)) == News::found);
    CHECK(news_of(told(S::reported), told(S::reported)) == News::nothing);
    CHECK(news_of(told(S::reported), told(S::acknowledged)) == News::nothing);
    CHECK(news_of(told(S::reported), told(S::refuted)) == News::nothing);
    CHECK(news_of(told(S::reported), told(S::reported, "a")) == News::culprit);
    CHECK(news_of(told(S::reported, "a"), told(S::reported, "a")) == News::nothing);
    CHECK(news_of(told(S::reported, "a"), told(S::reported, "b")) == News::culprit);
    const auto recovered = told(RegressionEnd::recovered);
    CHECK(news_of(told(S::reported), recovered) == News::recovered);
    CHECK(news_of(told(S::acknowledged), recovered) == News::recovered);
    CHECK(news_of(recovered, recovered) == News::nothing);
    CHECK(news_of(told(S::reported), told(RegressionEnd::joined)) == News::nothing);
    CHECK(news_of(told(S::reported), told(RegressionEnd::not_reproduced)) == News::nothing);
    CHECK(news_of(recovered, told(S::reported)) == News::reopened);
    CHECK(news_of(told(S::accepted), told(S::reported)) == News::reopened);
    CHECK(news_of(told(S::reported), told(S::accepted)) == News::accepted);
    CHECK(news_of(told(S::accepted), told(S::accepted)) == News::nothing);
}

TEST_CASE("What an earlier Vigil told is no news", "[service][report]") {
    CHECK(news_of(ToldFact{}, told(S::closed, "a")) == News::nothing);
}
