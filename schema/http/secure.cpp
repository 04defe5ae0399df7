#include "schema/http/secure.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "schema/model/error.hpp"

namespace vigil::http {

namespace asio = boost::asio;

void trust_authorities(SSL_CTX* context) {
    SSL_CTX_set_default_verify_paths(context);
}

asio::awaitable<void> begin_tls(SecureStream& stream, std::string host) {
    auto* const tls = stream.native_handle();
    if (SSL_set_tlsext_host_name(tls, host.c_str()) != 1) {
        throw Error(Errc::unavailable, "the host name is not fit for TLS");
    }
    const asio::ssl::host_name_verification is_for_host(host);
    stream.set_verify_callback(
        [is_for_host](bool believed, asio::ssl::verify_context& certificate) {
            const bool good = is_for_host(believed, certificate);
            if (believed && !good) {
                X509_STORE_CTX_set_error(certificate.native_handle(), X509_V_ERR_HOSTNAME_MISMATCH);
            }
            return good;
        });
    boost::system::error_code failed;
    co_await stream.async_handshake(
        asio::ssl::stream_base::client, asio::redirect_error(asio::use_awaitable, failed));
    if (!failed) co_return;
    const auto doubt = SSL_get_verify_result(tls);
    if (doubt == X509_V_OK) throw boost::system::system_error(failed);
    throw Error(
        Errc::unavailable,
        "the certificate of " + host + " is not believed: " + X509_verify_cert_error_string(doubt) +
            "; name the file of its authority in SSL_CERT_FILE, or mend the address");
}

}  // namespace vigil::http
