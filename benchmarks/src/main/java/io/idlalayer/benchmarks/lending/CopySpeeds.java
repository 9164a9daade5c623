package io.idlalayer.benchmarks.lending;

import io.idlalayer.benchmarks.measure.Repeats;
import io.idlalayer.benchmarks.measure.WorkFolder;
import io.idlalayer.middleware.lending.borrower.BorrowerSettings;
import io.idlalayer.middleware.lending.borrower.LenderAddress;
import io.idlalayer.middleware.lending.wire.LendingTls;
import io.idlalayer.testkit.KeyStores;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Measures copies to and from another process: loans and plain sockets, turn by turn, so that what
 * a busy machine does to all of them cancels.
 *
 * @param bytes bytes of the other process's memory
 * @param blockBytes bytes of a copy
 * @param rounds how often a turn writes and reads all of it
 * @param repeats number of measured turns
 */
record CopySpeeds(int bytes, int blockBytes, int rounds, int repeats) {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double GIGABYTE = 1e9;

  /** The compared ways; the ratio of each loan is to the raw sockets of its kind. */
  enum Way {
    RAW_CHANNEL("a blocking channel", false),
    RAW_STREAMS("a socket's streams", false),
    LOAN("a loan", false),
    RAW_TLS("a socket's streams, TLS", true),
    LOAN_TLS("a loan, TLS", true);

    private final String text;
    private final boolean encrypted;

    Way(String text, boolean encrypted) {
      this.text = text;
      this.encrypted = encrypted;
    }

    private List<Way> sockets() {
      return encrypted ? List.of(RAW_TLS) : List.of(RAW_CHANNEL, RAW_STREAMS);
    }
  }

  /**
   * One turn of a way.
   *
   * @param writeBytesPerSecond bytes copied to the other process, by seconds
   * @param readBytesPerSecond bytes copied from it, by seconds
   * @param processorSeconds processor time of both processes for a gigabyte
   */
  record Turn(
      Way way,
      int repeat,
      double writeBytesPerSecond,
      double readBytesPerSecond,
      double processorSeconds) {
    /** Bytes that are written and read back, by the seconds of both. */
    double bytesPerSecond() {
      return 2 / (1 / writeBytesPerSecond + 1 / readBytesPerSecond);
    }
  }

  /** Measures all ways and prints a table. */
  List<Turn> measure() throws IOException {
    List<Turn> turns = new ArrayList<>();
    try (WorkFolder folder = WorkFolder.in(null, "idla-loans-")) {
      Path keys = KeyStores.keys(folder.path().resolve("keys.p12"), "lender");
      Path trusted = KeyStores.trusting(folder.path().resolve("trusted.p12"), keys, "lender");
      SSLContext tls =
          LendingTls.ofBorrower(
              Map.of(
                  "ssl.truststore.location",
                  trusted.toString(),
                  "ssl.truststore.type",
                  "PKCS12",
                  "ssl.truststore.password",
                  KeyStores.PASSWORD));
      try (Peer peer = new Peer(bytes, keys)) {
        Map<Way, BlockCopies> open = new EnumMap<>(Way.class);
        try {
          for (Way way : Way.values()) {
            open.put(way, copies(way, peer, tls));
          }
          // The first turn compiles code, and does not count.
          for (int repeat = -1; repeat < repeats; repeat++) {
            for (int i = 0; i < Way.values().length; i++) {
              Way way = Way.values()[(i + repeat + 1) % Way.values().length];
              Turn turn = turn(way, repeat, Objects.requireNonNull(open.get(way)), peer);
              if (repeat >= 0) {
                turns.add(turn);
              }
            }
          }
        } finally {
          for (BlockCopies each : open.values()) {
            each.close();
          }
        }
      }
    }
    print(turns);
    return turns;
  }

  private BlockCopies copies(Way way, Peer peer, SSLContext tls) throws IOException {
    int port = peer.ports[way == Way.LOAN ? 0 : way == Way.LOAN_TLS ? 1 : 2];
    InetAddress host = InetAddress.getLoopbackAddress();
    return switch (way) {
      case LOAN -> loan(port, null);
      case LOAN_TLS -> loan(port, tls);
      case RAW_CHANNEL ->
          new RawCopies(
              new BytePipe.Channel(SocketChannel.open(new InetSocketAddress(host, port))));
      case RAW_STREAMS -> new RawCopies(new BytePipe.Streams(new Socket(host, peer.ports[3])));
      case RAW_TLS ->
          new RawCopies(
              new BytePipe.Streams(tls.getSocketFactory().createSocket(host, peer.ports[4])));
    };
  }

  private BlockCopies loan(int port, @Nullable SSLContext tls) throws IOException {
    return new LoanCopies(
        BorrowerSettings.of(LoanPeer.SECRET, tls), new LenderAddress("127.0.0.1", port), bytes);
  }

