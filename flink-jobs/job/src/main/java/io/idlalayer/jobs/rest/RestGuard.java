package io.idlalayer.jobs.rest;

import io.idlalayer.middleware.models.http.HttpRefusal;
import java.nio.charset.StandardCharsets;
import org.apache.flink.shaded.netty4.io.netty.buffer.Unpooled;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelFutureListener;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerContext;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelInboundHandlerAdapter;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.DefaultFullHttpResponse;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.FullHttpResponse;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpHeaderNames;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpHeaderValues;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpRequest;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpResponseStatus;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpVersion;
import org.apache.flink.shaded.netty4.io.netty.util.ReferenceCountUtil;

/**
 * A handler of one connection. It refuses each request that {@link RestRules} refuses, before Flink
 * reads a body or writes an upload to a file. After a refusal it closes the connection and drops
 * everything that still arrives. Confined to the thread of its connection.
 */
final class RestGuard extends ChannelInboundHandlerAdapter {
  private final RestRules rules;
  private boolean hasRefused;

  RestGuard(RestRules rules) {
    this.rules = rules;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    HttpRefusal refusal =
        !hasRefused && message instanceof HttpRequest request ? rules.refusal(request) : null;
    if (refusal == null && !hasRefused) {
      context.fireChannelRead(message);
      return;
    }
    ReferenceCountUtil.release(message);
    if (refusal != null) {
      hasRefused = true;
      var unused = context.writeAndFlush(answer(refusal)).addListener(ChannelFutureListener.CLOSE);
    }
  }

  private static FullHttpResponse answer(HttpRefusal refusal) {
    FullHttpResponse answer =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.valueOf(refusal.status()),
            Unpooled.copiedBuffer(refusal.reason() + "\n", StandardCharsets.UTF_8));
    answer
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8")
        .set(HttpHeaderNames.CONTENT_LENGTH, answer.content().readableBytes())
        .set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE)
        .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    return answer;
  }
}
