package io.idlalayer.middleware.lending.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.SecureRandom;

/**
 * The beginning of a connection, in which both sides compare the version of the protocol and prove
 * to each other that they have the secret:
 *
 * <pre>
 * borrower  HELLO      magic (int), version (short), nonce (32 bytes)
 * lender    CHALLENGE  version (short), nonce (32 bytes)
 * borrower  PROOF      HMAC of "borrower", a zero byte, version and both nonces
 * lender    WELCOME    generation (long), lease in milliseconds (long), HMAC of "lender", a zero
 *                      byte, version, both nonces, generation and lease
 * </pre>
 *
 * <p>The lender proves itself second, so that a stranger learns nothing that depends on the secret.
 */
public final class Handshake {
  private static final int NONCE_BYTES = 32;
  private static final int TRANSCRIPT_BYTES = Short.BYTES + 2 * NONCE_BYTES;
  private static final int OFFER_BYTES = 2 * Long.BYTES;

  private final Secret secret;
  private final SecureRandom random;

  /**
   * The facts that a lender sends about itself.
   *
   * @param generation random number of the lender's process; another one means that it has started
   *     anew and knows no loan of before
   * @param leaseMillis time after which a loan ends that is not used or renewed, above 0
   */
  public record Offer(long generation, long leaseMillis) {}

  /** Creates handshakes with a secret and a source of nonces. */
  public Handshake(Secret secret, SecureRandom random) {
    this.secret = secret;
    this.random = random;
  }

  private byte[] nonce() {
    byte[] nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    return nonce;
  }

  private static ByteBuffer transcript(byte[] borrower, byte[] lender) {
    ByteBuffer transcript = ByteBuffer.allocate(TRANSCRIPT_BYTES + OFFER_BYTES);
    transcript.putShort(Protocol.VERSION).put(borrower).put(lender);
    return transcript.flip();
  }

  private static ByteBuffer with(ByteBuffer transcript, Offer offer) {
    transcript.limit(transcript.capacity());
    transcript.putLong(TRANSCRIPT_BYTES, offer.generation());
    transcript.putLong(TRANSCRIPT_BYTES + Long.BYTES, offer.leaseMillis());
    return transcript;
  }

  /**
   * Begins a connection as the borrower.
   *
   * @throws RefusedException if the lender refuses the version or the secret
   * @throws ProtocolException if the lender does not have the secret, or is none
   */
  public Offer borrow(Wire wire) throws IOException {
    byte[] own = nonce();
    ByteBuffer hello = wire.body(Integer.BYTES + Short.BYTES + NONCE_BYTES);
    wire.send(Protocol.HELLO, hello.putInt(Protocol.MAGIC).putShort(Protocol.VERSION).put(own));
    ByteBuffer challenge = exactly(wire.answer(Protocol.CHALLENGE), Short.BYTES + NONCE_BYTES);
    short version = challenge.getShort();
    if (version != Protocol.VERSION) {
      throw new ProtocolException(
          "the lender speaks version %d of the protocol, this process version %d"
              .formatted(version, Protocol.VERSION));
    }
    byte[] theirs = new byte[NONCE_BYTES];
    challenge.get(theirs);
    ByteBuffer transcript = transcript(own, theirs);
    wire.send(
        Protocol.PROOF, wire.body(Secret.PROOF_BYTES).put(secret.proof("borrower", transcript)));
    ByteBuffer welcome = exactly(wire.answer(Protocol.WELCOME), OFFER_BYTES + Secret.PROOF_BYTES);
    Offer offer = new Offer(welcome.getLong(), welcome.getLong());
    check("lender", with(transcript, offer), welcome);
    if (offer.leaseMillis() <= 0) {
      throw new ProtocolException("a lease of %d ms".formatted(offer.leaseMillis()));
    }
    wire.trust();
    return offer;
  }

  /**
   * Begins a connection as the lender.
   *
   * @throws RefusedException if the borrower has another version or not the secret; it was told
   * @throws ProtocolException if the other side is no borrower
   */
  public void lend(Wire wire, Offer offer) throws IOException {
    Wire.Frame hello = wire.receive();
    ByteBuffer body = hello.body();
    if (hello.type() != Protocol.HELLO
        || body.remaining() < Integer.BYTES + Short.BYTES
        || body.getInt() != Protocol.MAGIC) {
      throw new ProtocolException("the first frame is not that of a borrower");
    }
    short version = body.getShort();
    if (version != Protocol.VERSION) {
      throw refused(
          wire,
          Refusal.VERSION,
          "this lender speaks version %d of the protocol, the borrower version %d"
              .formatted(Protocol.VERSION, version));
    }
    byte[] theirs = new byte[NONCE_BYTES];
    exactly(body, NONCE_BYTES).get(theirs);
    byte[] own = nonce();
    ByteBuffer challenge = wire.body(Short.BYTES + NONCE_BYTES);
    wire.send(Protocol.CHALLENGE, challenge.putShort(Protocol.VERSION).put(own));
    Wire.Frame proof = wire.receive();
    if (proof.type() != Protocol.PROOF) {
      throw new ProtocolException("a frame of type %d instead of a proof".formatted(proof.type()));
    }
    ByteBuffer transcript = transcript(theirs, own);
    try {
      check("borrower", transcript, exactly(proof.body(), Secret.PROOF_BYTES));
    } catch (ProtocolException wrong) {
      throw refused(wire, Refusal.SECRET, "the borrower does not have the secret of this lender");
    }
    byte[] answer = secret.proof("lender", with(transcript, offer));
    ByteBuffer welcome = wire.body(OFFER_BYTES + Secret.PROOF_BYTES);
    wire.trust();
    wire.send(
        Protocol.WELCOME,
        welcome.putLong(offer.generation()).putLong(offer.leaseMillis()).put(answer));
  }

  private void check(String side, ByteBuffer transcript, ByteBuffer proof)
      throws ProtocolException {
    byte[] given = new byte[Secret.PROOF_BYTES];
    proof.get(given);
    if (!MessageDigest.isEqual(given, secret.proof(side, transcript))) {
      throw new ProtocolException("the %s does not have the secret".formatted(side));
    }
  }

  private static RefusedException refused(Wire wire, Refusal refusal, String text)
      throws IOException {
    wire.refuse(refusal, text);
    return new RefusedException(refusal, text);
  }

  private static ByteBuffer exactly(ByteBuffer body, int bytes) throws ProtocolException {
    if (body.remaining() != bytes) {
      throw new ProtocolException(
          "%d bytes in a frame that has %d".formatted(body.remaining(), bytes));
    }
    return body;
  }
}
