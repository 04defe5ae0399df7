#include "service/store/object_copies.hpp"

#include <catch2/catch.hpp>

#include "schema/wire/digest.hpp"
#include "service/store/content_index.hpp"
#include "service/store/migrate.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

const std::string here = "https://s3.example/b";

struct Copies {
    Database db = Database::open_writer(":memory:");

    Copies() { migrate(db); }

    Digest add(const std::string& name, ContentKind kind, std::int64_t now_s, int bytes = 100) {
        const auto digest = wire::sha256(name);
        record_content(db, digest, bytes, kind, now_s);
        return digest;
    }
    CopyWork begin(const std::string& bucket = here, int limit = 10) {
        return begin_copies(db, bucket, 1000, limit);
    }
};

}  // namespace

TEST_CASE("Products and archives are sent, the newest first, each with a row", "[store]") {
    Copies copies;
    const auto product = copies.add("p", ContentKind::product, 1);
    const auto archive = copies.add("a", ContentKind::artifact, 2);
    copies.add("log", ContentKind::log, 3);
    copies.add("tree", ContentKind::source, 3);
    copies.add("large", ContentKind::product, 3, 1001);
    CHECK(copies.begin(here, 1).send == std::vector{archive});
    CHECK(copies.begin().send == std::vector{archive, product});
    CHECK_FALSE(has_copy(copies.db, here, product));
    note_copied(copies.db, here, product, 5);
    CHECK(has_copy(copies.db, here, product));
    CHECK_FALSE(has_copy(copies.db, "https://other.example/b", product));
    CHECK(copies.begin().send == std::vector{archive});
    CHECK(copies.begin("https://other.example/b").send == std::vector{archive, product});
}

TEST_CASE("A copy whose content is gone is handed out no more, and removed", "[store]") {
    Copies copies;
    const auto product = copies.add("p", ContentKind::product, 1);
    copies.begin();
    note_copied(copies.db, here, product, 2);
    forget_content(copies.db, product);
    CHECK(copies.begin().remove == std::vector{product});
    CHECK_FALSE(has_copy(copies.db, here, product));
    SECTION("it is removed again until that is noted") {
        CHECK(copies.begin().remove == std::vector{product});
        forget_copy(copies.db, here, product);
        CHECK(copies.begin().remove.empty());
    }
    SECTION("it comes back meanwhile, and is sent again") {
        copies.add("p", ContentKind::product, 3);
        const auto work = copies.begin();
        CHECK(work.remove.empty());
        CHECK(work.send == std::vector{product});
        forget_copy(copies.db, here, product);  // of the removal that was under way
        note_copied(copies.db, here, product, 4);
        CHECK_FALSE(has_copy(copies.db, here, product));
        CHECK(copies.begin().send == std::vector{product});
    }
    SECTION("what was evicted while it was sent is removed next") {
        note_copied(copies.db, here, product, 4);
        CHECK(copies.begin().remove == std::vector{product});
    }
}
