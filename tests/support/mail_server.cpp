#include "tests/support/mail_server.hpp"

#include <optional>
#include <stdexcept>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "tests/support/tls_side.hpp"

namespace vigil::test {

namespace {

/// Lines of one connection.
class MailLines {
  public:
    explicit MailLines(int connection) : side_(connection) {}

    /// What came before is forgotten: it was not said in secret.
    bool begin_tls(const Certificate& certificate) {
        kept_.clear();
        return side_.begin_tls(certificate);
    }
    bool secure() const { return side_.secure(); }

    std::optional<std::string> next() {
        for (;;) {
            const auto end = kept_.find("\r\n");
            if (end != kept_.npos) {
                auto line = kept_.substr(0, end);
                kept_.erase(0, end + 2);
                return line;
            }
            char buffer[4096];
            const auto count = side_.read(buffer, sizeof buffer);
            if (count == 0) return std::nullopt;
            kept_.append(buffer, count);
        }
    }
    void say(const std::string& line) const { side_.write(line + "\r\n"); }

  private:
    TlsSide side_;
    std::string kept_;
};

std::string between_angles(const std::string& line) {
    const auto begin = line.find('<');
    const auto end = line.find('>');
    return begin == line.npos || end == line.npos ? "" : line.substr(begin + 1, end - begin - 1);
}

/// Up to the line with a dot alone.
bool read_data(MailLines& lines, std::string& data) {
    for (;;) {
        auto line = lines.next();
        if (!line) return false;
        if (*line == ".") return true;
        data += (line->starts_with("..") ? line->substr(1) : *line) + "\r\n";
    }
}

}  // namespace

MailServer::MailServer(MailTls tls, const Certificate* certificate)
    : tls_(tls), certificate_(certificate) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* raw = reinterpret_cast<sockaddr*>(&address);
    if (listener_ < 0 || ::bind(listener_, raw, size) != 0 || ::listen(listener_, 16) != 0 ||
        ::getsockname(listener_, raw, &size) != 0) {
        throw std::runtime_error("the test's mail server cannot listen");
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
}

MailServer::~MailServer() {
    ::shutdown(listener_, SHUT_RDWR);  // wakes the thread out of accept
    thread_.join();
    ::close(listener_);
}

std::vector<ReceivedMail> MailServer::mails() {
    const std::lock_guard lock(mutex_);
    return mails_;
}

void MailServer::fail(MailFault fault) {
    const std::lock_guard lock(mutex_);
    fault_ = std::move(fault);
}

void MailServer::serve() {
    for (;;) {
        const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (connection < 0) return;
        talk(connection);
        ::close(connection);
    }
}

void MailServer::talk(int connection) {
    MailLines lines(connection);
    ReceivedMail mail;
    if (tls_ == MailTls::at_once && !lines.begin_tls(*certificate_)) return;
    lines.say("220 mail.example ESMTP");
    while (auto line = lines.next()) {
        MailFault fault;
        {
            const std::lock_guard lock(mutex_);
            fault = fault_;
        }
        const auto word = line->substr(0, line->find(' '));
        if (!fault.at.empty() && word == fault.at) {
            if (fault.answer.empty()) return;
            lines.say(fault.answer);
            continue;
        }
        const bool may_begin = tls_ == MailTls::when_asked && !lines.secure();
        if (word == "EHLO") {
            lines.say("250-mail.example");
            if (may_begin) lines.say("250-STARTTLS");
            lines.say("250 AUTH PLAIN");
        } else if (word == "STARTTLS" && may_begin) {
            lines.say("220 begin");
            if (!lines.begin_tls(*certificate_)) return;
            mail = {};
        } else if (word == "AUTH") {
            mail.login = line->substr(line->rfind(' ') + 1);
            lines.say("235 welcome");
        } else if (word == "MAIL") {
            mail.from = between_angles(*line);
            lines.say("250 ok");
        } else if (word == "RCPT") {
            mail.to.push_back(between_angles(*line));
            lines.say("250 ok");
        } else if (word == "DATA") {
            lines.say("354 go on");
            if (!read_data(lines, mail.data)) return;
            const bool hangs_up = fault.at == "." && fault.answer.empty();
            const bool refuses = fault.at == "." && !fault.answer.empty();
            mail.secure = lines.secure();
            if (!refuses) {
                const std::lock_guard lock(mutex_);
                mails_.push_back(mail);
            }
            if (hangs_up) return;
            lines.say(refuses ? fault.answer : "250 taken");
        } else if (word == "QUIT") {
            lines.say("221 bye");
            return;
        } else {
            lines.say("502 what?");
        }
    }
}

}  // namespace vigil::test
