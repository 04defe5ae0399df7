#include "schema/http/event_reader.hpp"

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"

using namespace vigil;
using http::EventReader;

TEST_CASE("Server-sent events are read in any pieces", "[schema][http]") {
    const std::string stream =
        "retry: 3000\n\n: hello\nid: 7\ndata: {\"a\":1}\n\n:\n\nevent: x\r\nid:8\r\n"
        "data: one\r\ndata:two\r\n\r\ndata\n\nid: 9\ndata: not yet";
    for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
        EventReader reader;
        std::vector<http::SentEvent> all;
        for (std::size_t at = 0; at < stream.size(); at += piece) {
            for (auto& event : reader.feed(stream.substr(at, piece))) all.push_back(event);
        }
        REQUIRE(all.size() == 3);
        CHECK(all[0].id == "7");
        CHECK(all[0].data == R"({"a":1})");
        CHECK(all[1].id == "8");
        CHECK(all[1].data == "one\ntwo");
        CHECK(all[2].id == "8");
        CHECK(all[2].data.empty());
    }
}

TEST_CASE("A stream of one endless event is given up", "[schema][http]") {
    EventReader reader;
    const std::string much(600'000, 'x');
    CHECK(reader.feed("data: " + much + "\n").empty());
    CHECK_THROWS_AS(reader.feed("data: " + much), Error);
}
