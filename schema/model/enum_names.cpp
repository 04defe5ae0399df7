#include "schema/model/enum_names.hpp"

namespace vigil::detail {

std::string words_of_name(std::string_view name) {
    std::string words;
    for (const char letter : name) {
        const bool upper = letter >= 'A' && letter <= 'Z';
        if (upper && !words.empty()) words += ' ';
        words += upper ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
    return words;
}

}  // namespace vigil::detail
