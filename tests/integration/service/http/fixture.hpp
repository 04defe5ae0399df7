#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>

#include "schema/http/client.hpp"
#include "schema/wire/digest.hpp"
#include "service/config/config.hpp"
#include "service/http/server.hpp"
#include "service/runtime/clock.hpp"
#include "service/runtime/lanes.hpp"
#include "service/store/content_store.hpp"
#include "service/store/database.hpp"
#include "service/store/migrate.hpp"
#include "service/store/tokens.hpp"
#include "service/store/writer_lane.hpp"

// A whole service on port 0 with a ledger of its own, and raw sockets to attack it with.

namespace vigil::service::testing {

/// A folder that is removed at the end.
class Folder {
  public:
    Folder()
        : path(std::filesystem::temp_directory_path() / ("vigil-http-" + wire::random_hex(8))) {
        std::filesystem::create_directories(path);
    }
    ~Folder() {
        std::error_code ignored;  // a leftover in the temporary folder harms nobody
        std::filesystem::remove_all(path, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::filesystem::path path;
};

/// The system's clock, whose time of day can be made to stand still.
class TestClock : public SystemClock {
  public:
    std::int64_t now_ns() const override {
        const auto held = held_ns_.load();
        return held != 0 ? held : SystemClock::now_ns();
    }
    void hold() { held_ns_ = SystemClock::now_ns(); }

  private:
    std::atomic<std::int64_t> held_ns_ = 0;
};

inline Config small_config(const Folder& folder) {
    Config config;
    config.state_dir = folder.path.string();
    config.http.port = 0;
    config.http.open_reads = OpenReads::local;
    config.ledger.ballast_bytes = 4096;
    config.machine_classes["small"] = MachineClassConfig{};
    config.workers["worker-one"] = WorkerConfig{"small"};
    config.workers["worker-two"] = WorkerConfig{"small"};
    ProjectConfig project;
    project.name = "demo";
    config.projects["demo"] = project;
    return config;
}

/// For what has to come, on a machine that does other work too.
constexpr std::chrono::seconds long_enough{300};

/// The parts of a daemon that HTTP needs, running on a thread of their own.
class Service {
  public:
    using Adjust = std::function<void(Config&)>;

    explicit Service(const Adjust& adjust = {})
        : config_(adjusted(adjust)),
          writer_(open_ledger(), 256),
          reader_(Database::open_reader(ledger()), 256),
          long_readers_(
              2, [this] { return Database::open_reader(ledger()); }, 256),
          intake_(Intake{}, 256),
          imports_(Intake{}, 256),
          content_(ContentStore(folder_.path / "content"), 256),
          server_(
              io_,
              ApiContext{
                  config_,
                  clock_,
                  writer_,
                  reader_,
                  long_readers_,
                  intake_,
                  imports_,
                  content_,
                  [this] { ++wakes; }}) {
        server_.start();
        thread_ = std::thread([this] { io_.run(); });
    }
    ~Service() {
        if (!drained_) drain(std::chrono::milliseconds(200));
        guard_.reset();
        thread_.join();
    }
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    void drain(std::chrono::milliseconds deadline) {
        boost::asio::co_spawn(io_, server_.drain(deadline), boost::asio::use_future).get();
        drained_ = true;
    }

    /// Runs work on the writer, as the tick would.
    template <class Work>
    auto change(Work work) {
        using Result = std::invoke_result_t<Work&, Database&>;
        auto task = [this, &work]() -> boost::asio::awaitable<Result> {
            co_return co_await writer_.run([&](Database& db) { return work(db); });
        };
        return boost::asio::co_spawn(io_, task(), boost::asio::use_future).get();
    }

    std::string token(const std::string& name, Scopes scopes) {
        return change([&](Database& db) { return create_token(db, name, scopes, 1); });
    }

    /// From now on, what is asked twice is answered alike: no age grows by a second meanwhile.
    void hold_time() { clock_.hold(); }

    void notify_work() {
        std::promise<void> done;
        boost::asio::post(io_, [&] {
            server_.notify_work();
            done.set_value();
        });
        done.get_future().get();
    }

    /// Until then nothing that was measured elsewhere is read.
    void hold_imports(std::shared_future<void> until) {
        boost::asio::co_spawn(io_, hold(std::move(until)), boost::asio::detached);
    }

    std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }
    std::uint16_t port() const { return server_.port(); }
    http::Client client(const std::string& secret = "") const {
        return http::Client(url(), secret);
    }
    const Folder& folder() const { return folder_; }
    const Config& config() const { return config_.now(); }

    std::atomic<int> wakes = 0;

  private:
    boost::asio::awaitable<void> hold(std::shared_future<void> until) {
        co_await imports_.run([&](Intake&) { until.wait(); });
    }
    Config adjusted(const std::function<void(Config&)>& adjust) const {
        Config config = small_config(folder_);
        if (adjust) adjust(config);
        return config;
    }
    std::filesystem::path ledger() const { return folder_.path / "ledger.db"; }
    Database open_ledger() const {
        auto db = Database::open_writer(ledger());
        migrate(db);
        return db;
    }

    Folder folder_;
    LiveConfig config_;
    TestClock clock_;
    boost::asio::io_context io_;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_{
        io_.get_executor()};
    WriterLane writer_;
    Lane<Database> reader_;
    Lanes<Database> long_readers_;
    Lane<Intake> intake_;
    Lane<Intake> imports_;
    Lane<ContentStore> content_;
    HttpServer server_;
    bool drained_ = false;
    std::thread thread_;
};

/// A client that sends what it likes. Reads give up when it is surely not coming.
class RawSocket {
  public:
    explicit RawSocket(std::uint16_t port) : socket_(io_) {
        socket_.connect({boost::asio::ip::address_v4::loopback(), port});
        const timeval limit{long_enough.count(), 0};
        setsockopt(socket_.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    }

    void send(std::string_view bytes) {
        boost::asio::write(socket_, boost::asio::buffer(bytes.data(), bytes.size()));
    }
    /// As send, for when the service may close meanwhile.
    void try_send(std::string_view bytes) {
        boost::system::error_code ignored;  // the answer tells
        boost::asio::write(socket_, boost::asio::buffer(bytes.data(), bytes.size()), ignored);
    }

    /// Everything until the service closes; "...timeout" at its end when it does not.
    std::string read_all() {
        std::string all;
        for (;;) {
            char piece[4096];
            const auto count = ::recv(socket_.native_handle(), piece, sizeof piece, 0);
            if (count == 0) return all;
            if (count < 0) {
                if (errno == EAGAIN) all += "...timeout";
                return all;
            }
            all.append(piece, static_cast<std::size_t>(count));
        }
    }

    /// One answer with Content-Length, head and body.
    std::string read_answer() {
        while (text_.find("\r\n\r\n") == std::string::npos) {
            if (!read_more()) return std::exchange(text_, "");
        }
        const auto head_end = text_.find("\r\n\r\n") + 4;
        std::size_t length = 0;
        const auto at = text_.find("Content-Length: ");
        if (at < head_end) length = std::stoul(text_.substr(at + 16));
        while (text_.size() < head_end + length) {
            if (!read_more()) break;
        }
        const std::string answer = text_.substr(0, head_end + length);
        text_.erase(0, head_end + length);
        return answer;
    }

    /// Everything up to `end`, with it; less when the service closes before.
    std::string read_until(std::string_view end) {
        auto at = text_.find(end);
        while (at == std::string::npos && read_more()) at = text_.find(end);
        if (at == std::string::npos) return std::exchange(text_, "");
        const std::string all = text_.substr(0, at + end.size());
        text_.erase(0, all.size());
        return all;
    }

    void close() { socket_.close(); }

  private:
    bool read_more() {
        char piece[4096];
        const auto count = ::recv(socket_.native_handle(), piece, sizeof piece, 0);
        if (count <= 0) return false;
        text_.append(piece, static_cast<std::size_t>(count));
        return true;
    }

    boost::asio::io_context io_;
    boost::asio::ip::tcp::socket socket_;
    std::string text_;
};

inline int status_of(const std::string& answer) {
    return answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9, 3)) : 0;
}

}  // namespace vigil::service::testing
