package io.idlalayer.middleware.lending.wire;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Locale;

/** The random name of a loan, 128 bits; knowing it gives access to the loan's bytes. */
public record LoanId(long high, long low) {
  /** Size of a name in a frame. */
  static final int BYTES = 2 * Long.BYTES;

  /** Returns a new random name. */
  public static LoanId random(SecureRandom random) {
    return new LoanId(random.nextLong(), random.nextLong());
  }

  /**
   * Reads a name from the body of a frame.
   *
   * @throws ProtocolException if the body is too short
   */
  public static LoanId read(ByteBuffer body) throws ProtocolException {
    if (body.remaining() < BYTES) {
      throw new ProtocolException("a request names no loan");
    }
    return new LoanId(body.getLong(), body.getLong());
  }

  /** Writes this name to the body of a frame. */
  public void write(ByteBuffer body) {
    body.putLong(high).putLong(low);
  }

  /** Returns the first digits only, because the whole name gives access. */
  @Override
  public String toString() {
    return String.format(Locale.ROOT, "loan %08x", (int) (high >>> Integer.SIZE));
  }
}
