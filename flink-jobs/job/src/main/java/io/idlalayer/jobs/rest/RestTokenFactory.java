package io.idlalayer.jobs.rest;

import io.idlalayer.middleware.models.http.BearerToken;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.io.network.netty.OutboundChannelHandlerFactory;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandler;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerContext;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelOutboundHandlerAdapter;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelPromise;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpHeaderNames;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpRequest;

/**
 * Lets Flink's REST client send the token of a cluster that the product has started. Flink finds
 * this class through Java's {@code ServiceLoader}. If the configuration of a client has no token,
 * the class does nothing.
 */
public final class RestTokenFactory implements OutboundChannelHandlerFactory {
  @Override
  public int priority() {
    return 0;
  }

  @Override
  public Optional<ChannelHandler> createHandler(Configuration client) {
    return client.getOptional(RestAccess.TOKEN).map(Sending::new);
  }

  private static final class Sending extends ChannelOutboundHandlerAdapter {
    private final String header;

    Sending(String token) {
      header = BearerToken.header(token);
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise written) {
      if (message instanceof HttpRequest request) {
        request.headers().set(HttpHeaderNames.AUTHORIZATION, header);
      }
      var unused = context.write(message, written);
    }
  }
}
