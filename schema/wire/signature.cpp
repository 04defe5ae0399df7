#include "schema/wire/signature.hpp"

#include <memory>

#include <openssl/evp.h>
#include <openssl/pem.h>

#include "schema/model/error.hpp"

namespace vigil::wire {

namespace {

/// No key has a password, and nobody is asked for one.
int no_password(char*, int, int, void*) {
    return 0;
}

}  // namespace

std::string sign_rs256(std::string_view private_key, std::string_view bytes) {
    const std::unique_ptr<BIO, int (*)(BIO*)> text(
        BIO_new_mem_buf(private_key.data(), static_cast<int>(private_key.size())), &BIO_free);
    VIGIL_ASSERT(text);
    const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(
        PEM_read_bio_PrivateKey(text.get(), nullptr, &no_password, nullptr), &EVP_PKEY_free);
    if (!key || EVP_PKEY_base_id(key.get()) != EVP_PKEY_RSA) {
        throw Error(
            Errc::invalid_argument,
            "signing with RS256: the key is no RSA key in PEM without a password");
    }
    const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(
        EVP_MD_CTX_new(), &EVP_MD_CTX_free);
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
    std::size_t size = 0;
    VIGIL_ASSERT(
        context &&
        EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1 &&
        EVP_DigestSign(context.get(), nullptr, &size, data, bytes.size()) == 1);
    std::string signature(size, '\0');
    auto* out = reinterpret_cast<unsigned char*>(signature.data());
    VIGIL_ASSERT(EVP_DigestSign(context.get(), out, &size, data, bytes.size()) == 1);
    signature.resize(size);
    return signature;
}

}  // namespace vigil::wire
