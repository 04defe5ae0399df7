#include "service/source/child.hpp"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

ChildResult shell(const std::string& script, ChildLimits limits = {}) {
    static const test::ScratchFolder folder;
    return run_child({"/bin/sh", "-c", script}, folder.path(), {{"GIVEN", "yes"}}, limits);
}

Error failure(const std::string& script, ChildLimits limits = {}) {
    try {
        shell(script, limits);
    } catch (const Error& error) {
        return error;
    }
    FAIL("it ended well");
    throw 0;
}

}  // namespace

TEST_CASE("A child's output, errors and exit code come back", "[service][source]") {
    const auto result = shell("echo out; echo errors >&2; echo $GIVEN; cat; exit 3");
    CHECK(result.output == "out\nyes\n");
    CHECK(result.errors == "errors\n");
    CHECK(result.exit_code == 3);
    CHECK(result.signal == 0);
}

TEST_CASE("A child that is killed tells its signal", "[service][source]") {
    const auto result = shell("kill -9 $$");
    CHECK(result.exit_code == -1);
    CHECK(result.signal == SIGKILL);
}

TEST_CASE("A child that never ends is ended, with all it started", "[service][source]") {
    const auto error = failure("tail -f /dev/null & tail -f /dev/null", {.timeout_s = 1});
    CHECK(error.code() == Errc::unavailable);
    CHECK_THAT(error.what(), Contains("1 s"));
}

TEST_CASE("What a child leaves behind does not keep us waiting", "[service][source]") {
    const auto result = shell("tail -f /dev/null & echo started", {.timeout_s = 60});
    CHECK(result.output == "started\n");
}

TEST_CASE("A child that prints without end is ended", "[service][source]") {
    CHECK_THAT(failure("yes", {.output_bytes = 100'000}).what(), Contains("too much"));
    const auto result = shell("head -c 1000000 /dev/zero >&2");
    CHECK(result.errors.size() == 65'536);
}

TEST_CASE("A child cannot write a file over its limit", "[service][source]") {
    CHECK(shell("head -c 5000 /dev/zero > a; wc -c < a", {.file_bytes = 5'000}).output == "5000\n");
    CHECK(shell("head -c 5000 /dev/zero > b", {.file_bytes = 4'000}).exit_code != 0);
}

TEST_CASE("A program that cannot be started is an error that names it", "[service][source]") {
    try {
        run_child({"/nonexistent/program"}, "/", {}, {});
        FAIL("it was started");
    } catch (const Error& error) {
        CHECK(error.code() == Errc::unavailable);
        CHECK_THAT(error.what(), Contains("/nonexistent/program") && Contains("No such file"));
    }
    CHECK_THROWS_AS(run_child({"/bin/sh"}, "/nonexistent", {}, {}), Error);
}

TEST_CASE("Programs are found by PATH", "[service][source]") {
    CHECK(find_program("sh").has_value());
    CHECK_FALSE(find_program("no-program-of-this-name").has_value());
}
