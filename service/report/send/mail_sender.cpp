#include "service/report/send/mail_sender.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <curl/curl.h>
#include <date/date.h>
#include <fmt/format.h>

#include "schema/http/secure.hpp"
#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/escape.hpp"
#include "schema/text/redact.hpp"
#include "schema/wire/base64.hpp"
#include "schema/wire/digest.hpp"
#include "service/config/secret.hpp"
#include "service/report/send/message_text.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t line_bytes = 76;
constexpr std::size_t word_bytes = 42;  // 56 in base64: an encoded word has at most 75 characters
constexpr long timeout_s = 60;

/// RFC 2047: encoded words, whatever it holds.
std::string encoded_header(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const auto piece = text::first_bytes(text, word_bytes);
        const auto size = piece.empty() ? 1 : piece.size();  // a byte that is no UTF-8
        if (!out.empty()) out += "\r\n ";
        out += "=?UTF-8?B?" + wire::base64(text.substr(0, size)) + "?=";
        text.remove_prefix(size);
    }
    return out;
}

std::string in_lines(const std::string& text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); at += line_bytes) {
        out += text.substr(at, line_bytes) + "\r\n";
    }
    return out;
}

std::string text_of_part(const MessagePart& part, bool alone) {
    std::string out = alone ? "" : part.title + "\n\n";
    out += alone ? plain_text(part.body) : first_paragraph(part.body, 2000) + "\n";
    if (!part.about.url.empty()) out += "\n" + part.about.url + "\n";
    return out;
}

std::string text_of_mail(const Envelope& envelope) {
    const auto parts = parts_of(envelope);
    std::string out;
    for (const auto& part : parts) {
        if (!out.empty()) out += "\n\n";
        out += text_of_part(part, parts.size() == 1);
    }
    return out;
}

std::string mail_date(std::int64_t now_s) {
    const std::chrono::sys_seconds time{std::chrono::seconds(now_s)};
    return date::format("%a, %d %b %Y %H:%M:%S +0000", time);
}

/// What has no meaning for others: the marker tells ledgers and documents apart.
std::string message_id(const std::string& what) {
    return "<" + wire::sha256(what).str().substr(0, 32) + "@vigil.invalid>";
}

struct Upload {
    std::string_view left;
};

std::size_t read_some(char* buffer, std::size_t size, std::size_t count, void* upload) {
    auto& left = static_cast<Upload*>(upload)->left;
    const auto bytes = std::min(size * count, left.size());
    std::memcpy(buffer, left.data(), bytes);
    left.remove_prefix(bytes);
    return bytes;
}

struct Recipients {
    ~Recipients() { curl_slist_free_all(list); }
    curl_slist* list = nullptr;
};

SendReply reply_of_curl(CURLcode code, long status, const std::string& why) {
    if (code == CURLE_OK) return sent("");
    auto reply = later(fmt::format(
        "sending the mail: {}{}",
        text::harmless(why.empty() ? curl_easy_strerror(code) : why, 300),
        status > 0 ? fmt::format(" (it answered {})", status) : ""));
    reply.unanswered = code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_CONNECT ||
                       code == CURLE_OPERATION_TIMEDOUT || code == CURLE_GOT_NOTHING ||
                       code == CURLE_RECV_ERROR;
    // 5xx after who signs in: an address or the mail itself is refused, for good.
    if (code == CURLE_SEND_ERROR && status >= 550 && status < 560) {
        reply.outcome = SendOutcome::refused;
    }
    if (code == CURLE_LOGIN_DENIED) reply.message += "; user or password is wrong";
    if (code == CURLE_PEER_FAILED_VERIFICATION) {
        reply.message += "; name the file of its authority in SSL_CERT_FILE, or mend the address";
    }
    return reply;
}

CURLcode trust_as_everywhere(CURL*, void* context, void*) {
    http::trust_authorities(static_cast<SSL_CTX*>(context));
    return CURLE_OK;
}

