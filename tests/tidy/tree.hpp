#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// The repository's own files, as the tidy tests see them.

namespace vigil::tidy {

namespace fs = std::filesystem;

inline bool is_word_byte(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// C++ with comments and the insides of strings replaced by blanks; everything keeps its place.
class Blanker {
  public:
    explicit Blanker(std::string text) : text_(std::move(text)) {}

    std::string take() {
        while (at_ < text_.size()) step();
        return std::move(text_);
    }

    /// After take(): the lines, from 1, that a raw string reaches; nothing in them can be broken.
    const std::set<std::size_t>& raw_lines() const { return raw_lines_; }

  private:
    void step() {
        const std::string_view rest = std::string_view(text_).substr(at_);
        const char before = at_ == 0 ? ' ' : text_[at_ - 1];
        if (rest.starts_with("//")) {
            blank(std::min(text_.find('\n', at_), text_.size()));
        } else if (rest.starts_with("/*")) {
            blank(after("*/", at_ + 2));
        } else if (rest.starts_with("R\"") && !is_word_byte(before)) {
            const auto open = text_.find('(', at_);
            const auto mark = ")" + text_.substr(at_ + 2, open - at_ - 2) + "\"";
            const auto end = after(mark, open);
            note_lines(at_, end);
            at_ = open + 1;
            blank(end - mark.size());
            at_ = end;
        } else if (rest[0] == '"' || (rest[0] == '\'' && !is_word_byte(before))) {
            skip_quoted(rest[0]);
        } else {
            ++at_;
        }
    }

    void skip_quoted(char quote) {
        auto end = at_ + 1;
        while (end < text_.size() && text_[end] != quote) end += text_[end] == '\\' ? 2 : 1;
        ++at_;
        blank(std::min(end, text_.size()));
        ++at_;
    }

    void note_lines(std::size_t from, std::size_t end) {
        auto line =
            1 + static_cast<std::size_t>(std::count(
                    text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(from), '\n'));
        raw_lines_.insert(line);
        for (; from < end; ++from) {
            if (text_[from] == '\n') raw_lines_.insert(++line);
        }
    }

    std::size_t after(const std::string& mark, std::size_t from) const {
        const auto found = text_.find(mark, from);
        return found == text_.npos ? text_.size() : found + mark.size();
    }

    void blank(std::size_t end) {
        for (; at_ < end; ++at_) {
            if (text_[at_] != '\n') text_[at_] = ' ';
        }
    }

    std::string text_;
    std::size_t at_ = 0;
    std::set<std::size_t> raw_lines_;
};

inline std::vector<std::string> split_lines(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

struct SourceFile {
    std::string name;  ///< from the root, e.g. "schema/wire/json.cpp"
    std::string text;
    std::string code;  ///< C++ only: comments and strings blanked
    std::set<std::size_t> raw_lines;

    bool is_header() const { return name.ends_with(".hpp"); }
    bool is_cpp() const { return is_header() || name.ends_with(".cpp"); }
    bool is_in(std::string_view folder) const {
        return name.starts_with(std::string(folder) + "/");
    }
};

inline SourceFile read_source(const fs::path& root, const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    SourceFile source;
    source.name = fs::relative(path, root).generic_string();
    source.text = {std::istreambuf_iterator<char>(file), {}};
    if (!source.is_cpp()) return source;
    Blanker blanker(source.text);
    source.code = blanker.take();
    source.raw_lines = blanker.raw_lines();
    return source;
}

/// Every source file below the folders that hold ours.
inline const std::vector<SourceFile>& all_sources() {
    static const std::vector<SourceFile> sources = [] {
        static const std::set<std::string> kinds{
            ".cpp", ".hpp", ".sql", ".sh", ".py", ".cmake", ".ts"};
        const fs::path root = VIGIL_SOURCE_DIR;
        std::vector<SourceFile> found;
        for (const auto* folder : {"schema", "bisect", "worker", "service", "tests", "deploy"}) {
            if (!fs::exists(root / folder)) continue;
            fs::recursive_directory_iterator walk(root / folder);
            for (const auto& entry : walk) {
                if (entry.path().filename() == "node_modules") walk.disable_recursion_pending();
                const bool ours = kinds.contains(entry.path().extension().string()) ||
                                  entry.path().filename() == "CMakeLists.txt";
                if (entry.is_regular_file() && ours) found.push_back(read_source(root, entry));
            }
        }
        found.push_back(read_source(root, root / "CMakeLists.txt"));
        return found;
    }();
    return sources;
}

/// The C++ that ships: not the tests, and not vigil-bench, which is a C++17 project of its own.
inline std::vector<const SourceFile*> product_sources() {
    std::vector<const SourceFile*> sources;
    for (const auto& source : all_sources()) {
        const bool apart = source.is_in("tests") || source.is_in("worker/bench");
        if (source.is_cpp() && !apart) sources.push_back(&source);
    }
    return sources;
}

}  // namespace vigil::tidy
