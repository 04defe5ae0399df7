#include "service/cli/common/display.hpp"

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/numbers.hpp"

using namespace vigil;
using namespace vigil::cli;

TEST_CASE("A table is aligned and fits the terminal", "[service][cli]") {
    Table table({"ID", "STATE", "SAYS"});
    table.add({"7", "done", "a very long message that does not fit"});
    table.add({"12", "\u00FCber", "x\ny"});
    CHECK(
        table.text(0, false) ==
        "ID  STATE  SAYS\n"
        "7   done   a very long message that does not fit\n"
        "12  \u00FCber   x y\n");
    const std::string narrow = table.text(30, false);
    CHECK(narrow.find("a very long messag\u2026") != std::string::npos);
    CHECK(table.text(0, true, 1).find("\x1b[32mdone\x1b[0m") != std::string::npos);
    CHECK(table.text(0, false, 1).find('\x1b') == std::string::npos);
}