/// What is said to a server that it may repeat: the password, plain and as SASL writes it.
std::vector<std::string> secrets_of(const ReportTarget& target, const std::string& password) {
    using namespace std::string_literals;
    const auto plain = "\0"s + target.user + "\0"s + password;
    return {password, wire::base64(password), wire::base64(plain)};
}

/// @return  the secrets that the server is shown
std::vector<std::string> set_server(CURL* curl, const ReportTarget& target) {
    const bool tls = target.security == MailSecurity::tls;
    const auto url = (tls ? "smtps://" : "smtp://") + target.server + "/vigil.invalid";
    curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    const bool plain = target.security == MailSecurity::none;
    curl_easy_setopt(curl, CURLOPT_USE_SSL, long{plain ? CURLUSESSL_NONE : CURLUSESSL_ALL});
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L);
    curl_easy_setopt(curl, CURLOPT_CAINFO, nullptr);
    curl_easy_setopt(curl, CURLOPT_CAPATH, nullptr);
    curl_easy_setopt(curl, CURLOPT_SSL_CTX_FUNCTION, &trust_as_everywhere);
    curl_easy_setopt(curl, CURLOPT_PROXY, "");  // no setting of the machine's
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, timeout_s);
    if (target.user.empty()) return {};
    const auto password = read_secret_file(target.password_file, "the mail server's password");
    curl_easy_setopt(curl, CURLOPT_SASL_IR, 1L);
    curl_easy_setopt(curl, CURLOPT_USERNAME, target.user.c_str());
    curl_easy_setopt(curl, CURLOPT_PASSWORD, password.c_str());
    return secrets_of(target, password);
}

SendReply send_by_curl(const ReportTarget& target, const std::string& mail) {
    static const bool ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    // They outlive the handle, which says goodbye to the server when it ends.
    char why[CURL_ERROR_SIZE] = "";
    Recipients to;
    Upload upload{mail};
    const std::unique_ptr<CURL, void (*)(CURL*)> curl(curl_easy_init(), &curl_easy_cleanup);
    if (!ready || !curl) return later("sending the mail: libcurl does not start");
    curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, why);
    const auto secrets = set_server(curl.get(), target);
    const auto sender = "<" + target.from + ">";
    curl_easy_setopt(curl.get(), CURLOPT_MAIL_FROM, sender.c_str());
    for (const auto& one : target.to) {
        to.list = curl_slist_append(to.list, ("<" + one + ">").c_str());
    }
    curl_easy_setopt(curl.get(), CURLOPT_MAIL_RCPT, to.list);
    curl_easy_setopt(curl.get(), CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(curl.get(), CURLOPT_READFUNCTION, &read_some);
    curl_easy_setopt(curl.get(), CURLOPT_READDATA, &upload);
    const auto code = curl_easy_perform(curl.get());
    long status = 0;
    curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
    return reply_of_curl(code, status, text::redact(why, secrets));
}

}  // namespace

std::string mail_of(const ReportTarget& target, const Envelope& envelope, std::int64_t now_s) {
    std::string to;
    for (const auto& one : target.to) to += (to.empty() ? "" : ",\r\n ") + one;
    const auto thread = message_id(envelope.marker.line);
    const auto one = message_id(
        envelope.marker.line + envelope.body + std::to_string(envelope.about.version) +
        std::to_string(envelope.more.size()));
    return "Date: " + mail_date(now_s) + "\r\nFrom: Vigil <" + target.from + ">\r\nTo: " + to +
           "\r\nSubject: " + encoded_header(headline(envelope)) + "\r\nMessage-ID: " + one +
           "\r\nReferences: " + thread +
           "\r\nAuto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n"
           "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n" +
           in_lines(wire::base64(text_of_mail(envelope)));
}

SendReply send_mail(const ReportTarget& target, const Envelope& envelope, std::int64_t now_s) {
    try {
        return send_by_curl(target, mail_of(target, envelope, now_s));
    } catch (const Error& error) {
        return later(error.what());
    }
}

}  // namespace vigil::service
