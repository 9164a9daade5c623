package io.idlalayer.jobs.start;

import java.util.Locale;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * A regular expression that the whole names of topics match. The number of steps of a match is
 * bounded, because matching some expressions would practically never end. Safe for use by several
 * threads.
 */
public final class TopicPattern {
  /** Most characters that a match looks at. A name has at most 249. */
  static final long STEPS_MAX = 1_000_000;

  /** Kafka and its tools name topics of their own so. */
  private static final String INTERNAL = "__";

  private final Pattern pattern;

  /**
   * @throws PatternSyntaxException if it is no regular expression
   */
  public TopicPattern(String pattern) {
    this.pattern = Pattern.compile(pattern);
  }

  /** Returns whether a name is that of a topic of Kafka itself, which no pattern stands for. */
  public static boolean isInternal(String topic) {
    return topic.startsWith(INTERNAL);
  }

  /**
   * Returns whether a whole name matches.
   *
   * @throws IllegalArgumentException if that takes more than a million steps
   */
  public boolean matches(String topic) {
    return pattern.matcher(new Bounded(topic)).matches();
  }

  /** A name whose characters may be looked at a bounded number of times. */
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
