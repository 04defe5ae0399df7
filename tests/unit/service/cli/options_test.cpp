#include <sstream>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "service/cli/command_line.hpp"
#include "service/cli/commands.hpp"
#include "service/cli/help.hpp"

using namespace vigil;
using namespace vigil::cli;

namespace {

std::string refusal(const std::vector<std::string>& args) {
    try {
        parse_command_line(vigil_program(), args);
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
    const auto call = parse_command_line(
        vigil_program(), {"--json", "report", "show", "12", "--server=http://x"});
    REQUIRE(call.command != nullptr);
    CHECK(call.command->name == "report show");
    CHECK(call.arguments == std::vector<std::string>{"12"});
    CHECK(call.has("json"));
    CHECK(call.get("server") == "http://x");
    CHECK(call.get("project", "none") == "none");
}

TEST_CASE("An option's value may stand behind it or behind a sign", "[service][cli]") {
    CHECK(
        parse_command_line(vigil_program(), {"jobs", "--state", "parked"}).get("state") ==
        "parked");
    CHECK(parse_command_line(vigil_program(), {"jobs", "--state=parked"}).get("state") == "parked");
    CHECK(
        parse_command_line(vigil_program(), {"token", "revoke", "--", "--odd"}).arguments[0] ==
        "--odd");
}

TEST_CASE("An unknown command suggests the nearest", "[service][cli]") {
    CHECK(holds(refusal({"statsu"}), "did you mean 'vigil status'?"));
    CHECK(holds(refusal({"report", "shwo", "1"}), "did you mean 'vigil report show'?"));
    CHECK(holds(refusal({"token"}), "followed by one of add, list, revoke"));
    CHECK(holds(refusal({"--srever", "x", "status"}), "did you mean '--server'?"));
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
    CHECK(holds(refusal({"status", "now"}), "'now' is one argument too many"));
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
        CHECK(parse_command_line(vigil_program(), args).help);
    }
    CHECK(
        parse_command_line(vigil_program(), {"help", "token", "add"}).command->name == "token add");
    CHECK(parse_command_line(vigil_program(), {"bisect", "--help"}).group == "bisect");
    CHECK(parse_command_line(vigil_program(), {"help", "token"}).group == "token");
    CHECK(holds(refusal({"bisect", "rnu", "--help"}), "did you mean 'vigil bisect run'?"));
}

TEST_CASE("Help fits a terminal of 80 columns but for its examples", "[service][cli]") {
    std::vector<std::string> texts{help_text(vigil_program()), exit_codes_text()};
    for (const auto& command : vigil_program().commands) {
        const std::string text = help_text(vigil_program(), command);
        texts.push_back(text.substr(0, text.find("\nFor example:")));
    }
    for (const auto& text : texts) {
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            CAPTURE(line);
            CHECK(line.size() <= 80);
        }
    }
}

TEST_CASE("The version is asked for alone", "[service][cli]") {
    CHECK(parse_command_line(vigil_program(), {"--version"}).version);
    CHECK_FALSE(parse_command_line(vigil_program(), {"trigger", "p", "--version", "1.2"}).version);
}

TEST_CASE("Help of a group shows its commands with examples", "[service][cli]") {
    for (const auto& command : vigil_program().commands) {
        const auto space = command.name.find(' ');
        if (space == command.name.npos) continue;
        const std::string text = group_help_text(vigil_program(), command.name.substr(0, space));
        CAPTURE(command.name);
        CHECK(holds(text, "vigil " + command.name));
        CHECK(holds(text, command.examples.front()));
        CHECK(holds(text, exit_codes_text()));
    }
    CHECK_FALSE(holds(group_help_text(vigil_program(), "bisect"), "vigil token"));
}

TEST_CASE("Help shows every command, examples and the exit codes", "[service][cli]") {
    const std::string all = help_text(vigil_program());
    for (const auto& command : vigil_program().commands) {
        CAPTURE(command.name);
        CHECK(holds(all, "vigil " + command.name));
        REQUIRE_FALSE(command.examples.empty());
        const std::string own = help_text(vigil_program(), command);
        for (const auto& example : command.examples) CHECK(holds(own, example));
        for (const auto& option : command.options) CHECK(holds(own, "--" + option.name));
    }
    CHECK(holds(all, exit_codes_text()));
}

