package io.idlalayer.benchmarks.lending;

import com.sun.management.OperatingSystemMXBean;
import io.idlalayer.middleware.lending.lender.LenderSettings;
import io.idlalayer.middleware.lending.lender.MemoryLender;
import io.idlalayer.middleware.lending.lender.NoRoomException;
import io.idlalayer.middleware.lending.wire.LendingTls;
import io.idlalayer.middleware.lending.wire.Secret;
import io.idlalayer.testkit.KeyStores;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The process at the other end: it lends memory with and without TLS, and gives the same memory
 * away over plain sockets. Prints the ports of the lenders (clear text, TLS) and of the sockets
 * (channel, streams, streams with TLS). Answers each line with the processor time of this process
 * in nanoseconds, and ends with its input.
 */
final class LoanPeer {
  static final Secret SECRET = new Secret("the secret of this experiment");

  private LoanPeer() {}

  /** Takes the size of the memory and the key store. */
  public static void main(String[] options) throws IOException, NoRoomException {
    int bytes = Integer.parseInt(options[0]);
    SSLContext tls =
        LendingTls.ofLender(
            Map.of(
                "ssl.keystore.location",
                options[1],
                "ssl.keystore.type",
                "PKCS12",
                "ssl.keystore.password",
                KeyStores.PASSWORD));
    ByteBuffer memory = ByteBuffer.allocateDirect(bytes);
    try (MemoryLender clear = lender(bytes, null);
        MemoryLender encrypted = lender(bytes, tls);
        ServerSocketChannel channel = ServerSocketChannel.open().bind(loopback());
        ServerSocket streams = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        ServerSocket tlsStreams =
            tls.getServerSocketFactory()
                .createServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      serve(() -> new BytePipe.Channel(channel.accept()), memory);
      serve(() -> new BytePipe.Streams(streams.accept()), memory);
      serve(() -> new BytePipe.Streams(tlsStreams.accept()), memory);
      System.out.printf(
          "%d %d %d %d %d%n",
          clear.address().getPort(),
          encrypted.address().getPort(),
          channel.socket().getLocalPort(),
          streams.getLocalPort(),
          tlsStreams.getLocalPort());
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      while (in.readLine() != null) {
        System.out.println(processorNanos());
      }
    }
  }

  /** Returns the processor time of this process in nanoseconds. */
  static long processorNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  private static InetSocketAddress loopback() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  private static MemoryLender lender(long bytes, @Nullable SSLContext tls)
      throws IOException, NoRoomException {
    MemoryLender lender =
        MemoryLender.start(
            LenderSettings.of(
                loopback(), SECRET, tls, Math.max(bytes, LenderSettings.DEFAULT_UNIT_BYTES)));
    lender.reserve();
    return lender;
  }

  private interface Accepting {
    BytePipe accept() throws IOException;
  }

  /** Serves one connection after the other. */
  private static void serve(Accepting accepting, ByteBuffer memory) {
    Thread thread =
        new Thread(
            () -> {
              try {
                while (true) {
                  try (BytePipe pipe = accepting.accept()) {
                    RawCopies.serve(pipe, memory.duplicate());
                  }
                }
              } catch (IOException closed) {
                System.err.println("a raw server has ended: " + closed);
              }
            },
            "raw-server");
    thread.setDaemon(true);
    thread.start();
  }
}
