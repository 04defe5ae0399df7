#pragma once

#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace vigil::test {

struct CannedRequest {
    std::string method;
    std::string target;                          ///< path with query, as sent
    std::map<std::string, std::string> headers;  ///< lower-case names
    std::string body;
};

enum class Fault {
    none,
    hang_up,  ///< the connection is closed without an answer
    silence,  ///< no answer until the server ends
    cut,      ///< the connection is closed within the body, after `cut_after` bytes of it
};

struct CannedReply {
    int status = 200;
    std::string body;
    std::map<std::string, std::string> headers;  ///< content-length too, where there is no body
    Fault fault = Fault::none;
    std::size_t cut_after = 0;
};

class Certificate;

/// A real HTTP/1.1 server on a free port of the loopback, one connection after another, with the
/// answers a test gives it. The handler runs on the server's thread. With a certificate it speaks
/// TLS with who begins so, and whoever asks it for a tunnel (CONNECT, 200) finds it at the end.
class CannedServer {
  public:
    using Handler = std::function<CannedReply(const CannedRequest&)>;

    /// @param certificate  outlives the server; null: no TLS
    explicit CannedServer(Handler handler, const Certificate* certificate = nullptr);
    ~CannedServer();
    CannedServer(const CannedServer&) = delete;
    CannedServer& operator=(const CannedServer&) = delete;

    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  private:
    void serve();
    void answer(int connection);
    /// @return  whether the connection stays open, silent
    bool respond(int connection);

    Handler handler_;
    const Certificate* certificate_;
    int listener_ = -1;
    int port_ = 0;
    std::vector<int> silent_;  // the server's thread only, until it ended
    std::thread thread_;
};

}  // namespace vigil::test