TEST_CASE("Help of one command lists no exit codes of others", "[service][cli]") {
    for (const auto& command : vigil_program().commands) {
        CAPTURE(command.name);
        const std::string own = help_text(vigil_program(), command);
        CHECK_FALSE(holds(own, exit_codes_text()));
        CHECK_FALSE(holds(own, "trigger --wait:"));
        CHECK((holds(own, "Ends with") || holds(own, "Ends like")));
    }
}

TEST_CASE("Every example of the help is a command line that parses", "[service][cli]") {
    for (const auto& command : vigil_program().commands) {
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
            CHECK(parse_command_line(vigil_program(), words).command->name == command.name);
        }
    }
}

TEST_CASE("Every option that takes a number refuses what is none", "[service][cli]") {
    std::size_t whole = 0;
    std::size_t ratios = 0;
    for (const auto& command : vigil_program().commands) {
        for (const auto& option : command.options) {
            CAPTURE(command.name, option.name);
            if (option.value == "N" || option.value == "S" || option.value == "ID") {
                REQUIRE(option.reads == Reads::whole);
            }
            if (option.value == "RATIO") REQUIRE(option.reads == Reads::ratio);
            if (option.reads != Reads::whole && option.reads != Reads::ratio) continue;
            const bool is_ratio = option.reads == Reads::ratio;
            ++(is_ratio ? ratios : whole);
            std::vector<std::string> wrong{
                "",
                " ",
                "x",
                "-1",
                "-1%",
                "1x",
                "0x10",
                "1e400",
                "nan",
                "inf",
                "7,5",
                "99999999999999999999"};
            if (!is_ratio) {
                for (const char* text : {"1.5", "1e2", "+1", "1%", "5s"}) wrong.emplace_back(text);
                wrong.push_back(std::to_string(option.low - 1));
                wrong.push_back(std::to_string(option.high + 1));
                CHECK_NOTHROW(check_value(option, std::to_string(option.low)));
                CHECK_NOTHROW(check_value(option, std::to_string(option.high)));
            } else {
                for (const char* text : {"0", "0%", "1", "7", "100", "7%%", "7 x", "10001%"}) {
                    wrong.emplace_back(text);
                }
                for (const char* text : {"7%", "0.07", "2.5%", "0.01%", "150%", ".07", "7e-2"}) {
                    CAPTURE(text);
                    CHECK_NOTHROW(check_value(option, text));
                }
            }
            for (const auto& value : wrong) {
                CAPTURE(value);
                CHECK_THROWS_WITH(check_value(option, value), Catch::Contains("--" + option.name));
            }
        }
    }
    CHECK(whole > 15);
    CHECK(ratios > 1);
}

TEST_CASE("A ratio of 1 or more without its sign is asked about", "[service][cli]") {
    CHECK(parse_ratio("7%", "--threshold") == Approx(0.07));
    CHECK(parse_ratio("0.07", "--threshold") == Approx(0.07));
    CHECK(parse_ratio("150%", "--threshold") == Approx(1.5));
    CHECK(holds(
        refusal({"detect", "f", "--threshold", "7"}),
        "--threshold is a ratio, and 7 would be 700 %; did you mean 7%?"));
    CHECK(holds(refusal({"bisect", "run", "--threshold", "1"}), "did you mean 1%?"));
    CHECK(holds(refusal({"compare", "--threshold", "2.5"}), "did you mean 2.5%?"));
}

TEST_CASE("What was meant is said of units, choices and values left out", "[service][cli]") {
    CHECK(holds(
        refusal({"compare", "--timeout", "5m"}),
        "--timeout must be a whole number of seconds in 1..864000, not '5m'; did you mean 300?"));
    CHECK(holds(refusal({"jobs", "--state", "parkde"}), "did you mean 'parked'?"));
    CHECK(holds(refusal({"drifts", "--metric", "cpu_time"}), "did you mean 'cpu_time_ns'?"));
    CHECK(holds(refusal({"compare", "--good", "--bad", "HEAD"}), "--good needs a value"));
    CHECK(holds(refusal({"status", "--project", ""}), "--project needs a value"));
    CHECK_NOTHROW(parse_command_line(vigil_program(), {"compare", "--build", ""}));
}

TEST_CASE("Numbers are whole and in range", "[service][cli]") {
    CHECK(parse_number("12", "--limit", 1, 100) == 12);
    for (const auto* bad : {"", "0", "101", "1x", "-1", "1.5", "99999999999999999999"}) {
        CAPTURE(bad);
        CHECK_THROWS_AS(parse_number(bad, "--limit", 1, 100), Error);
    }
}
