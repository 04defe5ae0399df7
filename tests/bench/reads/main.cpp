// Asks a daemon for paths at a fixed pace, while workers claim jobs and send results at theirs, and
// prints as JSON how long the answers took. Every request has its time: one that begins late
// because of the one before counts from when it was due. Asserts nothing.
//
// usage: bench_reads PORT TOKEN PATHS RATE CALLERS SECONDS [WORKERS RESULTS]
//   PATHS    a file of lines "KIND PATH"; a caller asks for them in turn, RATE a second in all. The
//            kind "unchanged" is asked with the ETag of the answer before it
//   WORKERS  a file of a worker's token a line; they claim a job and send its result, RESULTS times
//            a second in all. The product of its build must be there

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "schema/model/job.hpp"

namespace vigil::bench {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using Clock = std::chrono::steady_clock;
using Request = beast::http::request<beast::http::string_body>;
using Response = beast::http::response<beast::http::string_body>;
using Json = nlohmann::json;

struct Wish {
    std::string kind;
    std::string path;
};

struct Options {
    std::uint16_t port = 0;
    std::string token;
    std::vector<Wish> wishes;
    double rate = 0;
    int callers = 0;
    std::chrono::seconds seconds{0};
    std::vector<std::string> workers;
    double results = 0;
};

/// What was seen of one kind of request.
struct Seen {
    std::vector<double> times_ms;
    std::map<int, int> statuses;
    std::size_t bytes = 0;

    void note(double time_ms, const Response& response) {
        times_ms.push_back(time_ms);
        ++statuses[static_cast<int>(response.result_int())];
        bytes += response.body().size();
    }
};
using AllSeen = std::map<std::string, Seen>;

/// One kept connection.
class Link {
  public:
    explicit Link(const asio::any_io_executor& io) : socket_(io) {}

    asio::awaitable<void> connect(std::uint16_t port) {
        const asio::ip::tcp::endpoint end(asio::ip::address_v4::loopback(), port);
        co_await socket_.async_connect(end, asio::use_awaitable);
        socket_.set_option(asio::ip::tcp::no_delay(true));
    }

    asio::awaitable<Response> send(Request request) {
        request.set(beast::http::field::host, "localhost");
        request.prepare_payload();
        co_await beast::http::async_write(socket_, request, asio::use_awaitable);
        Response response;
        co_await beast::http::async_read(socket_, buffer_, response, asio::use_awaitable);
        co_return response;
    }

  private:
    asio::ip::tcp::socket socket_;
    beast::flat_buffer buffer_;
};

Request request_of(
    beast::http::verb method, const std::string& path, const std::string& token, const Json* body) {
    Request request(method, path, 11);
    request.set(beast::http::field::authorization, "Bearer " + token);
    if (body != nullptr) {
        request.set(beast::http::field::content_type, "application/json");
        request.body() = body->dump();
    }
    return request;
}

double ms_since(Clock::time_point begun) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begun).count();
}

