package io.idlalayer.jobs.start;

import java.util.Locale;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * A regular expression that the whole names of topics match. The number of steps of a match is
 * bounded, because matching some expressions would practically never end. Thread-safe.
 */
public final class TopicPattern {
  /** Largest number of characters that a match reads. A name has at most 249. */
  static final long STEPS_MAX = 1_000_000;

  /** Beginning of the names of the internal topics of Kafka and its tools. */
  private static final String INTERNAL = "__";

  private final Pattern pattern;

  /**
   * @throws PatternSyntaxException if {@code pattern} is no regular expression
   */
  public TopicPattern(String pattern) {
    this.pattern = Pattern.compile(pattern);
  }

  /**
   * Returns whether a name belongs to an internal topic of Kafka. Patterns never match internal
   * topics.
   */
  public static boolean isInternal(String topic) {
    return topic.startsWith(INTERNAL);
  }

  /**
   * Returns whether a whole name matches.
   *
   * @throws IllegalArgumentException if matching takes more than a million steps
   */
  public boolean matches(String topic) {
    return pattern.matcher(new Bounded(topic)).matches();
  }

  /** A name whose characters can be read only a bounded number of times. */
  private final class Bounded implements CharSequence {
    private final String topic;
    private long steps;

    Bounded(String topic) {
      this.topic = topic;
    }

    @Override
    public char charAt(int index) {
      if (steps++ == STEPS_MAX) {
        throw new IllegalArgumentException(
            String.format(
                Locale.ROOT,
                "input.topic-pattern '%s' takes more than %,d steps for topic %s: write it with fewer repetitions",
                pattern,
                STEPS_MAX,
                topic));
      }
      return topic.charAt(index);
    }

    @Override
    public int length() {
      return topic.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return topic.subSequence(start, end);
    }

    @Override
    public String toString() {
      return topic;
    }
  }
}
