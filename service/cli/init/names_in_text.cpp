#include "service/cli/init/names_in_text.hpp"

#include <cctype>
#include <utility>

#include "schema/text/characters.hpp"

namespace vigil::cli {

namespace {

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

}  // namespace

bool RestOfText::take(std::string_view part) {
    if (!rest_.starts_with(part)) return false;
    rest_.remove_prefix(part.size());
    return true;
}

void RestOfText::skip_blanks() {
    for (std::size_t i = 0; i < longest_name && !rest_.empty(); ++i) {
        if (std::isspace(static_cast<unsigned char>(rest_.front())) == 0) return;
        rest_.remove_prefix(1);
    }
}

std::string RestOfText::name(std::string_view more) {
    std::size_t size = 0;
    while (size < rest_.size() && size <= longest_name &&
           (is_word(rest_[size]) || more.find(rest_[size]) != more.npos)) {
        ++size;
    }
    const std::string name(rest_.substr(0, size > longest_name ? 0 : size));
    rest_.remove_prefix(size);
    return name;
}

std::vector<std::string> names_at(
    std::string_view text,
    std::string_view word,
    const std::function<std::string(RestOfText, std::size_t)>& read) {
    std::vector<std::string> found;
    for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
        if (at > 0 && is_word(text[at - 1]) && is_word(word.front())) continue;
        auto name = read(RestOfText(text.substr(at)), at);
        if (!name.empty()) found.push_back(std::move(name));
    }
    return found;
}

std::vector<std::string> first_arguments(
    std::string_view text, std::string_view function, std::string_view quote, Letters letters) {
    const bool folds = letters == Letters::of_any_case;
    const std::string folded = folds ? text::lower_case(text) : "";
    const auto seen = folds ? std::string_view(folded) : text;
    return names_at(seen, function, [&](RestOfText, std::size_t at) -> std::string {
        RestOfText rest(text.substr(at + function.size()));
        rest.skip_blanks();
        if (!rest.take("(")) return "";
        rest.skip_blanks();
        if (!rest.take(quote)) return "";
        auto name = rest.name(".+-");
        return rest.take(quote) ? name : "";
    });
}

}  // namespace vigil::cli
