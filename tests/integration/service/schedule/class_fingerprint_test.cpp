#include "service/schedule/class_fingerprint.hpp"

#include <catch2/catch.hpp>

#include "service/store/machines/class_fingerprints.hpp"
#include "service/store/troubles.hpp"
#include "service/store/workers.hpp"
#include "tests/support/job_scene.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

/// The class `cpu` is one of the fleet; its machines have the CPU "Xeon".
struct ClassScene : test::JobScene {
    ClassScene() {
        config.fleet.emplace();
        config.fleet->machine_classes["cpu"].max_allocations = 4;
        one = show_as("one", "Xeon");
        two = show_as("two", "Xeon");
    }

    WorkerId show_as(const std::string& name, const std::string& cpu_model, bool leaves = false) {
        Fingerprint shown;
        shown.cpu_model = cpu_model;
        shown.cpus = 8;
        return upsert_worker(db, config, name, shown, leaves, now_s);
    }
    std::string state(WorkerId worker) {
        return db.find<std::string>("SELECT state FROM worker WHERE id = ?1", worker).value();
    }
    std::string held(WorkerId worker) {
        return db.find<std::string>("SELECT held FROM worker WHERE id = ?1", worker).value();
    }
};

}  // namespace

TEST_CASE("Who differs from a class of the fleet gets no job, and is told", "[service][schedule]") {
    ClassScene scene;
    const auto odd = scene.show_as("cpu@n3", "EPYC");
    CHECK(scene.state(odd) == "quarantined");
    scene.add_job({scene.add_build()});
    CHECK_FALSE(scene.claim(odd));
    const auto troubles = list_troubles(scene.db, "worker.quarantined");
    REQUIRE(troubles.size() == 1);
    CHECK_THAT(
        troubles[0].message,
        Contains("cpu@n3") && Contains("differs from class cpu: CPU 'EPYC' instead of 'Xeon'") &&
            Contains("vigil worker release cpu@n3"));
    CHECK(scene.state(scene.show_as("cpu@n4", "Xeon")) == "active");
    CHECK(scene.claim(*find_worker(scene.db, "cpu@n4")));
    // It was repaired.
    CHECK(scene.state(scene.show_as("cpu@n3", "Xeon")) == "active");
    CHECK(list_troubles(scene.db, "worker.quarantined").empty());
    CHECK_FALSE(find_differing(scene.db, odd));
}

TEST_CASE("A class that no fleet has takes what its config takes", "[service][schedule]") {
    ClassScene scene;
    scene.config.fleet.reset();
    CHECK(scene.state(scene.show_as("one", "EPYC")) == "active");
}

TEST_CASE("A worker that differs measures once a person releases it as it is", "[service]") {
    ClassScene scene;
    const auto odd = scene.show_as("cpu@n3", "EPYC");
    release_worker(scene.db, "cpu@n3", scene.now_s);
    CHECK(scene.state(scene.show_as("cpu@n3", "EPYC")) == "active");
    CHECK_FALSE(find_differing(scene.db, odd)->is_held);
    CHECK(scene.state(scene.show_as("cpu@n3", "Opteron")) == "quarantined");
    CHECK_THAT(scene.held(odd), Contains("Opteron"));
}

TEST_CASE("A class goes with more than half of its machines", "[service][schedule]") {
    ClassScene scene;
    const auto third = scene.show_as("cpu@n3", "Xeon, new");
    const auto fourth = scene.show_as("cpu@n4", "Xeon, new");
    CHECK(scene.state(third) == "quarantined");
    CHECK(scene.state(fourth) == "quarantined");  // two of four
    scene.show_as("two", "Xeon, new");
    CHECK(scene.state(scene.two) == "active");
    CHECK(scene.state(third) == "active");
    CHECK(scene.state(fourth) == "active");
    CHECK(scene.count("differing_worker") == 0);
    CHECK(
        scene.count(
            "event",
            "kind = 'class.changed' AND subject = 'class/cpu' AND message = "
            "'most machines of class cpu have CPU ''Xeon, new'' instead of ''Xeon'' now'") == 1);
    CHECK(scene.state(scene.show_as("one", "Xeon")) == "quarantined");
}

TEST_CASE("Machines that are gone do not say for ever what a class is", "[service][schedule]") {
    ClassScene scene;
    const auto third = scene.show_as("cpu@n3", "EPYC");
    CHECK(scene.state(third) == "quarantined");
    scene.now_s += counts_for_s;
    release_worker(scene.db, "cpu@n3", scene.now_s);
    CHECK(scene.state(scene.show_as("cpu@n3", "Opteron")) == "active");
    CHECK(find_class_fingerprint(scene.db, scene.machine_class)->cpu_model == "Opteron");
}

TEST_CASE("A machine held for another reason stays held for that", "[service][schedule]") {
    ClassScene scene;
    hold_worker(scene.db, scene.two, "its canary moved", scene.now_s);
    scene.show_as("two", "EPYC");
    CHECK(scene.held(scene.two) == "its canary moved");
    CHECK_FALSE(find_differing(scene.db, scene.two));
    const auto odd = scene.show_as("cpu@n3", "EPYC, too");
    hold_worker(scene.db, odd, "a person: its fan stands still", scene.now_s);
    scene.show_as("cpu@n3", "Xeon");
    CHECK(scene.held(odd) == "a person: its fan stands still");
    CHECK_FALSE(find_differing(scene.db, odd));
}

TEST_CASE("Who says that it leaves is not compared", "[service][schedule]") {
    ClassScene scene;
    CHECK(scene.state(scene.show_as("cpu@n3", "EPYC", true)) == "draining");
}
