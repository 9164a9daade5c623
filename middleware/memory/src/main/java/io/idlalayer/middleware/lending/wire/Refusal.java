package io.idlalayer.middleware.lending.wire;

/** Reasons for which a lender does not carry out a request. */
public enum Refusal {
  /** The other side speaks another version of the protocol. */
  VERSION(1),
  /** The other side does not have the secret. */
  SECRET(2),
  /** The lender has no room for a loan of this size. */
  NO_ROOM(3),
  /** The lender does not know the loan: its lease has expired, it was returned, or never made. */
  UNKNOWN_LOAN(4),
  /** The request is not one of the protocol, or names bytes outside its loan. */
  BAD_REQUEST(5);

  private final byte code;

  Refusal(int code) {
    this.code = (byte) code;
  }

  byte code() {
    return code;
  }

  static Refusal of(byte code) throws ProtocolException {
    for (Refusal each : values()) {
      if (each.code == code) {
        return each;
      }
    }
    throw new ProtocolException("an unknown refusal %d".formatted(code));
  }
}
