package io.idlalayer.inferencegrpc;

import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import javax.net.ssl.SSLContext;

/** Makes the JDK's TLS speak HTTP/2, which is what gRPC needs. */
final class GrpcTls {
  private GrpcTls() {}

  static SslContext of(SSLContext keys) {
    return new JdkSslContext(
        keys,
        false,
        Http2SecurityUtil.CIPHERS,
        SupportedCipherSuiteFilter.INSTANCE,
        new ApplicationProtocolConfig(
            ApplicationProtocolConfig.Protocol.ALPN,
            ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
            ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
            ApplicationProtocolNames.HTTP_2),
        ClientAuth.NONE,
        new String[] {"TLSv1.3", "TLSv1.2"},
        false);
  }
}
