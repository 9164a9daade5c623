package io.idlalayer.jobs.settings.keys;

import java.util.List;

/**
 * A form that the value of a key can have.
 *
 * @param kind kind of the value
 * @param words the choices; of durations and sizes the pattern of their texts
 * @param least least number
 * @param open whether the least number itself is refused
 * @param most greatest number
 */
public record KeyForm(Kind kind, List<String> words, double least, boolean open, double most) {
  /** Kinds of values. */
  public enum Kind {
    TEXT,
    FLAG,
    CHOICE,
    WHOLE,
    NUMBER,
    DURATION,
    SIZE,
    /** A list. Its elements have separate forms. */
    LIST,
    /** A text that is an element of a list. */
    LISTED_TEXT,
    /** A section that is an element of a list. */
    LISTED_SECTION,
    /** Keys that the reader knows. */
    SECTION,
    /** Keys of any name with texts. */
    ENTRIES
  }

  public static final KeyForm TEXT = of(Kind.TEXT);
  public static final KeyForm FLAG = of(Kind.FLAG);
  public static final KeyForm LIST = of(Kind.LIST);
  public static final KeyForm LISTED_TEXT = of(Kind.LISTED_TEXT);
  public static final KeyForm LISTED_SECTION = of(Kind.LISTED_SECTION);
  public static final KeyForm SECTION = of(Kind.SECTION);
  public static final KeyForm ENTRIES = of(Kind.ENTRIES);

  public KeyForm {
    words = List.copyOf(words);
  }

  private static KeyForm of(Kind kind) {
    return new KeyForm(kind, List.of(), 0, false, 0);
  }

  public static KeyForm choice(List<String> words) {
    return new KeyForm(Kind.CHOICE, words, 0, false, 0);
  }

  public static KeyForm whole(long least, long most) {
    return new KeyForm(Kind.WHOLE, List.of(), least, false, most);
  }

  public static KeyForm number(double least, boolean open, double most) {
    return new KeyForm(Kind.NUMBER, List.of(), least, open, most);
  }

  /** Returns the form of a text that a pattern describes, a duration or a size. */
  public static KeyForm text(Kind kind, String pattern) {
    return new KeyForm(kind, List.of(pattern), 0, false, 0);
  }
}
