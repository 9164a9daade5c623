package io.idlalayer.jobs.rest;

import java.util.Map;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.io.network.netty.InboundChannelHandlerFactory;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandler;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerAdapter;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerContext;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpServerCodec;
import org.apache.flink.util.ConfigurationException;

/**
 * Puts a {@link RestGuard} into each connection of Flink's REST server. Flink finds this class
 * through Java's {@code ServiceLoader}. If the configuration of Flink does not turn the guard on,
 * the class does nothing.
 */
public final class RestGuardFactory implements InboundChannelHandlerFactory {
  @Override
  public int priority() {
    return 0;
  }

  @Override
  public Optional<ChannelHandler> createHandler(
      Configuration server, Map<String, String> responseHeaders) throws ConfigurationException {
    RestRules rules;
    try {
      rules = RestAccess.rules(server);
    } catch (IllegalArgumentException refused) {
      throw new ConfigurationException(
          RestAccess.ALLOWED_HOSTS.key() + ": " + refused.getMessage(), refused);
    }
    return rules == null ? Optional.empty() : Optional.of(new Placing(rules));
  }

  /**
   * Puts the guard right behind the HTTP codec. Flink itself would add the guard behind its own
   * handlers for uploads and bodies, which is too late.
   */
  private static final class Placing extends ChannelHandlerAdapter {
    private final RestRules rules;

    Placing(RestRules rules) {
      this.rules = rules;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
      ChannelHandlerContext codec = context.pipeline().context(HttpServerCodec.class);
      if (codec == null) {
        throw new IllegalStateException("Flink's REST server has no HTTP codec to guard");
      }
      context.pipeline().addAfter(codec.name(), "idla-guard", new RestGuard(rules));
    }
  }
}
