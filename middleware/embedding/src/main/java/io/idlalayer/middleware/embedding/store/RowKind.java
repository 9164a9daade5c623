package io.idlalayer.middleware.embedding.store;

/** What is known of an id. */
public enum RowKind {
  /** Nothing. */
  NEW(0),
  /** A count of an id's occurrences; the id has no row yet. */
  COUNTED(1),
  /** Its row. */
  ROW(2);

  private final byte code;

  RowKind(int code) {
    this.code = (byte) code;
  }

  /** Returns the byte that stores keep for it. */
  public byte code() {
    return code;
  }

  /**
   * Returns the kind with a {@link #code}.
   *
   * @throws RowStoreException if no kind has this code
   */
  public static RowKind of(byte code) {
    return switch (code) {
      case 0 -> NEW;
      case 1 -> COUNTED;
      case 2 -> ROW;
      default -> throw new RowStoreException("a stored row is of the unknown kind " + code);
    };
  }
}
