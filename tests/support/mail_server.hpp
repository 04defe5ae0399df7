#pragma once

#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace vigil::test {

struct ReceivedMail {
    std::string from;             ///< as MAIL FROM gives it
    std::vector<std::string> to;  ///< as RCPT TO gives them
    std::string data;             ///< headers and text, lines end with "\r\n"
    std::string login;            ///< what AUTH PLAIN said, in base64; empty: nobody signed in
    bool secure = false;          ///< came over TLS
};

/// What a mail server does wrong, from then on.
struct MailFault {
    std::string at;      ///< command that it answers so: "RCPT", "DATA", "." or "AUTH"
    std::string answer;  ///< "550 no such user"; empty: it hangs up
};

enum class MailTls { never, at_once, when_asked };

class Certificate;

/// A small SMTP server on a free port of the loopback, one connection after another.
class MailServer {
  public:
    /// @param certificate  outlives the server; needed for TLS
    explicit MailServer(MailTls tls = MailTls::never, const Certificate* certificate = nullptr);
    ~MailServer();
    MailServer(const MailServer&) = delete;
    MailServer& operator=(const MailServer&) = delete;

    std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
    std::vector<ReceivedMail> mails();
    void fail(MailFault fault);

  private:
    void serve();
    void talk(int connection);

    const MailTls tls_;
    const Certificate* const certificate_;
    std::mutex mutex_;
    std::vector<ReceivedMail> mails_;
    MailFault fault_;
    int listener_ = -1;
    int port_ = 0;
    std::thread thread_;
};

}  // namespace vigil::test
