#include "schema/model/by_hand.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace vigil;
using State = RegressionState;

namespace {

std::vector<State> sources_of(State to) {
    std::vector<State> sources;
    for (const auto& [from, name] : enum_names<State>) {
        if (may_move_by_hand(from, to)) sources.push_back(from);
    }
    return sources;
}

}  // namespace

TEST_CASE("A person acknowledges what was filed, and nothing else", "[schema][model]") {
    CHECK(sources_of(State::acknowledged) == std::vector{State::reported});
}

TEST_CASE("A person accepts or refutes what was filed or acknowledged", "[schema][model]") {
    const std::vector filed{State::reported, State::acknowledged};
    CHECK(sources_of(State::accepted) == filed);
    CHECK(sources_of(State::refuted) == filed);
}

TEST_CASE("A person takes back every end of what may have been filed", "[schema][model]") {
    CHECK(
        sources_of(State::reported) == std::vector{State::accepted, State::refuted, State::closed});
}

TEST_CASE("No other state is set by hand", "[schema][model]") {
    for (const auto to : {State::searching, State::attributed, State::range, State::closed}) {
        CHECK(sources_of(to).empty());
    }
}
