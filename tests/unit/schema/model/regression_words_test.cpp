#include "schema/model/regression_words.hpp"

#include <catch2/catch.hpp>

using namespace vigil;
using StoredWords = std::vector<std::string_view>;

TEST_CASE("A word stands for the states or the end that are stored", "[schema][model]") {
    CHECK(stored_words("reported") == StoredWords{"reported"});
    CHECK(stored_words("recovered") == StoredWords{"recovered"});
    CHECK(stored_words("not_reproduced") == StoredWords{"not_reproduced"});
    CHECK(
        stored_words("open") ==
        StoredWords{"searching", "attributed", "range", "reported", "acknowledged"});
    CHECK(stored_words("confirmed") == stored_words("open"));
    for (const auto& word : regression_words()) CHECK_FALSE(stored_words(word).empty());
    for (const auto* unknown : {"", "Open", "reported,range", "closed "}) {
        CHECK_THROWS_AS(stored_words(unknown), Error);
    }
}

TEST_CASE("A closed regression is asked for by its state and by how it ended", "[schema][model]") {
    const auto closed = RegressionState::closed;
    const auto lost = RegressionEnd::not_reproduced;
    CHECK(is_asked_for({"closed"}, closed, lost));
    CHECK(is_asked_for({"open", "not_reproduced"}, closed, lost));
    CHECK_FALSE(is_asked_for({"recovered", "open"}, closed, lost));
    CHECK_FALSE(is_asked_for({}, closed, lost));
    CHECK(is_asked_for({"confirmed"}, RegressionState::range, std::nullopt));
    CHECK(standing_word(closed, lost) == "not_reproduced");
    CHECK(standing_word(RegressionState::range, std::nullopt) == "range");
}