  private Turn turn(Way way, int repeat, BlockCopies copies, Peer peer) throws IOException {
    ByteBuffer block = ByteBuffer.allocateDirect(blockBytes);
    for (int at = 0; at < blockBytes; at++) {
      block.put(at, (byte) (at * 31 + repeat));
    }
    long processor = processorNanos(peer);
    long writing = 0;
    long reading = 0;
    for (int round = 0; round < rounds; round++) {
      long start = System.nanoTime();
      for (int at = 0; at + blockBytes <= bytes; at += blockBytes) {
        copies.put(at, block.clear());
      }
      long middle = System.nanoTime();
      for (int at = 0; at + blockBytes <= bytes; at += blockBytes) {
        copies.get(at, block.clear());
      }
      writing += middle - start;
      reading += System.nanoTime() - middle;
    }
    check(block, repeat);
    int blocks = bytes / blockBytes;
    double copied = (double) rounds * blocks * blockBytes;
    return new Turn(
        way,
        repeat,
        copied / writing * NANOS_PER_SECOND,
        copied / reading * NANOS_PER_SECOND,
        (processorNanos(peer) - processor) / NANOS_PER_SECOND / (2 * copied / GIGABYTE));
  }

  private void check(ByteBuffer block, int repeat) {
    for (int at = 0; at < blockBytes; at++) {
      if (block.get(at) != (byte) (at * 31 + repeat)) {
        throw new IllegalStateException("byte %d was not that which was written".formatted(at));
      }
    }
  }

  private static long processorNanos(Peer peer) throws IOException {
    return peer.processorNanos() + LoanPeer.processorNanos();
  }

  private void print(List<Turn> turns) {
    System.out.printf(
        "Copies of %,d bytes, one at a time, between two processes over loopback (EMULATED).%n"
            + "Median of %d turns, in brackets its 95 %% interval%n%n"
            + "| way | write, GB/s | read, GB/s | both, GB/s | of a raw socket |"
            + " processor seconds for a GB |%n|---|---|---|---|---|---|%n",
        blockBytes, repeats);
    for (Way way : Way.values()) {
      List<Turn> own = turns.stream().filter(turn -> turn.way == way).toList();
      System.out.printf(
          "| %s | %s | %s | %s | %s | %s |%n",
          way.text,
          text(own, turn -> turn.writeBytesPerSecond / GIGABYTE),
          text(own, turn -> turn.readBytesPerSecond / GIGABYTE),
          text(own, turn -> turn.bytesPerSecond() / GIGABYTE),
          ratios(way, own, turns),
          text(own, Turn::processorSeconds));
    }
  }

  /** The ratios of a loan to sockets of the same turn. */
  private static String ratios(Way way, List<Turn> own, List<Turn> turns) {
    List<String> ratios = new ArrayList<>();
    for (Way socket : way.sockets()) {
      if (way == Way.LOAN || way == Way.LOAN_TLS) {
        List<Turn> raw = turns.stream().filter(turn -> turn.way == socket).toList();
        ratios.add(
            text(
                    own,
                    turn ->
                        turn.bytesPerSecond()
                            / raw.stream()
                                .filter(each -> each.repeat == turn.repeat)
                                .findFirst()
                                .orElseThrow()
                                .bytesPerSecond())
                + " of "
                + socket.text);
      }
    }
    return String.join("; ", ratios);
  }

  private static String text(List<Turn> turns, ToDoubleFunction<Turn> value) {
    double[] values = turns.stream().mapToDouble(value).toArray();
    double[] interval = Repeats.interval(values);
    return String.format(
        Locale.ROOT, "%.2f (%.2f to %.2f)", Repeats.median(values), interval[0], interval[1]);
  }

  /** The process at the other end; killed when it is closed. */
  private static final class Peer implements AutoCloseable {
    final int[] ports = new int[5];
    private final Process process;
    private final BufferedReader answers;

    Peer(int bytes, Path keys) throws IOException {
      process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx256m",
                  "-XX:+UseSerialGC",
                  "-XX:MaxDirectMemorySize=8g",
                  "-cp",
                  System.getProperty("java.class.path"),
                  LoanPeer.class.getName(),
                  Integer.toString(bytes),
                  keys.toString())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      answers = process.inputReader(StandardCharsets.UTF_8);
      boolean started = false;
      try {
        String[] said = answer().split(" ", -1);
        for (int i = 0; i < ports.length; i++) {
          ports[i] = Integer.parseInt(said[i]);
        }
        started = true;
      } finally {
        if (!started) {
          close();
        }
      }
    }

    private String answer() throws IOException {
      String line = answers.readLine();
      if (line == null) {
        throw new IOException("the other process has ended; its messages are above");
      }
      return line;
    }

    long processorNanos() throws IOException {
      process.outputWriter(StandardCharsets.UTF_8).append('\n').flush();
      return Long.parseLong(answer());
    }

    @Override
    public void close() {
      process.destroyForcibly();
      process.onExit().join();
    }
  }
}
