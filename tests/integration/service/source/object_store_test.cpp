#include "service/source/object_store.hpp"

#include <fstream>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "schema/wire/digest.hpp"
#include "tests/support/canned_server.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

const Digest digest = wire::sha256("a product");

struct Bucket {
    test::ScratchFolder folder;
    ObjectStoreConfig config{"", "bucket", "eu-central-1", "", true, 60};
    test::CannedReply answer;
    test::CannedRequest last;
    test::CannedServer server{[this](const test::CannedRequest& request) {
        last = request;
        return answer;
    }};
    std::atomic<bool> stop = false;

    Bucket() {
        config.endpoint = server.url();
        config.access_key_file = (folder.path() / "key").string();
        write_key("AKID\nthe secret\n");
    }
    void write_key(const std::string& text) const { std::ofstream(config.access_key_file) << text; }
};

}  // namespace

TEST_CASE("A bucket is in the path or before the endpoint's name", "[source]") {
    ObjectStoreConfig config{"https://s3.example:9000", "b", "r", "", true, 60};
    CHECK(bucket_address(config) == "https://s3.example:9000/b");
    config.path_style = false;
    CHECK(bucket_address(config) == "https://b.s3.example:9000");
}

TEST_CASE("Objects are sent and removed by signed requests without secrets", "[source]") {
    Bucket bucket;
    const ObjectStore store(bucket.config);
    const auto file = bucket.folder.path() / "file";
    std::ofstream(file) << "a product";
    store.put(digest, file, 1'700'000'000, bucket.stop);
    CHECK(bucket.last.method == "PUT");
    CHECK(bucket.last.body == "a product");
    CHECK_THAT(
        bucket.last.target,
        Catch::StartsWith("/bucket/" + digest.str() + "?X-Amz-Algorithm=AWS4-HMAC-SHA256") &&
            Catch::Contains("AKID%2F20231114%2Feu-central-1%2Fs3%2Faws4_request"));
    CHECK(bucket.last.target.find("the%20secret") == std::string::npos);
    CHECK_FALSE(bucket.last.headers.contains("authorization"));
    bucket.answer.status = 204;
    store.remove(digest, 1, bucket.stop);
    CHECK(bucket.last.method == "DELETE");
    bucket.answer.status = 404;
    store.remove(digest, 1, bucket.stop);
    bucket.answer.status = 403;
    CHECK_THROWS_WITH(store.remove(digest, 1, bucket.stop), Catch::Contains("403"));
    CHECK_THROWS_WITH(store.put(digest, file, 1, bucket.stop), Catch::Contains("403"));
    CHECK_THAT(
        store.link(digest, 1), Catch::StartsWith(bucket.server.url() + "/bucket/" + digest.str()));
    CHECK_THAT(store.link(digest, 1), Catch::Contains("X-Amz-Expires=60&"));
}

TEST_CASE("The access key's file has two lines", "[source]") {
    Bucket bucket;
    const auto link = ObjectStore(bucket.config).link(digest, 1);
    bucket.write_key("AKID\r\nthe secret\r\n");
    CHECK(ObjectStore(bucket.config).link(digest, 1) == link);
    for (const std::string text : {"", "AKID\n", "AKID"}) {
        bucket.write_key(text);
        CHECK_THROWS_AS(ObjectStore(bucket.config), Error);
    }
}
