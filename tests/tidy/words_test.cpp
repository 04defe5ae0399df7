// Words that must not appear: calls that belong to one place, and names that mean something else.

#include <regex>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/tidy/tree.hpp"

using namespace vigil::tidy;

namespace {

/// Lines of the code (without comments and strings) that match.
std::vector<std::string> matches(const SourceFile& source, const std::regex& pattern) {
    std::vector<std::string> found;
    std::size_t number = 0;
    for (const auto& line : split_lines(source.code)) {
        ++number;
        if (std::regex_search(line, pattern)) {
            found.push_back(source.name + ":" + std::to_string(number) + ": " + line);
        }
    }
    return found;
}

const std::regex json_parse("json::(parse|accept|sax_parse)\\s*\\(");
const std::regex sleeping("(sleep_for|sleep_until|\\busleep|\\bnanosleep|\\bsleep)\\s*\\(");
const std::regex foreign_throw("\\bthrow\\s+std::");
const std::regex raw_logging(
    "spdlog::(trace|debug|info|warn|error|critical|log)\\s*\\(|default_logger|SPDLOG_");
const std::regex locking(
    "std::(recursive_|shared_|timed_)*(mutex|lock_guard|unique_lock|scoped_lock)");

/// Whether one of an identifier's words (split at _ and at capitals) is of somebody else's
/// vocabulary; see the glossary.
std::string unused_word(const std::string& identifier) {
    static const std::regex words("(^|_)(alert|anomaly|trial|node|host)s?(_|$)", std::regex::icase);
    static const std::regex capitals("(Alert|Anomaly|Trial|Node|Host)s?([A-Z_]|$)");
    std::smatch match;
    if (std::regex_search(identifier, match, words)) return match[2];
    if (std::regex_search(identifier, match, capitals)) return match[1];
    return "";
}

}  // namespace

TEST_CASE("JSON is parsed in one place only", "[tidy]") {
    for (const auto* source : product_sources()) {
        if (source->name == "schema/wire/json.cpp") continue;
        const auto found = matches(*source, json_parse);
        CAPTURE(found);
        CHECK(found.empty());
    }
}

TEST_CASE("Tests do not sleep", "[tidy]") {
    for (const auto& source : all_sources()) {
        if (!source.is_cpp() || !source.is_in("tests")) continue;
        const auto found = matches(source, sleeping);
        CAPTURE(found);
        CHECK(found.empty());
    }
}

TEST_CASE("Only our own Error is thrown", "[tidy]") {
    for (const auto* source : product_sources()) {
        const auto found = matches(*source, foreign_throw);
        CAPTURE(found);
        CHECK(found.empty());
    }
}

TEST_CASE(
    "Lines of the log are written in one place, which quotes what strangers wrote", "[tidy]") {
    for (const auto* source : product_sources()) {
        if (source->name == "schema/log/log.cpp") continue;
        auto found = matches(*source, raw_logging);
        std::erase_if(found, [](const std::string& line) {  // makes the logger, logs nothing
            return line.find("set_default_logger") != line.npos;
        });
        CAPTURE(found);
        CHECK(found.empty());
    }
}

TEST_CASE("No resource is shared behind a lock", "[tidy]") {
    for (const auto* source : product_sources()) {
        if (source->is_in("worker")) continue;  // waits for signals on a thread of its own
        const auto found = matches(*source, locking);
        CAPTURE(found);
        CHECK(found.empty());
    }
}

TEST_CASE("Headers use no word that the glossary leaves out", "[tidy]") {
    const std::regex identifier("[A-Za-z_][A-Za-z0-9_]*");
    std::vector<std::string> found;
    for (const auto* source : product_sources()) {
        if (!source->is_header()) continue;
        const bool http = source->is_in("schema/http") || source->is_in("service/http");
        const std::sregex_iterator begin(source->code.begin(), source->code.end(), identifier);
        for (auto word = begin; word != std::sregex_iterator(); ++word) {
            const auto unused = unused_word(word->str());
            if (unused.empty() || (http && unused == "host")) continue;        // HTTP's own field
            if (source->is_in("bisect/search") && unused == "Node") continue;  // of a grid
            if (source->is_in("service/fleet") && unused == "node") continue;  // Slurm's word
            if (!unused.empty()) found.push_back(source->name + ": " + word->str());
        }
    }
    CAPTURE(found);
    CHECK(found.empty());
}

TEST_CASE("The word rules tell bad from good", "[tidy]") {
    CHECK(unused_word("open_alerts") == "alert");
    CHECK(unused_word("HostName") == "Host");
    CHECK(unused_word("TreeNode") == "Node");
    CHECK(unused_word("host_") == "host");
    CHECK(unused_word("localhost").empty());
    CHECK(unused_word("industrial").empty());
    CHECK(std::regex_search("std::this_thread::sleep_for(1s);", sleeping));
    CHECK_FALSE(std::regex_search("start_asleep(1);", sleeping));
    CHECK(std::regex_search("spdlog::warn(\"x error={}\", why);", raw_logging));
    CHECK_FALSE(std::regex_search("log_warn(\"x\", {{\"error\", why}});", raw_logging));
    CHECK(std::regex_search("auto x = nlohmann::json::parse(text);", json_parse));
    CHECK_FALSE(std::regex_search("wire::parse_json(text)", json_parse));
}

TEST_CASE("Comments and strings are no code", "[tidy]") {
    const auto blanked = [](const std::string& text) { return Blanker(text).take(); };
    CHECK(blanked("a // sleep(1)\nb") == "a            \nb");
    CHECK(blanked("a /* x\ny */ b") == "a     \n     b");
    CHECK(blanked("f(\"a\\\"b\", 'c', 1'000)") == "f(\"    \", ' ', 1'000)");
    CHECK(blanked("x = R\"q(a)\"b)q\" + y") == "x = R\"q(    )q\" + y");
}
