package io.idlalayer.middleware.lending.lender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.idlalayer.middleware.lending.borrower.Borrower;
import io.idlalayer.middleware.lending.borrower.BorrowerSettings;
import io.idlalayer.middleware.lending.borrower.LentTiers;
import io.idlalayer.middleware.lending.wire.Handshake;
import io.idlalayer.middleware.lending.wire.LendingTls;
import io.idlalayer.middleware.lending.wire.LoanId;
import io.idlalayer.middleware.lending.wire.Protocol;
import io.idlalayer.middleware.lending.wire.Secret;
import io.idlalayer.middleware.lending.wire.Wire;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.memory.places.Place;
import io.idlalayer.middleware.memory.places.PlaceCost;
import io.idlalayer.testkit.KeyStores;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryLenderTest {
  private static final LenderSettings.Limits SHORT =
      new LenderSettings.Limits(
          Duration.ofMillis(300), Duration.ofSeconds(1), Duration.ofMillis(500));

  private static final int LENT_BYTES = 1 << 16;

  /** More than the buffers of two sockets hold. */
  private static final int UNREAD_ANSWERS = 400;

  @TempDir Path folder;

  private static LenderSettings settings(int connections, @Nullable SSLContext tls) {
    return new LenderSettings(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        LentTiers.SECRET,
        tls,
        LENT_BYTES,
        4096,
        Duration.ofSeconds(10),
        connections,
        SHORT);
  }

  private static Socket connect(MemoryLender lender) throws IOException {
    return new Socket(lender.address().getAddress(), lender.address().getPort());
  }

  @Test
  void strangers_areBounded_andSentAwayWhenTheyTakeTooLong() throws Exception {
    try (MemoryLender lender = MemoryLender.start(settings(8, null))) {
      List<Socket> strangers = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        strangers.add(connect(lender));
      }
      await().atMost(Tiers.PATIENCE).until(() -> lender.use().refusedConnections() >= 3);
      assertThat(lender.use().connections()).isLessThanOrEqualTo(2);
      for (Socket each : strangers) {
        try (each) {
          assertThat(each.getInputStream().read()).as("the end of the connection").isEqualTo(-1);
        }
      }
      await().atMost(Tiers.PATIENCE).until(() -> lender.use().connections() == 0);
    }
  }

  @Test
  void close_withOpenConnections_endsThemAndTheThreads() throws Exception {
    MemoryLender lender = MemoryLender.start(settings(8, null));
    try (Socket stranger = connect(lender)) {
      await().atMost(Tiers.PATIENCE).until(() -> lender.use().connections() == 1);
      lender.close();
      lender.close();
      assertThat(stranger.getInputStream().read()).isEqualTo(-1);
      assertThat(Thread.getAllStackTraces().keySet().stream().map(Thread::getName))
          .noneMatch(name -> name.equals("memory-lender-" + stranger.getLocalPort()));
    }
  }

  @Test
  void bytes_overTls_areThoseThatWereWritten() throws Exception {
    Path keys = KeyStores.keys(folder.resolve("keys.p12"), "lender");
    Path trusted = KeyStores.trusting(folder.resolve("trusted.p12"), keys, "lender");
    Path others = KeyStores.keys(folder.resolve("others.p12"), "other");
    Path wrong = KeyStores.trusting(folder.resolve("wrong.p12"), others, "other");
    SSLContext own = LendingTls.ofLender(stores("ssl.keystore", keys));
    try (MemoryLender lender = MemoryLender.start(settings(16, own));
        Borrower borrower = borrower(trusted);
        Borrower distrustful = borrower(wrong)) {
      Place place =
          borrower.place(LentTiers.address(lender), 8192, new PlaceCost(LentTiers.CRAWLING));
      Place none =
          distrustful.place(LentTiers.address(lender), 8192, new PlaceCost(LentTiers.CRAWLING));
      await().atMost(Tiers.PATIENCE).until(place.usable()::getAsBoolean);
      byte[] bytes = new byte[8000];
      new java.util.SplittableRandom(1).nextBytes(bytes);
      place.arena().put(5, ByteBuffer.wrap(bytes));
      ByteBuffer read = ByteBuffer.allocate(bytes.length);
      place.arena().get(5, read);
      assertThat(read.array()).isEqualTo(bytes);
      assertThat(none.usable().getAsBoolean()).isFalse();
      assertThat(lender.use().loans()).isEqualTo(1);
      place.arena().close();
      none.arena().close();
    }
  }

  @Test
  void peer_thatStopsReadingOverTls_isGivenUpWithinTheLimit() throws Exception {
    Path keys = KeyStores.keys(folder.resolve("keys.p12"), "lender");
    Path trusted = KeyStores.trusting(folder.resolve("trusted.p12"), keys, "lender");
    SSLContext trusting = LendingTls.ofBorrower(stores("ssl.truststore", trusted));
    SSLContext own = LendingTls.ofLender(stores("ssl.keystore", keys));
    try (MemoryLender lender = MemoryLender.start(settings(8, own));
        Socket plain = connect(lender);
        Wire wire =
            new Wire(
                trusting.getSocketFactory().createSocket(plain, "localhost", 1, true),
                plain,
                System::nanoTime)) {
      new Handshake(LentTiers.SECRET, new SecureRandom()).borrow(wire);
      wire.send(Protocol.LEND, wire.body(8).putLong(LENT_BYTES));
      LoanId loan = LoanId.read(wire.answer(Protocol.LENT));
      for (int i = 0; i < UNREAD_ANSWERS; i++) {
        ByteBuffer request = wire.body(28);
        loan.write(request);
        wire.send(Protocol.GET, request.putLong(0).putInt(LENT_BYTES));
      }
      await().atMost(Duration.ofSeconds(30)).until(() -> lender.use().connections() == 0);
    }
  }

  /** A thread that the system does not start. */
  private static final class Refused extends Thread {
    @Override
    public synchronized void start() {
      throw new OutOfMemoryError("unable to create native thread (of a test)");
    }
  }

  @Test
  void connections_afterOneWithoutAThread_areServed() throws Exception {
    AtomicInteger made = new AtomicInteger();
    try (MemoryLender lender =
            MemoryLender.start(
                settings(1, null),
                System::nanoTime,
                task -> made.getAndIncrement() == 0 ? new Refused() : new Thread(task));
        Socket first = connect(lender)) {
      assertThat(first.getInputStream().read()).isEqualTo(-1);
      assertThat(lender.use().connections()).isZero();
      try (Socket second = connect(lender);
          Wire wire = new Wire(second, second, System::nanoTime)) {
        assertThat(new Handshake(LentTiers.SECRET, new SecureRandom()).borrow(wire).leaseMillis())
            .isEqualTo(10_000);
      }
    }
  }

  private static Map<String, String> stores(String prefix, Path store) {
    return Map.of(prefix + ".location", store.toString(), prefix + ".password", KeyStores.PASSWORD);
  }

  private static Borrower borrower(Path trusted) throws IOException {
    return new Borrower(
        BorrowerSettings.of(
            LentTiers.SECRET, LendingTls.ofBorrower(stores("ssl.truststore", trusted))));
  }

  @Test
  void tls_withoutStoresOrWithAWrongPassword_saysSoWithoutThePassword() throws Exception {
    assertThatThrownBy(() -> LendingTls.ofLender(Map.of()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("ssl.keystore.location");
    Path keys = KeyStores.keys(folder.resolve("keys.p12"), "lender");
    Map<String, String> wrong =
        Map.of("ssl.keystore.location", keys.toString(), "ssl.keystore.password", "wrong-secret");
    assertThatThrownBy(() -> LendingTls.ofLender(wrong))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("ssl.keystore.location")
        .hasMessageNotContaining("wrong-secret");
  }

  @Test
  void settings_thatOthersCouldReachInClearText_areRefused() {
    Secret secret = LentTiers.SECRET;
    InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    assertThatThrownBy(
            () -> LenderSettings.of(new InetSocketAddress("0.0.0.0", 0), secret, null, 16 << 20))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("clear text");
    assertThatThrownBy(() -> LenderSettings.of(loopback, secret, null, 1 << 20))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least 16,777,216");
  }
}