Clock::duration seconds_of(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

asio::awaitable<void> wait_until(Clock::time_point due) {
    if (Clock::now() >= due) co_return;
    asio::steady_timer timer(co_await asio::this_coro::executor, due);
    co_await timer.async_wait(asio::use_awaitable);
}

asio::awaitable<void> read_on(
    const Options& options, int number, Clock::time_point begin, AllSeen& seen) {
    Link link(co_await asio::this_coro::executor);
    co_await link.connect(options.port);
    const auto gap = seconds_of(options.callers / options.rate);
    auto due = begin + gap * number / options.callers;
    std::string tag;
    auto at = static_cast<std::size_t>(number);
    for (; due < begin + options.seconds; due += gap) {
        co_await wait_until(due);
        const auto& wish = options.wishes[at % options.wishes.size()];
        at += static_cast<std::size_t>(options.callers);
        auto request = request_of(beast::http::verb::get, wish.path, options.token, nullptr);
        if (wish.kind == "unchanged") request.set(beast::http::field::if_none_match, tag);
        const Response response = co_await link.send(std::move(request));
        seen[wish.kind].note(ms_since(due), response);
        tag = std::string(response[beast::http::field::etag]);
    }
}

Json claim_body() {
    const Json machine = {
        {"cpu_model", "x"},
        {"cpus", 2},
        {"memory_bytes", std::int64_t{1} << 34},
        {"gpus", Json::array()},
        {"labels", Json::object()},
        {"toolchain", "none"}};
    return {
        {"protocol", protocol_version},
        {"fingerprint", machine},
        {"wait_s", 0},
        {"draining", false}};
}

/// A run of each step, with ten samples of each of four metrics.
Json result_of(const Json& lease) {
    Json runs = Json::array();
    const auto job = lease.at("job").get<std::int64_t>();
    for (std::size_t step = 0; step < lease.at("plan").at("steps").size(); ++step) {
        Json samples = Json::array();
        for (const auto* metric :
             {"cpu_time_ns", "wall_time_ns", "peak_process_bytes", "peak_growth_bytes"}) {
            std::vector<double> values;
            for (int n = 0; n < 10; ++n) {
                values.push_back(1e6 + static_cast<double>((job * 7919 + n * 104729) % 977));
            }
            samples.push_back({{"metric", metric}, {"values", values}});
        }
        runs.push_back(
            {{"step", step},
             {"outcome", "passed"},
             {"message", ""},
             {"started_at_ns", step + 1},
             {"duration_ns", 1},
             {"samples", samples}});
    }
    const Json record = {{"facts", {{"kernel", "k"}}}, {"readings", Json::object()}};
    return {
        {"builds", Json::array()},
        {"runs", runs},
        {"before", record},
        {"after", record},
        {"failure", ""}};
}

asio::awaitable<void> work_on(
    const Options& options, std::size_t number, Clock::time_point begin, AllSeen& seen) {
    const auto& token = options.workers[number];
    const auto count = static_cast<double>(options.workers.size());
    Link link(co_await asio::this_coro::executor);
    co_await link.connect(options.port);
    const auto gap = seconds_of(count / options.results);
    auto due = begin + gap * static_cast<int>(number) / static_cast<int>(options.workers.size());
    const Json wish = claim_body();
    for (; due < begin + options.seconds; due += gap) {
        co_await wait_until(due);
        auto claim = request_of(beast::http::verb::post, "/api/v1/worker/claim", token, &wish);
        const Response claimed = co_await link.send(std::move(claim));
        seen["claim"].note(ms_since(due), claimed);
        if (claimed.result_int() != 200) continue;
        const Json lease = Json::parse(claimed.body());
        const Json body = result_of(lease);
        const std::string path = "/api/v1/worker/jobs/" + lease.at("job").dump() + "/attempts/" +
                                 lease.at("attempt").dump() + "/result";
        const auto begun = Clock::now();
        auto result = request_of(beast::http::verb::put, path, token, &body);
        const Response taken = co_await link.send(std::move(result));
        seen["result"].note(ms_since(begun), taken);
    }
}

Options read_options(const std::vector<std::string>& given) {
    Options options;
    options.port = static_cast<std::uint16_t>(std::stoi(given.at(0)));
    options.token = given.at(1);
    std::ifstream paths(given.at(2));
    for (Wish wish; paths >> wish.kind >> wish.path;) options.wishes.push_back(wish);
    options.rate = std::stod(given.at(3));
    options.callers = std::stoi(given.at(4));
    options.seconds = std::chrono::seconds(std::stoi(given.at(5)));
    if (given.size() > 7) {
        std::ifstream workers(given.at(6));
        for (std::string token; workers >> token;) options.workers.push_back(token);
        options.results = std::stod(given.at(7));
    }
    return options;
}

Json told(Seen& seen) {
    auto& times = seen.times_ms;
    std::sort(times.begin(), times.end());
    const auto at = [&](double share) {
        const auto place = static_cast<std::size_t>(static_cast<double>(times.size()) * share);
        return times[std::min(place, times.size() - 1)];
    };
    Json statuses = Json::object();
    for (const auto& [status, count] : seen.statuses) statuses[std::to_string(status)] = count;
    return {
        {"count", times.size()},
        {"p50_ms", at(0.5)},
        {"p99_ms", at(0.99)},
        {"worst_ms", times.back()},
        {"bytes", seen.bytes / times.size()},
        {"statuses", statuses}};
}

double own_cpu_s() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void run(const Options& options) {
    asio::io_context io(1);
    AllSeen reads;
    AllSeen writes;
    const auto rethrow = [](std::exception_ptr failure) {
        if (failure) std::rethrow_exception(failure);
    };
    const auto begin = Clock::now() + std::chrono::milliseconds(200);
    for (int number = 0; options.rate > 0 && number < options.callers; ++number) {
        asio::co_spawn(io, read_on(options, number, begin, reads), rethrow);
    }
    for (std::size_t number = 0; options.results > 0 && number < options.workers.size(); ++number) {
        asio::co_spawn(io, work_on(options, number, begin, writes), rethrow);
    }
    io.run();
    const auto took_ms = ms_since(begin);
    Seen all;
    Json kinds = Json::object();
    for (auto& [kind, seen] : reads) {
        all.times_ms.insert(all.times_ms.end(), seen.times_ms.begin(), seen.times_ms.end());
        for (const auto& [status, count] : seen.statuses) all.statuses[status] += count;
        all.bytes += seen.bytes;
        kinds[kind] = told(seen);
    }
    Json answer = {{"took_s", took_ms / 1e3}, {"own_cpu_s", own_cpu_s()}, {"kinds", kinds}};
    if (!all.times_ms.empty()) answer["reads"] = told(all);
    for (auto& [kind, seen] : writes) answer[kind] = told(seen);
    std::cout << answer.dump() << "\n";
}

}  // namespace
}  // namespace vigil::bench

int main(int count, char** arguments) {
    if (count < 7) {
        std::cerr << "usage: bench_reads PORT TOKEN PATHS RATE CALLERS SECONDS [WORKERS RESULTS]\n";
        return 2;
    }
    try {
        vigil::bench::run(vigil::bench::read_options({arguments + 1, arguments + count}));
    } catch (const std::exception& error) {
        std::cerr << "bench_reads: " << error.what() << "\n";
        return 1;
    }
    return 0;
}
