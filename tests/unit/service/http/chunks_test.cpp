#include "service/http/chunks.hpp"

#include <catch2/catch.hpp>

using namespace vigil::service;

namespace {

struct Decoded {
    std::string body;
    std::string rest;
    bool done = false;
    bool sound = true;
};

/// Feeds the coded text in pieces of `step` bytes.
Decoded decode(const std::string& coded, std::size_t step) {
    Decoded decoded;
    ChunkDecoder decoder;
    for (std::size_t at = 0; at < coded.size() && decoded.sound; at += step) {
        auto piece = std::string_view(coded).substr(at, step);
        decoded.sound = decoder.feed(piece, decoded.body);
        decoded.rest += piece;
    }
    decoded.done = decoder.done();
    return decoded;
}

}  // namespace

TEST_CASE("A chunked body is decoded however it is cut", "[service][http]") {
    const std::string coded = "4\r\nWiki\r\nA;name=\"v\"\r\n0123456789\r\n0\r\n\r\nGET /next";
    for (std::size_t step = 1; step <= coded.size(); ++step) {
        CAPTURE(step);
        const auto decoded = decode(coded, step);
        CHECK(decoded.sound);
        CHECK(decoded.done);
        CHECK(decoded.body == "Wiki0123456789");
        CHECK(decoded.rest == "GET /next");
    }
}

TEST_CASE("Broken chunks are refused however they are cut", "[service][http]") {
    for (const std::string coded :
         {"4\nWiki\r\n0\r\n\r\n",
          "4\r\nWikipedia\r\n0\r\n\r\n",
          "x\r\n",
          "-1\r\n",
          "0x4\r\nWiki\r\n",
          "4 \r\nWiki\r\n",
          "\r\n",
          "1000000000000000\r\n",
          "0\r\nContent-Length: 5\r\n\r\n",
          "0\r\nX: y\r\n\r\n",
          "4\r\nWiki\n0\r\n\r\n",
          "4;a\rb\r\nWiki\r\n0\r\n\r\n"}) {
        for (const std::size_t step : {std::size_t{1}, std::size_t{3}, coded.size()}) {
            CAPTURE(coded, step);
            CHECK_FALSE(decode(coded, step).sound);
        }
    }
}

TEST_CASE("A chunk's extensions are bounded", "[service][http]") {
    CHECK(decode("1;" + std::string(200, 'a') + "\r\nx\r\n0\r\n\r\n", 64).done);
    CHECK_FALSE(decode("1;" + std::string(100'000, 'a') + "\r\nx\r\n0\r\n\r\n", 64).sound);
}

TEST_CASE("A body that stops short is not done", "[service][http]") {
    const auto decoded = decode("4\r\nWi", 2);
    CHECK(decoded.sound);
    CHECK_FALSE(decoded.done);
    CHECK(decoded.body == "Wi");
}
