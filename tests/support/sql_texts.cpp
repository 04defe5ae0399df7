#include "tests/support/sql_texts.hpp"

#include <algorithm>
#include <optional>
#include <regex>

#include "service/store/named_states.hpp"
#include "tests/support/plans.hpp"
#include "tests/tidy/tree.hpp"

namespace vigil::tests {

namespace {

struct Literal {
    std::size_t begin = 0;
    std::size_t end = 0;  ///< behind its last quote
    std::string text;
};

std::string unescaped(const std::string& text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '\\' || at + 1 == text.size()) {
            out += text[at];
            continue;
        }
        ++at;
        out += text[at] == 'n' ? '\n' : text[at];
    }
    return out;
}

// The literal whose first quote is at `quote`. In `code` the insides are blank, so that the next
// quote is its last; a raw one keeps its mark in the text.
Literal read_literal(const tidy::SourceFile& source, std::size_t quote) {
    const auto last = source.code.find('"', quote + 1);
    const auto inside = source.text.substr(quote + 1, last - quote - 1);
    if (quote == 0 || source.code[quote - 1] != 'R') return {quote, last + 1, unescaped(inside)};
    const auto open = inside.find('(');
    const auto close = inside.rfind(')');
    return {quote - 1, last + 1, inside.substr(open + 1, close - open - 1)};
}

std::vector<Literal> list_literals(const tidy::SourceFile& source) {
    std::vector<Literal> literals;
    for (auto at = source.code.find('"'); at != std::string::npos;
         at = source.code.find('"', literals.back().end)) {
        auto next = read_literal(source, at);
        if (!literals.empty()) {
            auto& before = literals.back();
            const auto between = source.code.substr(before.end, next.begin - before.end);
            if (between.find_first_not_of(" \n") == std::string::npos) {
                before.text += next.text;
                before.end = next.end;
                continue;
            }
        }
        literals.push_back(std::move(next));
    }
    return literals;
}

bool is_sql(const std::string& text) {
    static const std::regex words(
        R"((^|\W)(SELECT|FROM|WHERE|JOIN|ORDER BY|INSERT INTO|UPDATE|DELETE FROM|AND EXISTS)\s)");
    return std::regex_search(text, words);
}

bool begins_statement(const std::string& text) {
    static const std::regex words(R"(^\s*(SELECT|INSERT|UPDATE|DELETE|WITH|REPLACE)\s)");
    return std::regex_search(text, words);
}

// Whether it is the value of a constant, or something is put before or behind it.
bool is_joined(const std::string& code, const Literal& literal) {
    const auto before = code.find_last_not_of(" \n", literal.begin - 1);
    const auto behind = code.find_first_not_of(" \n", literal.end);
    return code[before] == '=' || code[before] == '+' || code[behind] == '+';
}

}  // namespace

std::vector<SqlText> list_sql(const std::string& folder) {
    std::vector<SqlText> found;
    const Plans plans;
    for (const auto* source : tidy::product_sources()) {
        if (!source->is_in(folder)) continue;
        for (const auto& literal : list_literals(*source)) {
            if (!is_sql(literal.text)) continue;
            const auto text = service::with_named_states(literal.text);
            const auto line = 1 + std::count(
                                      source->text.begin(),
                                      source->text.begin() + static_cast<long>(literal.begin),
                                      '\n');
            const bool whole =
                begins_statement(text) && plans.prepares(text) && !is_joined(source->code, literal);
            found.push_back({source->name, static_cast<std::size_t>(line), text, !whole});
        }
    }
    return found;
}

}  // namespace vigil::tests
