package io.idlalayer.middleware.lending.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HandshakeTest {
  private static final Handshake.Offer OFFER = new Handshake.Offer(42, 10_000);
  private static final Secret SECRET = new Secret("a secret of this test");

  private final Socket borrower;
  private final Socket lender;

  HandshakeTest() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      borrower = new Socket(server.getInetAddress(), server.getLocalPort());
      lender = server.accept();
    }
  }

  @AfterEach
  void close() throws IOException {
    borrower.close();
    lender.close();
  }

  private static Wire wire(Socket socket) throws IOException {
    return new Wire(socket, socket, System::nanoTime);
  }

  private CompletableFuture<Void> lending(Secret secret) {
    return CompletableFuture.runAsync(
        () -> {
          try (Wire wire = wire(lender)) {
            new Handshake(secret, new SecureRandom()).lend(wire, OFFER);
          } catch (IOException failed) {
            throw new CompletionException(failed);
          }
        });
  }

  @Test
  void sides_withOneSecret_knowEachOther() throws Exception {
    CompletableFuture<Void> other = lending(SECRET);
    assertThat(new Handshake(SECRET, new SecureRandom()).borrow(wire(borrower))).isEqualTo(OFFER);
    other.join();
  }

  @Test
  void borrower_withAnotherSecret_isRefused() {
    CompletableFuture<Void> other = lending(SECRET);
    Handshake wrong = new Handshake(new Secret("another secret of a test"), new SecureRandom());
    assertThatThrownBy(() -> wrong.borrow(wire(borrower)))
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> assertThat(refused.refusal()).isEqualTo(Refusal.SECRET));
    assertThatThrownBy(other::join).hasCauseInstanceOf(RefusedException.class);
  }

  @Test
  void lender_thatOnlyRepeatsWhatItGets_isRefused() {
    CompletableFuture<Void> echo =
        CompletableFuture.runAsync(
            () -> {
              try (Wire wire = wire(lender)) {
                ByteBuffer hello = wire.receive().body();
                byte[] nonce = new byte[32];
                hello.position(hello.position() + 6).get(nonce);
                wire.send(Protocol.CHALLENGE, wire.body(34).putShort((short) 1).put(nonce));
                byte[] proof = new byte[32];
                wire.receive().body().get(proof);
                wire.send(Protocol.WELCOME, wire.body(48).putLong(42).putLong(10_000).put(proof));
              } catch (IOException failed) {
                throw new CompletionException(failed);
              }
            });
    assertThatThrownBy(() -> new Handshake(SECRET, new SecureRandom()).borrow(wire(borrower)))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("the lender does not have the secret");
    echo.join();
  }

  private static void send(Socket socket, byte[] content) throws IOException {
    CRC32C checksum = new CRC32C();
    checksum.update(content);
    OutputStream out = socket.getOutputStream();
    out.write(
        ByteBuffer.allocate(8 + content.length)
            .putInt(content.length)
            .putInt((int) checksum.getValue())
            .put(content)
            .array());
  }

  @Test
  void borrower_ofAnotherVersion_isToldSo() throws Exception {
    CompletableFuture<Void> other = lending(SECRET);
    send(
        borrower,
        ByteBuffer.allocate(39).put((byte) 1).putInt(Protocol.MAGIC).putShort((short) 2).array());
    assertThatThrownBy(() -> wire(borrower).answer(Protocol.CHALLENGE))
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> assertThat(refused.refusal()).isEqualTo(Refusal.VERSION))
        .hasMessageContaining("version 1")
        .hasMessageContaining("version 2");
    assertThatThrownBy(other::join).hasCauseInstanceOf(RefusedException.class);
  }

  @Test
  void strangers_endTheConnection() throws Exception {
    CompletableFuture<Void> other = lending(SECRET);
    borrower
        .getOutputStream()
        .write("GET / HTTP/1.1\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    assertThatThrownBy(other::join)
        .hasCauseInstanceOf(ProtocolException.class)
        .hasMessageContaining("1 to 512 are allowed");
  }

  @Test
  void frameOfFullSize_beforeTheHandshake_isRefusedByItsLength() throws Exception {
    CompletableFuture<Void> other = lending(SECRET);
    borrower.getOutputStream().write(ByteBuffer.allocate(8).putInt(1 << 20).array());
    assertThatThrownBy(other::join)
        .hasCauseInstanceOf(ProtocolException.class)
        .hasMessageContaining("a frame of 1048576 bytes");
  }

  @Test
  void secret_thatIsShort_isRefusedWithoutBeingRepeated() {
    assertThatThrownBy(() -> new Secret("hunter2"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("hunter2");
    assertThat(SECRET).hasToString("a secret");
  }
}
