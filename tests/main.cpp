#define CATCH_CONFIG_RUNNER
#include <algorithm>

#include <catch2/catch.hpp>

#include "tests/support/at_end.hpp"

int main(int argc, char* argv[]) {
    constexpr int most = 255;  // of an exit status
    Catch::Session session;
    int faults = session.run(argc, argv);
    const bool all_ran = session.configData().testsOrTags.empty();
    for (const auto& check : vigil::tests::at_end()) faults += check(all_ran);
    return std::min(faults, most);
}
