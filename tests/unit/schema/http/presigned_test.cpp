// Signatures that AWS publishes: of "Authenticating Requests: Using Query Parameters" of S3's
// reference, and of the signing test suite of awslabs/aws-c-auth (Apache 2.0).

#include "schema/http/presigned.hpp"

#include <catch2/catch.hpp>

#include "schema/wire/digest.hpp"

using namespace vigil;
using namespace vigil::http;

namespace {

std::string signature_of(const std::string& path) {
    return path.substr(path.find("&X-Amz-Signature=") + 17);
}

}  // namespace

TEST_CASE("A presigned address is the one that S3's reference shows", "[http]") {
    PresignedRequest request;
    request.base = parse_base_url("https://examplebucket.s3.amazonaws.com");
    request.path = "/test.txt";
    request.region = "us-east-1";
    request.now_s = 1'369'353'600;  // 2013-05-24
    request.lasts_s = 86'400;
    const SigningKey key{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"};
    CHECK(
        presign(request, key) ==
        "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
        "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
        "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
        "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
    const auto signature = signature_of(presign(request, key));
    request.method = "PUT";
    CHECK(signature_of(presign(request, key)) != signature);
    request.method = "GET";
    request.lasts_s = 86'401;
    CHECK(signature_of(presign(request, key)) != signature);
    request.lasts_s = 86'400;
    request.path = "/test.txu";
    CHECK(signature_of(presign(request, key)) != signature);
}

TEST_CASE("Signatures are those of the signing test suite", "[http]") {
    const SigningKey key{"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"};
    PresignedRequest request;
    request.base = parse_base_url("https://example.amazonaws.com");
    request.region = "us-east-1";
    request.service = "service";
    request.now_s = 1'440'938'160;  // 2015-08-30 12:36
    request.lasts_s = 3600;
    request.payload = wire::sha256("").str();
    request.query = {{"Param2", "value2"}, {"Param1", "value1"}};
    CHECK(
        signature_of(presign(request, key)) ==
        "86012e2c9ad4d77369f5d81c11f75158aae4f895a085212cc6d3f923d300bed5");
}

TEST_CASE("A bucket in the path of a port is signed with both", "[http]") {
    PresignedRequest request;
    request.base = parse_base_url("http://127.0.0.1:4568/bucket");
    request.path = "/key";
    request.region = "eu-central-1";
    const auto one = presign(request, {"id", "secret"});
    CHECK(one.starts_with("/key?X-Amz-Algorithm="));
    request.base.port = 4569;
    CHECK(signature_of(presign(request, {"id", "secret"})) != signature_of(one));
    request.base.port = 4568;
    request.base.prefix = "/other";
    CHECK(signature_of(presign(request, {"id", "secret"})) != signature_of(one));
}

TEST_CASE("An address is taken apart into a service and a path", "[http]") {
    const auto [base, path] = parse_url("https://store.example:8443/b/k?X-A=1&B=%2F");
    CHECK(base.secure);
    CHECK(base.host == "store.example");
    CHECK(base.port == 8443);
    CHECK(base.prefix.empty());
    CHECK(path == "/b/k?X-A=1&B=%2F");
    CHECK(parse_url("http://h").path == "/");
    for (const std::string bad :
         {"/b/k",
          "ftp://h/x",
          "http://user@h/x",
          "http://h/a b",
          "http://h/a\r\nx: y",
          "http://h/#a",
          "http://h?x=/",
          "http:///x",
          "http://h/%zz",
          ""}) {
        CAPTURE(bad);
        CHECK_THROWS_AS(parse_url(bad), Error);
    }
    CHECK_THROWS_AS(parse_url("http://h/" + std::string(max_target_bytes, 'a')), Error);
}
