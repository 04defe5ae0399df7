#pragma once

#include <string>

namespace vigil::text {

/// Words that begin a sentence: their first letter is a capital where it is one of ASCII's.
inline std::string with_capital(std::string words) {
    if (!words.empty() && words.front() >= 'a' && words.front() <= 'z') {
        words.front() = static_cast<char>(words.front() - 'a' + 'A');
    }
    return words;
}

}  // namespace vigil::text
