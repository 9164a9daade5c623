package io.idlalayer.jobs.run;

import org.jspecify.annotations.Nullable;

/**
 * The user's choice whether a job is allowed to start without state although models are published.
 *
 * @param word word that is recorded with the run; null if such a start is not allowed
 * @param once whether a word takes effect only once. This is for containers, whose command does not
 *     change at a restart
 */
public record StartOver(@Nullable String word, boolean once) {
  /**
   * The choice to continue from the newest state; the job starts without state only if there is no
   * state and no models are published.
   */
  public static final StartOver NO = new StartOver(null, false);

  /** The choice to start without state this time. */
  public static final StartOver NOW = new StartOver("--start-over", false);

  /**
   * Returns the choice to start without state at the first start that has this word, and to
   * continue at later starts.
   */
  public static StartOver once(String word) {
    return new StartOver(word, true);
  }

  /**
   * Returns whether to start without state. The argument is the word with which the present lineage
   * was started over.
   */
  public boolean applies(@Nullable String lineageWord) {
    return word != null && !(once && word.equals(lineageWord));
  }
}
