#include "bisect/history/git_tag.hpp"

#include <algorithm>

namespace vigil::history {

namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view ends_word = " \t\r\n()#\"";

/// The words and brackets of a file of CMake, one after the other, without comments.
class Words {
  public:
    explicit Words(std::string_view text) : text_(text) {}

    /// Of a quoted word its inside. @return false at the end of the text
    bool next() {
        skip();
        if (end_ >= text_.size()) return false;
        at_ = end_;
        const bool is_quoted = text_[at_] == '"';
        if (is_quoted) {
            end_ = std::min(text_.find('"', ++at_), text_.size());
        } else if (text_[at_] == '(' || text_[at_] == ')') {
            end_ = at_ + 1;
        } else {
            end_ = std::min(text_.find_first_of(ends_word, at_), text_.size());
        }
        word_ = text_.substr(at_, end_ - at_);
        if (is_quoted && end_ < text_.size()) ++end_;
        return true;
    }

    std::string_view word() const { return word_; }
    std::size_t at() const { return at_; }

  private:
    void skip() {
        end_ = std::min(text_.find_first_not_of(blanks, end_), text_.size());
        while (end_ < text_.size() && text_[end_] == '#') {
            end_ = std::min(text_.find('\n', end_), text_.size());
            end_ = std::min(text_.find_first_not_of(blanks, end_), text_.size());
        }
    }

    std::string_view text_, word_;
    std::size_t at_ = 0;
    std::size_t end_ = 0;
};

std::size_t begin_of_line(std::string_view text, int line) {
    std::size_t at = 0;
    for (int i = 1; i < line && at < text.size(); ++i) {
        at = std::min(text.find('\n', at), text.size() - 1) + 1;
    }
    return at;
}

bool is_plain(std::string_view word) {
    return !word.empty() && word.find_first_of("$\\;\n") == word.npos;
}

}  // namespace

bool is_cmake_file(std::string_view path) {
    return path.ends_with(".cmake") || path.substr(path.rfind('/') + 1) == "CMakeLists.txt";
}

std::optional<GitTag> find_git_tag(std::string_view text, int line) {
    const auto begin = begin_of_line(text, line);
    const auto end = begin_of_line(text, line + 1);
    GitTag call;
    std::string_view key;
    for (Words words(text); words.next();) {
        const auto word = words.word();
        if (word == "(" || word == ")") {
            if (is_plain(call.repository) && is_plain(call.tag)) return call;
            call = {};
        } else if (key == "GIT_REPOSITORY") {
            call.repository = word;
        } else if (key == "GIT_TAG" && words.at() >= begin && words.at() < end) {
            call.tag = word;
            call.at = words.at();
        }
        key = word;
    }
    return std::nullopt;
}

}  // namespace vigil::history
