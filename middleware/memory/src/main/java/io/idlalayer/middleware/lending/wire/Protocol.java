package io.idlalayer.middleware.lending.wire;

/**
 * Constants of the protocol between borrowers and lenders. All numbers are big-endian.
 *
 * <p>A frame is the length of its content (int), the CRC-32C of its content (int) and its content:
 * a type (byte) and a body. The borrower asks and the lender answers each request with one frame. A
 * connection begins with {@link Handshake}; afterwards these requests are allowed:
 *
 * <pre>
 * LEND    bytes (long)                              LENT   loan (16 bytes)
 * PUT     loan, offset (long), data                 DONE
 * GET     loan, offset (long), bytes (int)          DATA   data
 * RENEW   loan                                      DONE
 * RETURN  loan                                      DONE
 * </pre>
 *
 * <p>Instead of its answer a request may get REFUSED: a code of {@link Refusal} (byte) and a text
 * in UTF-8. What is not a frame of this protocol ends the connection.
 */
public final class Protocol {
  /** The version of the protocol; both sides must have the same. */
  public static final short VERSION = 1;

  /** Most bytes of data in one request or answer. */
  public static final int MOST_DATA_BYTES = (1 << 20) + (8 << 10);

  /** Most bytes of the content of a frame. */
  public static final int MOST_FRAME_BYTES = MOST_DATA_BYTES + 64;

  /** Most bytes of the content of a frame before both sides know each other. */
  public static final int MOST_HANDSHAKE_BYTES = 512;

  static final int MAGIC = 0x49444C4D;

  static final byte HELLO = 1;
  static final byte CHALLENGE = 2;
  static final byte PROOF = 3;
  static final byte WELCOME = 4;

  /** Type of the request for a loan. */
  public static final byte LEND = 10;

  /** Type of the request to write bytes of a loan. */
  public static final byte PUT = 11;

  /** Type of the request to read bytes of a loan. */
  public static final byte GET = 12;

  /** Type of the request to extend the lease of a loan. */
  public static final byte RENEW = 13;

  /** Type of the request to end a loan. */
  public static final byte RETURN = 14;

  /** Type of the answer with a new loan. */
  public static final byte LENT = 20;

  /** Type of the answer that a request was carried out. */
  public static final byte DONE = 21;

  /** Type of the answer with bytes of a loan. */
  public static final byte DATA = 22;

  /** Type of the answer that a request was not carried out. */
  public static final byte REFUSED = 23;

  private Protocol() {}
}
