#pragma once

#include <memory>
#include <string>

#include <openssl/evp.h>
#include <openssl/pem.h>

namespace vigil::test {

/// A new private key of RSA, as PEM.
inline std::string make_rsa_key() {
    const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(EVP_RSA_gen(2048), &EVP_PKEY_free);
    const std::unique_ptr<BIO, int (*)(BIO*)> out(BIO_new(BIO_s_mem()), &BIO_free);
    PEM_write_bio_PrivateKey(out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    char* text = nullptr;
    const auto size = BIO_get_mem_data(out.get(), &text);
    return {text, std::size_t(size)};
}

}  // namespace vigil::test
