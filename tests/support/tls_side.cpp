#include "tests/support/tls_side.hpp"

#include <csignal>
#include <stdexcept>
#include <unistd.h>

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

namespace vigil::test {

namespace {

constexpr long day_s = 86'400;

void add_extension(X509* certificate, int what, const std::string& value) {
    X509V3_CTX around;
    X509V3_set_ctx(&around, certificate, certificate, nullptr, nullptr, 0);
    auto* extension = X509V3_EXT_conf_nid(nullptr, &around, what, value.c_str());
    if (extension == nullptr) throw std::runtime_error("no such extension: " + value);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
}

void fill(X509* certificate, EVP_PKEY* key, const std::string& name) {
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -day_s);
    X509_gmtime_adj(X509_getm_notAfter(certificate), day_s);
    X509_set_pubkey(certificate, key);
    auto* subject = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(
        subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("a test"), -1, -1, 0);
    X509_set_issuer_name(certificate, subject);
    const bool address = name.find_first_not_of("0123456789.") == name.npos;
    add_extension(certificate, NID_basic_constraints, "critical,CA:TRUE");
    add_extension(certificate, NID_subject_alt_name, (address ? "IP:" : "DNS:") + name);
    X509_sign(certificate, key, EVP_sha256());
}

}  // namespace

Certificate::Certificate(const std::string& name)
    : key_(EVP_RSA_gen(2048), &EVP_PKEY_free),
      certificate_(X509_new(), &X509_free),
      context_(SSL_CTX_new(TLS_server_method()), &SSL_CTX_free) {
    fill(certificate_.get(), key_.get(), name);
    if (SSL_CTX_use_certificate(context_.get(), certificate_.get()) != 1 ||
        SSL_CTX_use_PrivateKey(context_.get(), key_.get()) != 1) {
        throw std::runtime_error("the test's certificate is not fit for TLS");
    }
}

std::string Certificate::pem() const {
    const std::unique_ptr<BIO, int (*)(BIO*)> out(BIO_new(BIO_s_mem()), &BIO_free);
    PEM_write_bio_X509(out.get(), certificate_.get());
    char* text = nullptr;
    const auto size = BIO_get_mem_data(out.get(), &text);
    return {text, std::size_t(size)};
}

bool TlsSide::begin_tls(const Certificate& certificate) {
    std::signal(SIGPIPE, SIG_IGN);  // a client that hangs up while OpenSSL writes
    tls_.reset(SSL_new(certificate.context()));
    SSL_set_fd(tls_.get(), connection_);
    return SSL_accept(tls_.get()) == 1;
}

std::size_t TlsSide::read(char* into, std::size_t size) const {
    const auto count =
        tls_ ? SSL_read(tls_.get(), into, int(size)) : ::read(connection_, into, size);
    return count > 0 ? std::size_t(count) : 0;
}

void TlsSide::write(const std::string& text) const {
    std::size_t done = 0;
    while (done < text.size()) {
        const auto left = text.size() - done;
        const auto count = tls_ ? SSL_write(tls_.get(), text.data() + done, int(left))
                                : ::send(connection_, text.data() + done, left, MSG_NOSIGNAL);
        if (count <= 0) return;
        done += std::size_t(count);
    }
}

}  // namespace vigil::test
