#pragma once

#include <memory>
#include <string>

#include <openssl/ssl.h>

namespace vigil::test {

/// A key and a certificate that vouches for itself: who trusts it talks to `name` over TLS.
class Certificate {
  public:
    /// @param name  DNS name, or address of IPv4
    explicit Certificate(const std::string& name);

    /// What SSL_CERT_FILE names to have it believed.
    std::string pem() const;
    SSL_CTX* context() const { return context_.get(); }

  private:
    std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key_;
    std::unique_ptr<X509, void (*)(X509*)> certificate_;
    std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context_;
};

/// The server's side of one connection, plain until TLS begins. Blocks.
class TlsSide {
  public:
    explicit TlsSide(int connection) : connection_(connection) {}

    /// @return  whether the other side agreed
    bool begin_tls(const Certificate& certificate);
    /// @return  0 when the other side is gone
    std::size_t read(char* into, std::size_t size) const;
    void write(const std::string& text) const;
    bool secure() const { return tls_ != nullptr; }

  private:
    int connection_;
    std::unique_ptr<SSL, void (*)(SSL*)> tls_{nullptr, &SSL_free};
};

}  // namespace vigil::test
