package io.idlalayer.middleware.sample;

import java.io.Serializable;
import java.util.Locale;
import java.util.Objects;

/**
 * Maps ids to rows of an embedding table. Only this class converts ids to the keys in samples.
 *
 * <p>An open table has a row for each id; the key of the row is the key of the id ({@link IdKeys}).
 * A table of fixed size has rows 0 to {@code rows - 1}; the key of row r is r + {@value
 * #FIRST_KEY}, because {@link IdLists#MISSING} and {@link IdLists#UNKNOWN} have separate rows.
 *
 * @param kind how an id is mapped to its row
 * @param rows number of rows of a table of fixed size, 1 to {@value #MOST_ROWS}; 0 for an open
 *     table
 * @param key secret key of the hashes of ids in an open table; {@link HashKey#NONE} if the hashes
 *     have no secret key
 */
public record RowIndex(Kind kind, int rows, HashKey key) implements Serializable {
  /** Largest number of rows of a table of fixed size. */
  public static final int MOST_ROWS = 500_000_000;

  /** Index of an open table, which has a row for each id, whatever their number. */
  public static final RowIndex OPEN = new RowIndex(Kind.OPEN, 0);

  /** Key of row 0 of a table of fixed size. */
  private static final long FIRST_KEY = IdLists.UNKNOWN + 1;

  /**
   * Number of rows of each table that belong to no id: the rows of missing and of unknown ids. They
   * are not part of {@code rows}.
   */
  public static final int OWN_ROWS = (int) FIRST_KEY;

  /** Ways of mapping an id to its row. */
  public enum Kind {
    /** Each id has a separate row, and the number of rows is not fixed. */
    OPEN,

    /** The row of an id is its 64-bit key, as unsigned number, modulo the number of rows. */
    HASH,

    /** An id is the number of its row. */
    NUMBER
  }

  /**
   * Creates an index and checks the number of rows against its kind.
   *
   * @throws IllegalArgumentException if the number of rows is not allowed for the kind
   */
  public RowIndex {
    Objects.requireNonNull(kind, "the kind of the index is missing");
    Objects.requireNonNull(
        key, "the hash key is missing; without a secret key, it is HashKey.NONE");
    boolean valid = kind == Kind.OPEN ? rows == 0 : rows >= 1 && rows <= MOST_ROWS;
    if (!valid) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "a table of kind %s cannot have %d rows", kind, rows));
    }
  }

  /** Creates an index whose hashes have no secret key. */
  public RowIndex(Kind kind, int rows) {
    this(kind, rows, HashKey.NONE);
  }

  /**
   * Returns this index with another key of its hashes. A table of fixed size gets no key: its ids
   * share rows anyway, and anyone can compute which ids share a row.
   */
  public RowIndex with(HashKey other) {
    return fixed() ? this : new RowIndex(kind, rows, other);
  }

  /**
   * Returns an index of a table of fixed size that finds rows by hash. Several ids can share a row.
   */
  public static RowIndex hash(int rows) {
    return new RowIndex(Kind.HASH, rows);
  }

  /** Returns an index of a table of fixed size whose ids are row numbers. */
  public static RowIndex number(int rows) {
    return new RowIndex(Kind.NUMBER, rows);
  }

  /** Returns whether the number of rows of the table is fixed. */
  public boolean fixed() {
    return kind != Kind.OPEN;
  }

  /**
   * Returns the key of the row of an id that is given as text.
   *
   * @param text a number as it is written, or any other text
   * @return {@link IdLists#MISSING} if the text is empty. {@link IdLists#UNKNOWN} if ids are row
   *     numbers and the text is no row number: it has other characters than digits, begins with a
   *     0, or is too large.
   */
  public long keyOf(String text) {
    return kind == Kind.NUMBER && !text.isEmpty() ? keyOfNumber(text) : keyOf(IdKeys.of(text, key));
  }

  private long keyOfNumber(String text) {
    int length = text.length();
    boolean zeroInFront = length > 1 && text.charAt(0) == '0';
    if (zeroInFront) {
      return IdLists.UNKNOWN;
    }
    long number = 0;
    for (int i = 0; i < length; i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return IdLists.UNKNOWN;
      }
      number = 10 * number + digit;
      if (number >= rows) {
        return IdLists.UNKNOWN;
      }
    }
    return FIRST_KEY + number;
  }

  /**
   * Returns the key of the row of an id of which only the 64-bit key is known.
   *
   * @param key {@link IdLists#MISSING}; or the key of the id by {@link IdKeys}, for kinds {@code
   *     OPEN} and {@code HASH}; or the number of its row + {@value #FIRST_KEY}, for kind {@code
   *     NUMBER}
   */
  public long keyOf(long key) {
    if (key == IdLists.MISSING) {
      return key;
    }
    return switch (kind) {
      case OPEN -> key;
      case HASH -> FIRST_KEY + Long.remainderUnsigned(key, rows);
      case NUMBER -> holds(key) ? key : IdLists.UNKNOWN;
    };
  }

  /** Returns whether a key belongs to a row of the table, or stands for missing or unknown ids. */
  public boolean holds(long key) {
    return !fixed() || (key >= IdLists.MISSING && key < FIRST_KEY + rows);
  }
}
