#include "service/pages/night_words.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace vigil::service;
using nlohmann::json;

namespace {

json night_of(const char* state, json jobs) {
    return {{"nightly", {{"state", state}, {"created_at_s", 1000}}}, {"jobs", std::move(jobs)}};
}

}  // namespace

TEST_CASE("A night that runs says how far it is and what is left", "[service][pages]") {
    const auto night = night_of("measuring", {{"done", 3}, {"queued", 5}, {"leased", 1}});
    const auto progress = night_progress(night, 1300);
    CHECK(progress.at("ended") == 3);
    CHECK(progress.at("all") == 9);
    CHECK(progress.at("left") == "about 10 min 00 s left");
    CHECK(night_progress(night_of("measuring", {{"queued", 5}}), 1300).at("left") == "");
    CHECK(night_progress(night_of("done", {{"done", 9}}), 1300).is_null());
    CHECK(night_progress(night_of("searching", json::object()), 1300).is_null());
}
