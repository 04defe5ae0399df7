#include "schema/model/regression_words.hpp"

#include <algorithm>

#include "schema/model/error.hpp"

namespace vigil {

std::vector<std::string> regression_words() {
    std::vector<std::string> words{"open", "confirmed"};
    for (const auto& [state, name] : enum_names<RegressionState>) words.emplace_back(name);
    for (const auto& [end, name] : enum_names<RegressionEnd>) words.emplace_back(name);
    return words;
}

std::vector<std::string_view> stored_words(std::string_view word) {
    std::vector<std::string_view> stored;
    const bool asks_for_open = word == "open" || word == "confirmed";
    for (const auto& [state, name] : enum_names<RegressionState>) {
        if (name == word || (asks_for_open && is_open(state))) stored.push_back(name);
    }
    for (const auto& [end, name] : enum_names<RegressionEnd>) {
        if (name == word) stored.push_back(name);
    }
    if (!stored.empty()) return stored;
    std::string choices;
    for (const auto& known : regression_words()) choices += (choices.empty() ? "" : ", ") + known;
    throw Error(
        Errc::invalid_argument, "unknown state of a regression; the choices are " + choices);
}

std::string_view standing_word(RegressionState state, std::optional<RegressionEnd> ended_as) {
    return ended_as ? to_string(*ended_as) : to_string(state);
}

bool is_asked_for(
    const std::vector<std::string>& words,
    RegressionState state,
    std::optional<RegressionEnd> ended_as) {
    return std::any_of(words.begin(), words.end(), [&](const auto& word) {
        const auto stored = stored_words(word);
        const auto has = [&](std::string_view name) {
            return std::find(stored.begin(), stored.end(), name) != stored.end();
        };
        return has(to_string(state)) || (ended_as && has(to_string(*ended_as)));
    });
}

}  // namespace vigil
