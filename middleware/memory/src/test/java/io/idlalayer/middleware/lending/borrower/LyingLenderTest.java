package io.idlalayer.middleware.lending.borrower;

import static io.idlalayer.middleware.lending.borrower.LentTiers.CRAWLING;
import static io.idlalayer.middleware.lending.borrower.LentTiers.SECRET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.idlalayer.middleware.lending.lender.MemoryLender;
import io.idlalayer.middleware.lending.wire.Protocol;
import io.idlalayer.middleware.memory.device.DeviceLostException;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.memory.places.Place;
import io.idlalayer.middleware.memory.places.PlaceCost;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A lender whose answers a go-between changes once it holds a loan. Whatever it does, bytes are
 * lost or right, and never wrong.
 */
class LyingLenderTest {
  private static final int BYTES = 1 << 16;
  private static final byte LENT = Protocol.LENT;
  private static final byte DATA = 22;
  private static final byte DONE = 21;

  /** What the go-between does to answers. */
  enum Lie {
    /** Changes a byte and its checksum. */
    OTHER_BYTES,
    /** Answers with what another request got. */
    OLD_BYTES,
    /** Says that all bytes are 0. */
    ZEROS,
    /** Sends fewer bytes than were asked for. */
    FEWER_BYTES,
    /** Announces two thousand million bytes. */
    HUGE_LENGTH,
    /** Announces a negative number of bytes. */
    NEGATIVE_LENGTH,
    /** Sends a frame with a wrong checksum. */
    WRONG_CHECKSUM,
    /** Closes the connection in the middle of an answer. */
    CUT,
    /** Never answers. */
    SILENCE,
    /** Answers with another type. */
    OTHER_TYPE,
    /** Sends an empty answer. */
    EMPTY
  }

  private final MemoryLender lender = LentTiers.lender(4 * BYTES, Duration.ofMinutes(1));
  private final ServerSocket between = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
  private final List<Socket> sockets = new ArrayList<>();
  private final Borrower borrower =
      new Borrower(
          new BorrowerSettings(
              SECRET,
              null,
              Duration.ofSeconds(5),
              Duration.ofSeconds(1),
              Duration.ofSeconds(5),
              new BorrowerSettings.Pauses(Duration.ofHours(1), Duration.ofHours(1))));
  private volatile Lie lie;

  /** Whether the go-between drops each new loan, and serves one connection only. */
  private volatile boolean stalls;

  private volatile boolean stalled;
  private volatile byte[] lastData;

  LyingLenderTest() throws IOException {
    Thread accepting = new Thread(this::accept, "go-between");
    accepting.setDaemon(true);
    accepting.start();
  }

  @AfterEach
  void close() throws IOException {
    borrower.close();
    between.close();
    synchronized (sockets) {
      for (Socket each : sockets) {
        each.close();
      }
    }
    lender.close();
  }

  private void accept() {
    try {
      while (true) {
        Socket near = between.accept();
        if (stalled) {
          synchronized (sockets) {
            sockets.add(near);
          }
          continue;
        }
        Socket far = new Socket(lender.address().getAddress(), lender.address().getPort());
        synchronized (sockets) {
          sockets.add(near);
          sockets.add(far);
        }
        start(() -> near.getInputStream().transferTo(far.getOutputStream()));
        start(() -> answers(new DataInputStream(far.getInputStream()), near));
      }
    } catch (IOException closed) {
      assertThat(between.isClosed()).isTrue();
    }
  }

  private interface Flow {
    void run() throws IOException;
  }

