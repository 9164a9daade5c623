package io.idlalayer.jobs.run;

import org.jspecify.annotations.Nullable;

/**
 * Whether a start may begin from nothing over models that were published.
 *
 * @param word recorded with the run; null if it may not
 * @param once whether the same word has no effect a second time: for containers, whose command is
 *     the same at every restart
 */
public record StartOver(@Nullable String word, boolean once) {
  /** Goes on from the newest state; begins from nothing only where nothing was. */
  public static final StartOver NO = new StartOver(null, false);

  /** Begins from nothing at this start. */
  public static final StartOver NOW = new StartOver("--start-over", false);

  /** Begins from nothing at the first start with this word, and goes on at later ones. */
  public static StartOver once(String word) {
    return new StartOver(word, true);
  }

  /** Whether to begin from nothing, given the word with which the present lineage began. */
  boolean applies(@Nullable String lineageWord) {
    return word != null && !(once && word.equals(lineageWord));
  }
}
