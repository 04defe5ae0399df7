// Limits of files, lines and functions.

#include <regex>

#include <catch2/catch.hpp>

#include "tests/tidy/tree.hpp"

using namespace vigil::tidy;

namespace {

constexpr std::size_t max_file_lines = 400;
constexpr std::size_t max_line_columns = 100;
constexpr std::size_t max_function_lines = 60;

/// Patches keep the lines of what they patch, and a schema that is held against another has no
/// parts.
const std::set<std::string> longer{
    "tests/support/tensorlab/plants.py", "tests/data/schema_at_last_patch.sql"};

/// CMake has no way to break some of its lines.
bool breaks_lines(const SourceFile& source) {
    return !source.name.ends_with(".cmake") && !source.name.ends_with("CMakeLists.txt");
}

std::size_t columns(const std::string& line) {
    return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;  // not the rest of a character
    }));
}

struct Function {
    std::size_t first_line;  ///< of its declaration
    std::size_t lines;       ///< between its braces
};

/// Finds bodies of functions by counting braces: a brace behind a parenthesis, outside of any other
/// body, and not of a namespace, class or enum.
class FunctionFinder {
  public:
    explicit FunctionFinder(const std::string& code) : code_(code) {}

    std::vector<Function> find() {
        for (at_ = 0; at_ < code_.size(); ++at_) {
            if (code_[at_] == '#' && head_.empty()) skip_directive();
            if (at_ == code_.size()) break;
            const char c = code_[at_];
            if (c == '\n') ++line_;
            if (c == '{') {
                open();
            } else if (c == '}') {
                close();
            } else if (c == ';' && parentheses_ == 0) {
                head_.clear();
            } else if (!head_.empty() || std::isspace(static_cast<unsigned char>(c)) == 0) {
                if (head_.empty()) head_line_ = line_;
                head_ += c;
                parentheses_ += c == '(' ? 1 : c == ')' ? -1 : 0;
            }
        }
        return std::move(found_);
    }

  private:
    enum class Block { scope, function, inner, member };

    /// A() : x_{1}, y_{2} { ... }: is this one of the braces before the body?
    bool initialises_member() const {
        static const std::regex list("\\)[^{]*[^:]:[^:].*[A-Za-z0-9_>]$");
        std::string head = head_;
        std::replace(head.begin(), head.end(), '\n', ' ');
        return std::regex_search(head, list);
    }

    void skip_directive() {
        while (at_ < code_.size() && code_[at_] != '\n') {
            if (code_[at_] == '\\' && at_ + 1 < code_.size() && code_[at_ + 1] == '\n') {
                ++line_;
                ++at_;
            }
            ++at_;
        }
    }

    bool opens_scope() const {
        std::string_view head = head_;
        if (head.starts_with("template")) {  // over its parameters
            int depth = 0;
            std::size_t i = head.find('<');
            for (; i < head.size(); ++i) {
                depth += head[i] == '<' ? 1 : head[i] == '>' ? -1 : 0;
                if (depth == 0) break;
            }
            head = head.substr(std::min(i + 1, head.size()));
        }
        while (!head.empty() && std::isspace(static_cast<unsigned char>(head[0])) != 0) {
            head.remove_prefix(1);
        }
        for (const std::string_view word :
             {"namespace", "inline namespace", "class", "struct", "union", "enum", "extern"}) {
            if (head.starts_with(word)) return true;
        }
        return false;
    }

    void open() {
        Block kind = Block::inner;
        const bool outside = blocks_.empty() || blocks_.back() == Block::scope;
        if (outside && initialises_member()) {
            blocks_.push_back(Block::member);
            return;
        }
        if (outside && opens_scope()) {
            kind = Block::scope;
        } else if (outside && head_.find('(') != head_.npos) {
            kind = Block::function;
            found_.push_back({head_line_, 0});
            brace_line_ = line_;
        }
        blocks_.push_back(kind);
        parentheses_ = 0;
        head_.clear();
    }

    void close() {
        if (blocks_.empty()) return;
        if (blocks_.back() == Block::function) {
            found_.back().lines = line_ - std::min(line_, brace_line_ + 1);
        }
        const bool member = blocks_.back() == Block::member;
        blocks_.pop_back();
        if (member) {
            head_ += "()";
            return;
        }
        parentheses_ = 0;
        head_.clear();
    }

    const std::string& code_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    std::string head_;  // what stands in front of a brace, since the last statement
    std::size_t head_line_ = 1;
    std::size_t brace_line_ = 1;  // of the function at hand
    int parentheses_ = 0;
    std::vector<Block> blocks_;
    std::vector<Function> found_;
};

}  // namespace

TEST_CASE("Files and lines keep their limits", "[tidy]") {
    for (const auto& source : all_sources()) {
        if (longer.contains(source.name)) continue;
        const auto lines = split_lines(source.text);
        CAPTURE(source.name);
        CHECK(lines.size() <= max_file_lines);
        for (std::size_t i = 0; breaks_lines(source) && i < lines.size(); ++i) {
            if (source.raw_lines.contains(i + 1)) continue;
            CAPTURE(i + 1, lines[i]);
            CHECK(columns(lines[i]) <= max_line_columns);
        }
    }
}

TEST_CASE("Functions keep their limit", "[tidy]") {
    for (const auto& source : all_sources()) {
        const bool example = source.is_header() && source.is_in("tests");  // one long value
        if (!source.is_cpp() || example) continue;
        for (const auto& [first_line, lines] : FunctionFinder(source.code).find()) {
            CAPTURE(source.name, first_line);
            CHECK(lines <= max_function_lines);
        }
    }
}

TEST_CASE("Functions are found and their lines counted", "[tidy]") {
    const std::string code =
        "#define X \\\n"
        "    1\n"
        "namespace a {\n"
        "const std::map<int, int> m = {{1, 2}};\n"
        "struct B {\n"
        "    B(int i) : x_{1}, y_(i) {\n"
        "        ++x_;\n"
        "    }\n"
        "    int get() const {\n"
        "        if (x_) { return 1; }\n"
        "        return 2;\n"
        "    }\n"
        "    int x_, y_;\n"
        "};\n"
        "template <class T>\n"
        "void f(\n"
        "    T) {\n"
        "}\n"
        "}\n";
    const auto found = FunctionFinder(code).find();
    REQUIRE(found.size() == 3);
    CHECK(found[0].first_line == 6);
    CHECK(found[0].lines == 1);
    CHECK(found[1].first_line == 9);
    CHECK(found[1].lines == 2);
    CHECK(found[2].first_line == 15);
    CHECK(found[2].lines == 0);
}

TEST_CASE("Nothing strays beside the folders", "[tidy]") {
    static const std::set<std::string> known{
        "CHANGELOG.md",
        "CMakeLists.txt",
        "CMakePresets.json",
        "CMakeUserPresets.json",
        "README.md"};
    for (const auto& entry : fs::directory_iterator(VIGIL_SOURCE_DIR)) {
        const auto name = entry.path().filename().string();
        if (!entry.is_regular_file() || name.starts_with(".")) continue;
        CAPTURE(name);
        CHECK(known.contains(name));
    }
}
