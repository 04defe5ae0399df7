// Workers of a daemon over real HTTP: as vigil-worker does, each call makes its own connection, and
// each worker comes from an address of its own (127.1.x.y). They claim, hold the job, send a
// heartbeat each third of its lease and hand in a result, at a fixed pace in all; a time counts
// from when the call was due. Others wait for jobs that do not come. Prints JSON, asserts nothing.
//
// usage: bench_workers PORT TOKENS RATE SECONDS METRICS SAMPLES IDLE
//   TOKENS  a file of a worker's token a line; the last IDLE of them only wait
//   RATE    results a second in all

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
namespace http = boost::beast::http;
using Clock = std::chrono::steady_clock;
using Response = http::response<http::string_body>;
using Json = nlohmann::json;

struct Options {
    std::uint16_t port = 0;
    std::vector<std::string> tokens;
    double rate = 0;
    double seconds = 0;
    std::size_t metrics = 1;
    int samples = 30;
    std::size_t idle = 0;
};

/// What was seen of one kind of call.
struct Seen {
    std::vector<double> times_ms;
    std::map<std::string, int> statuses;
};

Clock::duration seconds_of(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

std::string claim_body(int wait_s) {
    const Json machine = {
        {"cpu_model", "x"},
        {"cpus", 2},
        {"memory_bytes", std::int64_t{1} << 34},
        {"gpus", Json::array()},
        {"labels", Json::object()},
        {"toolchain", "none"}};
    const Json body = {
        {"protocol", protocol_version},
        {"fingerprint", machine},
        {"wait_s", wait_s},
        {"draining", false}};
    return body.dump();
}

/// A run of each step, each with so many samples of so many metrics.
std::string result_body(const Json& lease, const Options& options) {
    constexpr const char* names[] = {
        "cpu_time_ns", "wall_time_ns", "peak_process_bytes", "peak_growth_bytes"};
    Json runs = Json::array();
    const auto job = lease.at("job").get<std::int64_t>();
    for (std::size_t step = 0; step < lease.at("plan").at("steps").size(); ++step) {
        Json samples = Json::array();
        for (std::size_t metric = 0; metric < options.metrics; ++metric) {
            std::vector<double> values;
            for (int n = 0; n < options.samples; ++n) {
                values.push_back(1e6 + static_cast<double>((job * 7919 + n * 104729) % 977));
            }
            samples.push_back({{"metric", names[metric]}, {"values", values}});
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
    const Json body = {
        {"builds", Json::array()},
        {"runs", runs},
        {"before", record},
        {"after", record},
        {"failure", ""}};
    return body.dump();
}

class Fleet {
  public:
    explicit Fleet(const Options& options) : options_(options) {}

    Json play() {
        const auto workers = options_.tokens.size() - options_.idle;
        for (std::size_t n = 0; n < options_.tokens.size(); ++n) {
            auto one = n < workers ? work(n, workers) : wait(n);
            asio::co_spawn(io_, std::move(one), [](const std::exception_ptr& failure) {
                if (failure) std::rethrow_exception(failure);
            });
        }
        io_.run();
        return told();
    }

  private:
    /// One call on a connection of its own. A connection that fails is a status of its own.
    asio::awaitable<Response> call(
        std::size_t worker, http::verb method, std::string path, std::string body) {
        asio::ip::tcp::socket socket(io_);
        Response response;
        try {
            socket.open(asio::ip::tcp::v4());
            const auto address = (127U << 24) + (1U << 16) + static_cast<unsigned>(worker) + 1;
            socket.bind({asio::ip::address_v4(address), 0});
            const asio::ip::tcp::endpoint end(asio::ip::address_v4::loopback(), options_.port);
            co_await socket.async_connect(end, asio::use_awaitable);
            http::request<http::string_body> request(method, path, 11);
            request.set(http::field::host, "localhost");
            request.set(http::field::connection, "close");
            request.set(http::field::authorization, "Bearer " + options_.tokens[worker]);
            request.set(http::field::content_type, "application/json");
            request.body() = std::move(body);
            request.prepare_payload();
            co_await http::async_write(socket, request, asio::use_awaitable);
            boost::beast::flat_buffer buffer;
            co_await http::async_read(socket, buffer, response, asio::use_awaitable);
        } catch (const boost::system::system_error& error) {
            response.result(0U);
            response.reason(error.code().message());
        }
        co_return response;
    }

    void note(const char* kind, Clock::time_point due, const Response& response) {
        auto& seen = seen_[kind];
        const auto took = Clock::now() - due;
        seen.times_ms.push_back(std::chrono::duration<double, std::milli>(took).count());
        const auto status = response.result_int();
        ++seen.statuses[status > 0 ? std::to_string(status) : std::string(response.reason())];
    }

    asio::awaitable<void> until(Clock::time_point due) {
        if (Clock::now() >= due) co_return;
        asio::steady_timer timer(io_, due);
        co_await timer.async_wait(asio::use_awaitable);
    }

    asio::awaitable<void> work(std::size_t number, std::size_t workers) {
        const auto gap = seconds_of(static_cast<double>(workers) / options_.rate);
        auto due = begin_ + gap * static_cast<int>(number) / static_cast<int>(workers);
        auto beat = due + seconds_of(20) * static_cast<int>(number) / static_cast<int>(workers);
        for (; due < end_; due += gap) {
            co_await until(due);
            const auto claimed =
                co_await call(number, http::verb::post, "/api/v1/worker/claim", claim_body(0));
            note("claim", due, claimed);
            if (claimed.result_int() != 200) continue;
            const Json lease = Json::parse(claimed.body());
            const auto attempt = "/api/v1/worker/jobs/" + lease.at("job").dump() + "/attempts/" +
                                 lease.at("attempt").dump();
            const auto third = seconds_of(lease.at("ttl_s").get<double>() / 3);
            const auto ends = due + gap * 9 / 10;
            for (beat = std::max(beat, due + gap / 2); beat < ends; beat += third) {
                co_await until(beat);
                const auto answer = co_await call(
                    number, http::verb::post, attempt + "/heartbeat", R"({"progress": "1 of 1"})");
                note("heartbeat", beat, answer);
            }
            auto body = result_body(lease, options_);
            co_await until(ends);
            const auto taken =
                co_await call(number, http::verb::put, attempt + "/result", std::move(body));
            note("result", ends, taken);
        }
    }

    asio::awaitable<void> wait(std::size_t number) {
        while (Clock::now() < end_) {
            const auto left = std::chrono::duration<double>(end_ - Clock::now()).count();
            const int wait_s = std::clamp(static_cast<int>(left), 1, 30);
            const auto due = Clock::now() + std::chrono::seconds(wait_s);
            const auto answer =
                co_await call(number, http::verb::post, "/api/v1/worker/claim", claim_body(wait_s));
            note("wait", due, answer);
            if (answer.result_int() != 204) co_await until(Clock::now() + seconds_of(1));
        }
    }

    Json told() {
        rusage used{};
        getrusage(RUSAGE_SELF, &used);
        const auto cpu_s = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                           static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
        const std::chrono::duration<double> took = Clock::now() - begin_;
        Json all = {{"took_s", took.count()}, {"own_cpu_s", cpu_s}};
        for (auto& [kind, seen] : seen_) {
            auto& times = seen.times_ms;
            std::sort(times.begin(), times.end());
            const auto at = [&](double share) {
                const auto place =
                    static_cast<std::size_t>(static_cast<double>(times.size()) * share);
                return times[std::min(place, times.size() - 1)];
            };
            all["kinds"][kind] = {
                {"count", times.size()},
                {"p50_ms", at(0.5)},
                {"p99_ms", at(0.99)},
                {"worst_ms", times.back()},
                {"statuses", seen.statuses}};
        }
        return all;
    }

    const Options& options_;
    asio::io_context io_{1};
    const Clock::time_point begin_ = Clock::now() + std::chrono::milliseconds(500);
    const Clock::time_point end_ = begin_ + seconds_of(options_.seconds);
    std::map<std::string, Seen> seen_;
};

Options read_options(const std::vector<std::string>& given) {
    Options options;
    options.port = static_cast<std::uint16_t>(std::stoi(given.at(0)));
    std::ifstream tokens(given.at(1));
    for (std::string token; tokens >> token;) options.tokens.push_back(token);
    options.rate = std::stod(given.at(2));
    options.seconds = std::stod(given.at(3));
    options.metrics = std::min<std::size_t>(std::stoul(given.at(4)), 4);
    options.samples = std::stoi(given.at(5));
    options.idle = std::min(std::stoul(given.at(6)), options.tokens.size());
    return options;
}

}  // namespace
}  // namespace vigil::bench

int main(int count, char** arguments) {
    if (count != 8) {
        std::cerr << "usage: bench_workers PORT TOKENS RATE SECONDS METRICS SAMPLES IDLE\n";
        return 2;
    }
    try {
        const auto options = vigil::bench::read_options({arguments + 1, arguments + count});
        std::cout << vigil::bench::Fleet(options).play().dump() << "\n";
    } catch (const std::exception& error) {
        std::cerr << "bench_workers: " << error.what() << "\n";
        return 1;
    }
    return 0;
}
