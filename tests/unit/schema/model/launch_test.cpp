#include "schema/model/launch.hpp"

#include <catch2/catch.hpp>

using namespace vigil;

TEST_CASE("A list of cores is read as Linux writes it", "[schema][model]") {
    CHECK(parse_cores("0-3,8") == std::vector<int>{0, 1, 2, 3, 8});
    CHECK(parse_cores("8,0-1,1") == std::vector<int>{0, 1, 8});
    CHECK(parse_cores("1023") == std::vector<int>{1023});
    CHECK(cores_text({0, 1, 2, 3, 8, 10, 11}) == "0-3,8,10-11");
    CHECK(cores_text({}).empty());
    for (const auto* wrong :
         {"",
          ",",
          "0,",
          "3-1",
          "-1",
          "1-",
          "a",
          "0 1",
          "0-1-2",
          "1024",
          "0-99999999999999999999"}) {
        CAPTURE(wrong);
        CHECK_FALSE(parse_cores(wrong));
    }
    CHECK_FALSE(parse_cores(std::string(5000, '1')));
}

TEST_CASE("An affinity is no way to anything else", "[schema][model]") {
    CHECK(affinity_problem("granularity=fine,compact,1,0").empty());
    CHECK(affinity_problem("explicit,proclist=[0-3,{4,5}]").empty());
    CHECK_FALSE(affinity_problem("compact;LD_PRELOAD").empty());
    CHECK_FALSE(affinity_problem(std::string(501, 'a')).empty());
}
