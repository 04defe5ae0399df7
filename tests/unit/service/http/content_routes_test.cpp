#include "service/http/content_routes.hpp"

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::service;

namespace {

const std::string tag = "\"aa\"";

http::Response reply(const http::Headers& asked) {
    http::Request request;
    request.method = "GET";
    request.headers = asked;
    http::Response response;
    response.headers["etag"] = tag;
    apply_range(request, response, 100);
    return response;
}

}  // namespace

TEST_CASE("A range is cut to the file, or passed over", "[service][http]") {
    CHECK(find_range("bytes=0-0", 100) == http::FilePart{0, 1});
    CHECK(find_range("bytes=10-", 100) == http::FilePart{10, 90});
    CHECK(find_range("bytes=10-1000", 100) == http::FilePart{10, 90});
    CHECK(find_range("bytes=-7", 100) == http::FilePart{93, 7});
    CHECK(find_range("bytes=-700", 100) == http::FilePart{0, 100});
    for (const auto* field :
         {"bytes=100-",
          "bytes=5-4",
          "bytes=-0",
          "bytes=-",
          "bytes=",
          "bytes=5",
          "bytes=0-1,5-6",
          "bytes=a-b",
          "bytes=+1-2",
          "bytes=1-2x",
          "bytes=1-x",
          "bytes=99999999999999999999-",
          "lines=1-2",
          ""}) {
        CAPTURE(field);
        CHECK_FALSE(find_range(field, 100));
    }
    CHECK_FALSE(find_range("bytes=-1", 0));
    CHECK_FALSE(find_range("bytes=0-", 0));
}

TEST_CASE("A part is sent of the file that is meant, to who lacks it", "[service][http]") {
    const auto part = reply({{"range", "bytes=10-19"}, {"if-range", tag}});
    CHECK(part.status == 206);
    CHECK(part.part == http::FilePart{10, 10});
    CHECK(part.headers.at("content-range") == "bytes 10-19/100");
    CHECK(reply({}).status == 200);
    CHECK(reply({}).headers.at("accept-ranges") == "bytes");
    CHECK(reply({{"range", "bytes=10-19"}, {"if-range", "\"bb\""}}).status == 200);
    CHECK(reply({{"range", "bytes=10-19"}, {"if-none-match", tag}}).status == 200);
    CHECK(reply({{"range", "bytes=10-19"}, {"if-none-match", "\"bb\""}}).status == 206);
}
