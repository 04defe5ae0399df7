#include "schema/text/escape.hpp"

#include <algorithm>
#include <cctype>

#include "schema/text/characters.hpp"

namespace vigil::text {

namespace {

/// What stands for a sign that a tracker, Markdown or HTML would act on.
char32_t powerless(char32_t c) {
    switch (c) {
        case '@': return 0xFF20;
        case '#': return 0xFF03;
        case '<': return 0xFF1C;
        case '>': return 0xFF1E;
        case '`': return '\'';
        case '|': return 0xA6;
        case '\\': return 0xFF3C;
        case '*': return 0x2217;
        case '~': return 0x223C;
        case '&': return 0xFF06;
        default: return c;
    }
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

/// What makes links, also in places where a code span is not honoured.
void break_links(std::string& text) {
    replace_all(text, "://", "\uFF1A//");
    replace_all(text, "www.", "www\uFF0E");
    replace_all(text, "WWW.", "WWW\uFF0E");
    replace_all(text, "](", "\uFF3D(");
    replace_all(text, "][", "\uFF3D[");
    replace_all(text, "]:", "\uFF3D:");
    replace_all(text, "GH-", "GH\u2011");
    replace_all(text, "gh-", "gh\u2011");
}

void append_hex(std::string& out, std::string_view bytes) {
    static constexpr std::string_view digits = "0123456789abcdef";
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    }
}

/// Signs that mean something in some places only: those that begin a list or underline a heading at
/// the start of a line, and those that make a link or a picture of a word.
bool is_markup_here(std::string_view text, std::size_t at) {
    const std::string_view before = text.substr(0, at);
    const auto word = before.substr(before.find_last_of(" \t\n") + 1);
    const auto line = before.substr(before.find_last_of('\n') + 1);
    const bool is_first = line.find_first_not_of(" \t") == line.npos;
    const bool numbers = !word.empty() && word.find_first_not_of("0123456789") == word.npos &&
                         line.find_first_not_of(" \t") == line.size() - word.size();
    const char next = at + 1 < text.size() ? text[at + 1] : ' ';
    switch (text[at]) {
        case '-':
        case '+': return is_first && (next == ' ' || next == '\n' || next == text[at]);
        case '=': return is_first;
        case ')': return numbers;
        case '.': return numbers || word.ends_with("www") || word.ends_with("WWW");
        case ':':
            return next == '/' || next == '+' || next == '-' || std::isalpha(next & 0x7f) != 0;
        case '!': return next == '[';
        default: return false;
    }
}

/// It is shown as what it is: neither hidden nor a space that looks like another.
bool is_plain(const Character& c) {
    return c.is_sound && !is_hidden(c.code) && (c.code == ' ' || !is_space(c.code));
}

}  // namespace

std::string html(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            case '\'': out += "&#39;"; break;
            default: out += c;
        }
    }
    return out;
}

std::string markdown(std::string_view text) {
    static constexpr std::string_view markup = "\\`*_[]>|~$";
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        switch (c) {
            case '@': out += "&#64;"; break;  // a backslash does not stop a mention
            case '#': out += "&#35;"; break;
            case '<': out += "&lt;"; break;
            case '&': out += "&amp;"; break;
            default:
                if (markup.find(c) != markup.npos || is_markup_here(text, i)) out += '\\';
                out += c;
        }
    }
    return out;
}

std::string harmless(std::string_view text, std::size_t limit) {
    std::string out;
    std::size_t characters = 0;
    bool gap = false;
    while (!text.empty()) {
        const auto c = first_character(text);
        text.remove_prefix(c.bytes);
        if (is_space(c.code)) {
            gap = !out.empty();
            continue;
        }
        if (is_hidden(c.code)) continue;
        characters += gap ? 2 : 1;
        if (characters > limit) {
            out += "...";
            break;
        }
        if (gap) out += ' ';
        gap = false;
        append(out, powerless(c.code));
    }
    break_links(out);
    return out;
}

std::string code_span(std::string_view text, std::size_t limit) {
    const std::string words = harmless(text, limit);
    return words.empty() ? "(empty)" : "`" + words + "`";
}

std::string fenced(std::string_view content, std::string_view language) {
    std::size_t longest = 2;
    std::size_t run = 0;
    for (const char c : content) {
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    const std::string fence(longest + 1, '`');
    std::string out = fence + std::string(language) + "\n" + std::string(content);
    if (!content.ends_with('\n')) out += '\n';
    return out + fence + "\n";
}

std::string shell_word(std::string_view text) {
    static constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+%@";
    if (!text.empty() && text.find_first_not_of(plain) == text.npos) return std::string(text);
    std::string single, escaped;
    bool visible = true;
    while (!text.empty()) {
        const auto c = first_character(text);
        const auto bytes = text.substr(0, c.bytes);
        text.remove_prefix(c.bytes);
        single += c.code == '\'' ? "'\\''" : std::string(bytes);
        if (is_plain(c)) {
            if (c.code == '\'' || c.code == '\\') escaped += '\\';
            escaped += bytes;
        } else {
            visible = false;
            append_hex(escaped, bytes);
        }
    }
    return visible ? "'" + single + "'" : "$'" + escaped + "'";
}

void append_escaped(std::string& out, std::string_view text) {
    while (!text.empty()) {
        const auto c = first_character(text);
        const auto bytes = text.substr(0, c.bytes);
        text.remove_prefix(c.bytes);
        if (c.code == '\n') {
            out += "\\n";
        } else if (is_plain(c)) {
            if (c.code == '"' || c.code == '\\') out += '\\';
            out += bytes;
        } else {
            append_hex(out, bytes);
        }
    }
}

}  // namespace vigil::text
