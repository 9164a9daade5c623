package io.idlalayer.inferencegrpc;

import io.netty.channel.Channel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Accepts connections, and closes at once those that are too many. */
final class BoundedAcceptor extends NioServerSocketChannel {
  private final AtomicInteger open = new AtomicInteger();
  private final int most;

  /**
   * @param most most connections that are open at a time
   */
  BoundedAcceptor(int most) {
    this.most = most;
  }

  @Override
  protected int doReadMessages(List<Object> accepted) throws Exception {
    int before = accepted.size();
    super.doReadMessages(accepted);
    for (int i = accepted.size() - 1; i >= before; i--) {
      Channel channel = (Channel) accepted.get(i);
      if (open.incrementAndGet() > most) {
        open.decrementAndGet();
        accepted.remove(i);
        // No event loop has it yet, so this is the way to close it.
        channel.unsafe().closeForcibly();
      } else {
        channel.closeFuture().addListener(closed -> open.decrementAndGet());
      }
    }
    return accepted.size() - before;
  }
}
