#include "service/cli/options.hpp"

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"

using namespace vigil;
using namespace vigil::cli;

namespace {

std::string refusal(const std::vector<std::string>& args) {
    try {
        parse_command_line(args);
    } catch (const Error& error) {
        CHECK(error.code() == Errc::invalid_argument);
        return error.what();
    }
    return "";
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("Words and options are found in any order", "[service][cli]") {
    const auto call = parse_command_line({"--json", "report", "show", "12", "--server=http://x"});
    REQUIRE(call.command != nullptr);
    CHECK(call.command->name == "report show");
    CHECK(call.arguments == std::vector<std::string>{"12"});
    CHECK(call.has("json"));
    CHECK(call.get("server") == "http://x");
    CHECK(call.get("project", "none") == "none");
}

TEST_CASE("An option's value may stand behind it or behind a sign", "[service][cli]") {
    CHECK(parse_command_line({"jobs", "--state", "parked"}).get("state") == "parked");
    CHECK(parse_command_line({"jobs", "--state=parked"}).get("state") == "parked");
    CHECK(parse_command_line({"token", "revoke", "--", "--odd"}).arguments[0] == "--odd");
}

TEST_CASE("An unknown command suggests the nearest", "[service][cli]") {
    CHECK(holds(refusal({"statsu"}), "did you mean 'vigil status'?"));
    CHECK(holds(refusal({"report", "shwo", "1"}), "did you mean 'vigil report show'?"));
    CHECK(holds(refusal({"token"}), "did you mean 'vigil token add'?"));
    CHECK(holds(refusal({"zzzzzzzz"}), "unknown command 'zzzzzzzz'. See vigil help"));
}

TEST_CASE("An unknown option suggests the nearest of that command", "[service][cli]") {
    CHECK(holds(refusal({"jobs", "--stat", "done"}), "did you mean '--state'?"));
    CHECK(holds(refusal({"status", "--exitcode"}), "did you mean '--exit-code'?"));
    CHECK(holds(refusal({"status", "-j"}), "options have two dashes"));
    CHECK(holds(refusal({"workers", "--state", "x"}), "vigil workers has no option --state"));
}

TEST_CASE("Missing and superfluous words are refused with an example", "[service][cli]") {
    CHECK(holds(refusal({"trigger"}), "needs PROJECT; for example: vigil trigger"));
    CHECK(holds(refusal({"status", "now"}), "'now' is one word too many"));
    CHECK(holds(refusal({"jobs", "--state"}), "--state needs a value"));
    CHECK(holds(refusal({"jobs", "--json=yes"}), "takes no value"));
    CHECK(holds(refusal({"jobs", "--json", "--json"}), "given twice"));
}

TEST_CASE("Help is asked for in every usual way", "[service][cli]") {
    for (const auto& args : std::vector<std::vector<std::string>>{
             {},
             {"help"},
             {"--help"},
             {"-h"},
             {"help", "jobs"},
             {"jobs", "--help"},
             {"trigger", "-h"}}) {
        CHECK(parse_command_line(args).help);
    }
    CHECK(parse_command_line({"help", "token", "add"}).command->name == "token add");
}

TEST_CASE("Help shows every command, examples and the exit codes", "[service][cli]") {
    const std::string all = help_text();
    for (const auto& command : commands()) {
        CAPTURE(command.name);
        CHECK(holds(all, "vigil " + command.name));
        REQUIRE_FALSE(command.examples.empty());
        const std::string own = help_text(command);
        for (const auto& example : command.examples) CHECK(holds(own, example));
        for (const auto& option : command.options) CHECK(holds(own, "--" + option.name));
    }
    for (const auto* code :
         {"0 done", "1 asked", "2 the command", "3 the server", "4 the server"}) {
        CHECK(holds(all, code));
    }
}

TEST_CASE("Every example of the help is a command line that parses", "[service][cli]") {
    for (const auto& command : commands()) {
        for (const auto& example : command.examples) {
            std::vector<std::string> words;
            std::string word;
            bool quoted = false;
            for (const char c : example.substr(0, example.find_first_of("&>"))) {
                if (c == '\'') {
                    quoted = !quoted;
                } else if (c == ' ' && !quoted) {
                    if (!word.empty()) words.push_back(word);
                    word.clear();
                } else {
                    word += c;
                }
            }
            if (!word.empty()) words.push_back(word);
            words.erase(words.begin());
            CAPTURE(example);
            CHECK(parse_command_line(words).command->name == command.name);
        }
    }
}

TEST_CASE("Numbers are whole and in range", "[service][cli]") {
    CHECK(parse_number("12", "--limit", 1, 100) == 12);
    for (const auto* bad : {"", "0", "101", "1x", "-1", "1.5", "99999999999999999999"}) {
        CAPTURE(bad);
        CHECK_THROWS_AS(parse_number(bad, "--limit", 1, 100), Error);
    }
}
