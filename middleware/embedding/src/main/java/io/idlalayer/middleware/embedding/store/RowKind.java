package io.idlalayer.middleware.embedding.store;

/** The kinds of entries that a table may have for an id. */
public enum RowKind {
  /** No entry: the id is new. */
  NEW(0),
  /** A count of an id's occurrences; the id has no row yet. */
  COUNTED(1),
  /** The embedding row of the id. */
  ROW(2);

  private final byte code;

  RowKind(int code) {
    this.code = (byte) code;
  }

  /** Returns the byte that stands for this kind in a store. */
  public byte code() {
    return code;
  }

  /**
   * Returns the kind that has a {@link #code}.
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