  private static void start(Flow flow) {
    Thread thread =
        new Thread(
            () -> {
              try {
                flow.run();
              } catch (IOException ended) {
                Thread.currentThread().interrupt();
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  private void answers(DataInputStream in, Socket near) throws IOException {
    while (true) {
      int length = in.readInt();
      in.readInt();
      byte[] content = in.readNBytes(length);
      if (stalls && content[0] == LENT) {
        stalled = true;
        continue;
      }
      boolean data = content[0] == DATA;
      Lie now = lie;
      if (now == null || !(data || (content[0] == DONE && now != Lie.OLD_BYTES))) {
        lastData = data ? content : lastData;
        send(near.getOutputStream(), content);
      } else {
        lied(now, content, near);
      }
    }
  }

  private void lied(Lie now, byte[] content, Socket near) throws IOException {
    OutputStream out = near.getOutputStream();
    switch (now) {
      case OTHER_BYTES -> {
        content[content.length - 1] ^= 1;
        send(out, content);
      }
      case OLD_BYTES -> send(out, lastData);
      case ZEROS -> {
        byte[] zeros = new byte[content.length];
        zeros[0] = content[0];
        send(out, zeros);
      }
      case FEWER_BYTES ->
          send(out, java.util.Arrays.copyOf(content, Math.max(1, content.length - 5)));
      case HUGE_LENGTH -> out.write(ByteBuffer.allocate(8).putInt(2_000_000_000).array());
      case NEGATIVE_LENGTH -> out.write(ByteBuffer.allocate(8).putInt(-5).array());
      case WRONG_CHECKSUM -> out.write(frame(content, 1));
      case CUT -> {
        out.write(frame(content, 0), 0, 8 + content.length / 2);
        near.close();
      }
      case SILENCE -> lastData = content;
      case OTHER_TYPE -> {
        content[0] = 99;
        send(out, content);
      }
      case EMPTY -> out.write(new byte[8]);
      default -> throw new IllegalStateException(now.name());
    }
    out.flush();
  }

  private static byte[] frame(byte[] content, int wrong) {
    CRC32C checksum = new CRC32C();
    checksum.update(content);
    return ByteBuffer.allocate(8 + content.length)
        .putInt(content.length)
        .putInt((int) checksum.getValue() + wrong)
        .put(content)
        .array();
  }

  private static void send(OutputStream out, byte[] content) throws IOException {
    out.write(frame(content, 0));
  }

  private LenderAddress goBetween() {
    return new LenderAddress(between.getInetAddress().getHostAddress(), between.getLocalPort());
  }

  @Test
  void close_whileALoanIsAskedFor_leavesNoThreadAndNoConnection() {
    stalls = true;
    Place place = borrower.place(goBetween(), BYTES, new PlaceCost(CRAWLING));
    await().atMost(Tiers.PATIENCE).until(() -> stalled);
    place.arena().close();
    borrower.close();
    await().atMost(Tiers.PATIENCE).until(() -> borrowers().isEmpty());
    assertThat(sockets).as("the first connection only").hasSize(2);
  }

  private static List<String> borrowers() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("borrower-"))
        .toList();
  }

  @ParameterizedTest
  @EnumSource(Lie.class)
  void answersThatLie_areALostLender_andNeverWrongBytes(Lie how) {
    Place place = borrower.place(goBetween(), BYTES, new PlaceCost(CRAWLING));
    await().atMost(Tiers.PATIENCE).until(place.usable()::getAsBoolean);
    byte[] written = new byte[9_000];
    new java.util.SplittableRandom(5).nextBytes(written);
    place.arena().put(0, ByteBuffer.wrap(written));
    ByteBuffer got = ByteBuffer.allocate(written.length);
    place.arena().get(0, got);
    assertThat(got.array()).isEqualTo(written);
    written[4_000]++;
    place.arena().put(0, ByteBuffer.wrap(written));

    lie = how;
    assertThatThrownBy(() -> place.arena().get(0, ByteBuffer.allocate(written.length)))
        .isInstanceOf(DeviceLostException.class)
        .hasMessageContaining("is lost");
    assertThat(place.usable().getAsBoolean()).isFalse();
    lie = null;
    assertThatThrownBy(() -> place.arena().get(0, ByteBuffer.allocate(1)))
        .isInstanceOf(DeviceLostException.class);
    assertThatThrownBy(() -> place.arena().put(0, ByteBuffer.allocate(1)))
        .isInstanceOf(DeviceLostException.class);
  }
}
