package io.idlalayer.middleware.sample;

import java.time.OffsetDateTime;
import java.time.temporal.ChronoField;

/**
 * The parts of a time stamp that can become dense features. Hours, days and months are taken from
 * the time as it is written, or in UTC if it has no zone. A cycle has two values, the sine and the
 * cosine of the part of the cycle that has passed, so that its end is close to its beginning.
 */
public enum TimePart {
  /** Seconds since 1970-01-01 in UTC, with fractions. */
  SECONDS(1),
  /** Hours since midnight, with fractions. */
  HOUR(1),
  /** Days of the week: 1 is Monday, 7 is Sunday. */
  WEEKDAY(1),
  /** Days of the month, from 1. */
  DAY(1),
  /** Months of the year, from 1. */
  MONTH(1),
  /** The year. */
  YEAR(1),
  /** Sine and cosine of the time of the day. */
  DAY_CYCLE(2),
  /** Sine and cosine of the time of the week, from Monday on. */
  WEEK_CYCLE(2),
  /** Sine and cosine of the time of the year. */
  YEAR_CYCLE(2);

  private static final double SECONDS_OF_DAY = 86_400;

  private final int width;

  TimePart(int width) {
    this.width = width;
  }

  /** Returns the number of dense values that this part has. */
  public int width() {
    return width;
  }

  /**
   * Returns a value of this part of a time.
   *
   * @param index 0 to {@link #width()} - 1
   */
  public double value(OffsetDateTime time, int index) {
    double day = time.toLocalTime().toNanoOfDay() * 1e-9 / SECONDS_OF_DAY;
    return switch (this) {
      case SECONDS -> time.toEpochSecond() + time.getNano() * 1e-9;
      case HOUR -> 24 * day;
      case WEEKDAY -> time.getDayOfWeek().getValue();
      case DAY -> time.getDayOfMonth();
      case MONTH -> time.getMonthValue();
      case YEAR -> time.getYear();
      case DAY_CYCLE -> cycle(day, index);
      case WEEK_CYCLE -> cycle((time.getDayOfWeek().getValue() - 1 + day) / 7, index);
      case YEAR_CYCLE ->
          cycle(
              (time.getDayOfYear() - 1 + day) / time.range(ChronoField.DAY_OF_YEAR).getMaximum(),
              index);
    };
  }

  private static double cycle(double passed, int index) {
    double angle = 2 * Math.PI * passed;
    return index == 0 ? Math.sin(angle) : Math.cos(angle);
  }
}
