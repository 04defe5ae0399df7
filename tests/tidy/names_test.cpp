// The name of a type is taken once.

#include <map>
#include <regex>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/tidy/tree.hpp"

using namespace vigil::tidy;

namespace {

enum class Scope { space, type, other };

struct Declared {
    std::string name;
    bool is_member = false;  ///< of another type
};

/// The type that the text before this brace or semicolon defines; empty: none.
std::string defined_type(const std::string& head, char end) {
    static const std::regex type(
        "(^|[\\s>:])(struct|class|union|enum|enum\\s+class)\\s+(\\w+)(\\s+final)?\\s*(:[^:][^]*)?"
        "$");
    static const std::regex other("(^|[\\s>:])(using|concept)\\s+(\\w+)\\s*=");
    std::smatch match;
    if (end == '{' && std::regex_search(head, match, type)) return match[3];
    if (end != '}' && std::regex_search(head, match, other)) return match[3];
    return "";
}

/// Types that a header defines in its namespaces, and in these types; not in functions.
std::vector<Declared> declared_types(const std::string& code) {
    static const std::regex directive("(^|\n)[ \t]*#[^\n]*");
    static const std::regex space("(^|\\s)namespace(\\s|$)");
    std::vector<Declared> found;
    std::vector<Scope> around;
    std::string head;
    for (const char c : std::regex_replace(code, directive, "\n")) {
        if (c != '{' && c != '}' && c != ';') {
            head += c;
            continue;
        }
        const auto name = defined_type(head, c);
        const bool in_function = std::count(around.begin(), around.end(), Scope::other) > 0;
        const bool is_member = std::count(around.begin(), around.end(), Scope::type) > 0;
        if (!name.empty() && !in_function) found.push_back({name, is_member});
        if (c == '{' && std::regex_search(head, space)) {
            around.push_back(Scope::space);
        } else if (c == '{') {
            around.push_back(name.empty() ? Scope::other : Scope::type);
        } else if (c == '}' && !around.empty()) {
            around.pop_back();
        }
        head.clear();
    }
    return found;
}

}  // namespace

TEST_CASE("A type has a name of its own, in all folders", "[tidy]") {
    std::map<std::string, std::vector<std::string>> in_spaces, in_types;
    for (const auto& source : all_sources()) {
        if (!source.is_header() || source.is_in("tests")) continue;
        for (const auto& type : declared_types(source.code)) {
            (type.is_member ? in_types : in_spaces)[type.name].push_back(source.name);
        }
    }
    std::vector<std::string> found;
    for (auto& [name, headers] : in_spaces) {  // members of two types may have the same name
        const auto& members = in_types[name];
        headers.insert(headers.end(), members.begin(), members.end());
        if (headers.size() == 1) continue;
        found.push_back(name + ":");
        for (const auto& header : headers) found.back() += " " + header;
    }
    CAPTURE(found);
    CHECK(found.empty());
}

TEST_CASE("The rule for names sees types, aliases and concepts", "[tidy]") {
    const auto names = [](const std::string& code) {
        std::string all;
        for (const auto& type : declared_types(code)) {
            all += (type.is_member ? " ." : " ") + type.name;
        }
        return all;
    };
    CHECK(names("#pragma once\nnamespace a {\nstruct B { int c; };\nclass D;\n}") == " B");
    CHECK(
        names("template <class T> class A final : public B<T> { enum class C { x }; };") ==
        " A .C");
    CHECK(names("using A = int; template <class T> concept C = requires(T t) { t.x; };") == " A C");
    CHECK(names("inline int f() { using A = int; struct B {}; return {}; }").empty());
    CHECK(names("class A { private: using B = int; };") == " A .B");
    CHECK(names("template <> struct vigil::TextColumn<A> {};").empty());
}
