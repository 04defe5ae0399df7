#include "schema/log/log.hpp"

#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "tests/support/logged.hpp"
#include "tests/support/scratch_folder.hpp"

namespace vigil {
namespace {

TEST_CASE("A plain word is logged as it is, other text in quotes", "[schema][log]") {
    CHECK(log_value("job/12") == "job/12");
    CHECK(log_value("") == "\"\"");
    CHECK(log_value("two words") == "\"two words\"");
    CHECK(log_value("a=b") == "\"a=b\"");
    CHECK(log_value("say \"hi\" \\") == "\"say \\\"hi\\\" \\\\\"");
}

TEST_CASE("A stranger's text cannot forge a line", "[schema][log]") {
    CHECK(log_value("x\nlevel=error") == "\"x\\nlevel=error\"");
    CHECK(log_value("\x1b[2J") == "\"\\x1b[2J\"");
    const auto cut = log_value(std::string(5000, 'x'));
    CHECK(cut.size() < 2010);
    CHECK(cut.ends_with("...\""));
}

TEST_CASE("Text of any language is logged as it is, what cannot be seen is not", "[schema][log]") {
    CHECK(log_value("Grüße, 世界") == "\"Grüße, 世界\"");
    CHECK(log_value("a\u202eb") == "\"a\\xe2\\x80\\xaeb\"");  // turns the direction
    CHECK(log_value("a\u200bb") == "\"a\\xe2\\x80\\x8bb\"");  // has no width
    CHECK(log_value("a\u2028b") == "\"a\\xe2\\x80\\xa8b\"");  // ends a line
    CHECK(log_value("a\xc2\x9b") == "\"a\\xc2\\x9b\"");       // begins a terminal's command
    CHECK(log_value("a\x9b") == "\"a\\x9b\"");
    CHECK(log_value("\xf5\xc0\xaf") == "\"\\xf5\\xc0\\xaf\"");
    CHECK(log_value("\xed\xa0\x80") == "\"\\xed\\xa0\\x80\"");  // half of a pair
    CHECK(log_value("\xe4\xb8") == "\"\\xe4\\xb8\"");           // cut short
}

TEST_CASE("An event is one line of keys and values, whatever the values are", "[schema][log]") {
    const std::string why = "it broke\ntime=2026 level=error vigild.ready address=http://elsewhere";
    const auto line = test::logged([&] {
        log_warn("job.lost", {{"job", 12}, {"last", true}, {"ratio", 0.5}, {"why", why}});
    });
    CHECK(
        line ==
        "job.lost job=12 last=true ratio=0.500000 why=\"it broke\\ntime=2026 level=error "
        "vigild.ready address=http://elsewhere\"\n");
    CHECK(test::logged([] { log_info("vigild.ended"); }) == "vigild.ended\n");
    CHECK(test::logged([] { log_error("x", {{"y", "{} %v"}}); }) == "x y=\"{} %v\"\n");
    CHECK(test::logged([] { log_debug("x"); }).empty());
}

TEST_CASE("Every program's lines have a time, a level and an event", "[schema][log]") {
    CHECK_THROWS_WITH(start_logging("loud"), Catch::Contains("trace, debug, info"));
    const test::ScratchFolder folder;
    const auto before = spdlog::default_logger();
    const int shown = ::dup(STDERR_FILENO);
    const auto path = folder / "log";
    const int file = ::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    ::dup2(file, STDERR_FILENO);
    start_logging("warn", "one %v two");
    log_info("job.started");
    log_warn("job.dropped", {{"job", 12}});
    ::dup2(shown, STDERR_FILENO);
    spdlog::set_default_logger(before);
    ::close(file);
    ::close(shown);
    std::ifstream in(path);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    const std::regex line(
        R"(time=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z level=warn worker="one %v two" job.dropped job=12\n)");
    INFO(text);
    CHECK(std::regex_match(text, line));
}

}  // namespace
}  // namespace vigil
