#pragma once

#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

namespace vigil::http {

using SecureStream = boost::beast::ssl_stream<boost::beast::tcp_stream>;

/// Says whose certificates are believed in every call over TLS, whatever library makes it: those of
/// the system's authorities, and what the environment's SSL_CERT_FILE and SSL_CERT_DIR name.
void trust_authorities(SSL_CTX* context);

/// Begins TLS, and goes no further than a certificate that is not believed or is another machine's.
/// @param host  name or address that the certificate has to be for
/// @throws Error{unavailable} with the reason; nothing was sent then
/// @throws boost::system::system_error  what the network does
boost::asio::awaitable<void> begin_tls(SecureStream& stream, std::string host);

}  // namespace vigil::http
