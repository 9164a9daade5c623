package io.idlalayer.jobs.run;

import org.jspecify.annotations.Nullable;

/**
 * Whether a start may begin without state although models are published.
 *
 * @param word word that is recorded with the run; null if it may not
 * @param once whether a word has no effect a second time: for containers, whose command does not
 *     change at a restart
 */
public record StartOver(@Nullable String word, boolean once) {
  /**
   * Continues from the newest state; starts without state only if there is none and no models are
   * published.
   */
  public static final StartOver NO = new StartOver(null, false);

  /** Starts without state at this start. */
  public static final StartOver NOW = new StartOver("--start-over", false);

  /** Starts without state at the first start with this word, and continues at later ones. */
  public static StartOver once(String word) {
    return new StartOver(word, true);
  }

  /**
   * Returns whether to start without state, given the word with which the present lineage began.
   */
  boolean applies(@Nullable String lineageWord) {
    return word != null && !(once && word.equals(lineageWord));
  }
}
