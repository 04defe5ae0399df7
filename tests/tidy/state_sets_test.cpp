// A set of states is written once, in schema/model, and everything else asks for it by its name.

#include "schema/model/state_sets.hpp"

#include <map>
#include <regex>

#include <catch2/catch.hpp>

#include "schema/model/allocation.hpp"
#include "schema/model/storm.hpp"
#include "tests/tidy/tree.hpp"

using namespace vigil;
using namespace vigil::tidy;

namespace {

using Words = std::set<std::string>;

template <NamedEnum State>
Words words_of(bool (*is_in_set)(State) = [](State) { return true; }) {
    Words words;
    for (const auto& [state, name] : enum_names<State>) {
        if (is_in_set(state)) words.insert(std::string(name));
    }
    return words;
}

Words quoted(const std::string& text, const std::regex& word) {
    Words words;
    for (std::sregex_iterator one(text.begin(), text.end(), word), end; one != end; ++one) {
        words.insert((*one)[1]);
    }
    return words;
}

/// The enums of states, verdicts and purposes that code and SQL share.
const std::vector<Words>& all_states() {
    static const std::vector<Words> all{
        words_of<JobState>(),
        words_of<NightlyState>(),
        words_of<BackfillState>(),
        words_of<RequestState>(),
        words_of<BisectionState>(),
        words_of<RegressionState>(),
        words_of<PullState>(),
        words_of<MissedState>(),
        words_of<CanaryState>(),
        words_of<StormState>(),
        words_of<AllocationState>(),
        words_of<FixState>(),
        words_of<Verdict>(),
        words_of<Purpose>()};
    return all;
}

bool is_set_of_states(const Words& words) {
    if (words.size() < 2) return false;
    return std::ranges::any_of(
        all_states(), [&](const Words& states) { return std::ranges::includes(states, words); });
}

/// Sets of states written by hand in C++: `state IN ('queued', 'leased')` in its SQL,
/// `state == "queued" || state == "leased"` and `{"queued", "leased"}` beside it.
std::vector<std::string> list_by_hand(std::string text) {
    static const std::regex broken(R"("\s*")");  // one literal goes on in the next line
    static const std::regex in_sql(
        R"((state|outcome|verdict|purpose)\s+(NOT\s+)?IN\s*\(\s*'[^)]*\))");
    static const std::regex listed(R"(\{\s*"\w+"(\s*,\s*"\w+")+\s*\})");
    static const std::regex compared(R"re([!=]= "\w+"(\s*(\|\||&&)[^";|&]*[!=]= "\w+")+)re");
    static const std::regex sql_word(R"('(\w+)')");
    static const std::regex word(R"re("(\w+)")re");
    std::vector<std::string> found;
    const auto look = [&](const std::string& in, const std::regex& list, const auto& is_hit) {
        for (std::sregex_iterator one(in.begin(), in.end(), list), end; one != end; ++one) {
            if (is_hit(one->str())) found.push_back(one->str());
        }
    };
    look(text, listed, [](const auto& hit) { return is_set_of_states(quoted(hit, word)); });
    look(text, compared, [](const auto& hit) { return is_set_of_states(quoted(hit, word)); });
    look(std::regex_replace(text, broken, ""), in_sql, [](const auto& hit) {
        return !quoted(hit, sql_word).empty();
    });
    return found;
}

/// What the ledger's schema lists for `column` of the table or partial index that `begin` opens.
Words listed_in_schema(const std::string& begin, const std::string& column) {
    for (const auto& source : all_sources()) {
        if (!source.is_in("schema/sql/ledger")) continue;
        const auto at = source.text.find(begin);
        if (at == std::string::npos) continue;
        const auto list = source.text.find(column + " IN (", at);
        const auto end = source.text.find(')', list);
        if (list >= source.text.find(";\n", at)) return {};
        static const std::regex word(R"('(\w+)')");
        return quoted(source.text.substr(list, end - list), word);
    }
    return {};
}

}  // namespace

TEST_CASE("A set of states is written once", "[tidy]") {
    std::size_t files = 0;
    for (const auto* source : product_sources()) {
        CAPTURE(source->name);
        CHECK(list_by_hand(source->text) == std::vector<std::string>{});
        ++files;
    }
    CHECK(files > 500);
}

TEST_CASE("Sets of states written by hand are found", "[tidy]") {
    CHECK(list_by_hand("db(\"AND j.state IN ('queued', \"\n  \"'leased') LIMIT 1\")").size() == 1);
    CHECK(list_by_hand("\"r.outcome NOT IN ('passed')\"").size() == 1);
    CHECK(list_by_hand("\"u.verdict IN ('noise', 'watch')\"").size() == 1);
    CHECK(list_by_hand("verdict == \"regression\" || verdict == \"drift\"").size() == 1);
    CHECK(list_by_hand("x = state == \"done\" || state == \"failed\";").size() == 1);
    CHECK(list_by_hand("for (auto s : {\"measuring\", \"confirming\"}) {}").size() == 1);
    CHECK(list_by_hand("\"state IN {open_jobs}\"; x = {\"done\", \"recovered\"};").empty());
    CHECK(list_by_hand("if (state == \"done\") return; if (word == \"failed\") {}").empty());
}

TEST_CASE("The ledger accepts the states that the code knows", "[tidy]") {
    const std::map<std::string, Words> tables{
        {"job", words_of<JobState>()},
        {"nightly", words_of<NightlyState>()},
        {"suspicion", words_of<SuspicionState>()},
        {"regression", words_of<RegressionState>()},
        {"backfill", words_of<BackfillState>()},
        {"bisection", words_of<BisectionState>()},
        {"request", words_of<RequestState>()},
        {"pull", words_of<PullState>()},
        {"missed", words_of<MissedState>()},
        {"canary_check", words_of<CanaryState>()},
        {"storm", words_of<StormState>()},
        {"mending", words_of<FixState>()}};
    for (const auto& [table, states] : tables) {
        CAPTURE(table);
        CHECK(listed_in_schema("CREATE TABLE " + table + " (", "state") == states);
    }
    CHECK(listed_in_schema("CREATE TABLE run (", "outcome") == words_of<Outcome>());
    CHECK(listed_in_schema("CREATE TABLE suspicion (", "verdict") == words_of<Verdict>());
    CHECK(listed_in_schema("CREATE TABLE job (", "purpose") == words_of<Purpose>());
    const std::map<std::string, Words> indexes{
        {"nightly_open", words_of<NightlyState>(is_open)},
        {"request_open", words_of<RequestState>(is_open)},
        {"backfill_open", words_of<BackfillState>(is_open)},
        {"pull_open", words_of<PullState>(is_under_way)}};
    for (const auto& [index, states] : indexes) {
        CAPTURE(index);
        CHECK(listed_in_schema("INDEX " + index + " ", "state") == states);
    }
}
