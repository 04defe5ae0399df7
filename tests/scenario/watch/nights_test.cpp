#include <filesystem>
#include <random>

#include <catch2/catch.hpp>

#include "service/store/findings/bisection_records.hpp"
#include "tests/support/fleet.hpp"

using namespace vigil;
using tests::Fleet;
using tests::World;

namespace {

// A ledger file of its own, gone with the test.
class LedgerFile {
  public:
    LedgerFile() {
        std::string name = (std::filesystem::temp_directory_path() / "vigil-night-XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    ~LedgerFile() { std::filesystem::remove_all(path_); }
    LedgerFile(const LedgerFile&) = delete;
    LedgerFile& operator=(const LedgerFile&) = delete;
    std::string str() const { return (path_ / "ledger.sqlite").string(); }

  private:
    std::filesystem::path path_;
};

const char* ended = "state IN ('done', 'failed')";

}  // namespace

TEST_CASE("A quiet day ends without a regression and without a search", "[scenario]") {
    const LedgerFile file;
    Fleet fleet({.seed = 11}, file.str());
    fleet.night(0);
    fleet.night(70);
    CHECK(fleet.count("nightly", "state = 'done'") == 2);
    CHECK(fleet.count("regression") == 0);
    CHECK(fleet.count("bisection") == 0);
}

TEST_CASE("A slower commit of the day is named, verified by runs of its own", "[scenario]") {
    const auto seed = GENERATE(1u, 2u, 3u, 4u, 5u);
    CAPTURE(seed);
    const LedgerFile file;
    World world{.seed = seed, .changes = {{.commit = 23, .variant = "infer", .time = 1.2}}};
    Fleet fleet(world, file.str());
    fleet.night(0);
    fleet.night(70);
    REQUIRE(fleet.culprits() == std::vector{fleet.revision(23)});
    CHECK(fleet.count("job", "purpose = 'verify' AND state = 'done'") > 0);
    CHECK(fleet.count("nightly", ended) == 2);
}

TEST_CASE("Two causes of one day become two regressions", "[scenario]") {
    const LedgerFile file;
    World world{.seed = 7, .variants = {"infer", "train"}, .machine_classes = {"fast", "wide"}};
    world.changes = {
        {.commit = 15, .variant = "infer", .time = 1.3},
        {.commit = 52, .variant = "train", .memory = 1.25}};
    world.broken = {30, 31, 32, 33};
    world.silent = {14, 16, 40, 41, 53};
    Fleet fleet(world, file.str());
    fleet.night(0);
    fleet.night(70);
    auto found = fleet.culprits();
    std::sort(found.begin(), found.end());
    auto planted = std::vector{fleet.revision(15), fleet.revision(52)};
    std::sort(planted.begin(), planted.end());
    CHECK(found == planted);
}

TEST_CASE(
    "A culprit that does not compile is given as a range, no wider than forced", "[scenario]") {
    const LedgerFile file;
    World world{.seed = 5, .changes = {{.commit = 31, .variant = "infer", .time = 1.3}}};
    world.broken = {30, 31, 32, 33};
    Fleet fleet(world, file.str());
    fleet.night(0);
    fleet.night(70);
    CHECK(fleet.culprits().empty());
    REQUIRE(fleet.count("regression", "state = 'range'") == 1);
    const auto suspects =
        fleet.db().find<std::string>("SELECT suspects FROM regression WHERE state = 'range'");
    REQUIRE(suspects);
    for (const int commit : {30, 31, 32, 33, 34}) {
        CHECK(suspects->find(fleet.revision(commit)) != std::string::npos);
    }
    CHECK(suspects->find(fleet.revision(29)) == std::string::npos);
    CHECK(suspects->find(fleet.revision(35)) == std::string::npos);
}

TEST_CASE("A variant that no longer runs is searched to the commit that broke it", "[scenario]") {
    const LedgerFile file;
    World world{.seed = 4, .variants = {"infer", "train"}};
    world.crashes = {{"train", 37}};
    Fleet fleet(world, file.str());
    fleet.night(0);
    fleet.night(70);
    CHECK(fleet.culprits() == std::vector{fleet.revision(37)});
    CHECK(fleet.count("regression") == 1);
    CHECK(fleet.count("suspicion", "verdict = 'broken'") == 1);
}

TEST_CASE("Where nights cannot tell, builds measured in turns can", "[scenario]") {
    const auto seed = GENERATE(1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u);
    CAPTURE(seed);
    const LedgerFile file;
    World world{.seed = seed, .changes = {{.commit = 31, .variant = "infer", .time = 1.15}}};
    world.spell = 0.3;
    world.interleave = 4;
    Fleet fleet(world, file.str());
    fleet.night(0);
    fleet.night(30);
    CHECK(fleet.count("regression") == 0);
    CHECK(fleet.count("suspicion") == 1);
    fleet.night(70);
    CHECK(fleet.culprits() == std::vector{fleet.revision(31)});
}

TEST_CASE("Series that no night can tell take turns with the checks of a night", "[scenario]") {
    const LedgerFile file;
    World world{.seed = 9, .commits = 40, .variants = {}};
    for (int v = 0; v < 40; ++v) world.variants.push_back("v" + std::to_string(v));
    world.interleave = 4;
    Fleet fleet(world, file.str());
    fleet.night(0);
    fleet.night(10);
    CHECK(fleet.count("suspicion", "is_check") == 32);
    fleet.night(20);
    CHECK(fleet.count("suspicion", "is_check") == 64);
    CHECK(fleet.count("series", "id IN (SELECT series_id FROM suspicion WHERE is_check)") == 40);
    CHECK(fleet.count("regression") == 0);
}

TEST_CASE("Equal products are not measured against each other", "[scenario]") {
    const LedgerFile file;
    World world{.seed = 3, .commits = 3, .noise = 0.2};
    world.silent = {1, 2, 3};
    Fleet fleet(world, file.str());
    fleet.night(0);
    fleet.night(3);
    CHECK(fleet.count("job", "purpose = 'confirm'") == 0);
    CHECK(fleet.count("regression") == 0);
}

TEST_CASE("The next night does not file what is known, and a fix closes it", "[scenario]") {
    const LedgerFile file;
    World world{.seed = 8, .commits = 90};
    world.changes = {
        {.commit = 10, .variant = "infer", .time = 1.25},
        {.commit = 80, .variant = "infer", .time = 1 / 1.25}};
    Fleet fleet(world, file.str());
    fleet.night(0);
    fleet.night(40);
    REQUIRE(fleet.count("regression") == 1);
    fleet.night(60);
    CHECK(fleet.count("regression") == 1);
    fleet.night(90);
    CHECK(fleet.count("regression") == 1);
    CHECK(fleet.count("regression", "state = 'closed'") == 1);
    CHECK(fleet.count("suspicion", "verdict = 'fixed'") == 1);
}

TEST_CASE(
    "An undecided night is held against the same old build the night after",
    "[scenario][many-nights]") {
    int watched = 0, gone_on = 0, doubted = 0;
    for (unsigned seed = 1; seed <= 12; ++seed) {
        CAPTURE(seed);
        const LedgerFile file;
        World world{.seed = seed, .commits = 90, .noise = 0.045};
        world.changes = {{.commit = 50, .variant = "infer", .time = 1.08}};
        Fleet fleet(world, file.str());
        for (int night = 0; night < 5; ++night) fleet.night(5 * night);
        for (int night = 0; night < 4; ++night) fleet.night(60 + 5 * night);
        CHECK(fleet.count("nightly", ended) == 9);
        watched += fleet.count("suspicion", "verdict = 'watch'");
        const std::string next =
            "EXISTS (SELECT 1 FROM suspicion b WHERE b.series_id = suspicion.series_id "
            "AND b.good_nightly_id = suspicion.good_nightly_id "
            "AND b.nightly_id = suspicion.nightly_id + 1 AND b.session_id IS NOT NULL)";
        gone_on += fleet.count("suspicion", "verdict = 'watch' AND " + next);
        // A noisy series is not filed on one session.
        const bool second = fleet.count("suspicion", "reason LIKE '%second session%'") > 0;
        doubted += second ? 1 : 0;
        const int filed = fleet.count("suspicion", "verdict = 'regression' AND nightly_id > 5");
        CHECK(filed <= 1);
    }
    CHECK(watched > 0);
    CHECK(gone_on > 0);
    CHECK(doubted > 0);
}

TEST_CASE("Lost workers and kills at any step change nothing about the answer", "[scenario]") {
    const auto seed = GENERATE(21u, 22u, 23u);
    CAPTURE(seed);
    const LedgerFile file;
    World world{.seed = seed, .variants = {"infer", "train"}, .lost_share = 0.25};
    world.changes = {{.commit = 44, .variant = "train", .time = 1.15, .memory = 1.3}};
    Fleet fleet(world, file.str());
    std::mt19937 random(seed);
    fleet.kill = [&] { return std::uniform_int_distribution<int>(0, 2)(random) == 0; };
    fleet.night(0);
    fleet.night(70);
    CHECK(fleet.kills() > 10);
    CHECK(fleet.culprits() == std::vector{fleet.revision(44)});
    CHECK(fleet.count("attempt", "outcome = 'lost'") > 0);
    CHECK(fleet.count("nightly", ended) == 2);
}

TEST_CASE("A machine class without workers does not hold up the nights after", "[scenario]") {
    const LedgerFile file;
    World world{.seed = 9};
    world.machine_classes = {"fast", "gone"};
    world.absent = "gone";
    Fleet fleet(world, file.str());
    fleet.night(0);
    fleet.night(10);
    CHECK(fleet.count("nightly", "state = 'done'") == 2);
    CHECK(fleet.count("job", "state = 'cancelled'") == 2);
}

TEST_CASE("A search is told how earlier nights scatter once there are enough", "[scenario]") {
    const auto nights_of = [](Fleet& fleet) {
        const auto settings =
            *fleet.db().find<service::BisectionSettings>("SELECT settings FROM bisection");
        return settings.specs.at(0).nights;
    };
    World world{
        .seed = 21, .commits = 100, .changes = {{.commit = 90, .variant = "infer", .time = 1.3}}};
    world.noise = 0.02;
    const LedgerFile long_file;
    Fleet after_many(world, long_file.str());
    for (int commit = 0; commit <= 80; commit += 4) after_many.night(commit);
    after_many.night(100);
    CHECK(after_many.culprits() == std::vector{after_many.revision(90)});
    CHECK(nights_of(after_many) > 0.008);
    CHECK(nights_of(after_many) < 0.04);
    const LedgerFile short_file;
    Fleet after_one(world, short_file.str());
    after_one.night(80);
    after_one.night(100);
    CHECK(nights_of(after_one) == 0);
}
