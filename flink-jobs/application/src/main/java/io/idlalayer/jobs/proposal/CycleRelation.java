package io.idlalayer.jobs.proposal;

import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.text.Timestamps;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The relation between the label and the time of the day, the week or the year. The label of an
 * event is predicted only from events in other turns of the cycle, because the events of one
 * evening, for instance, often come from a few users and say nothing about the next evening.
 */
final class CycleRelation {
  private static final int ROWS_MIN = 100;
  private static final double PRIOR_ROWS = 5;

  private final LabelTask label;
  private final @Nullable OffsetDateTime[] times;

  /** A cycle of time stamps. The label is averaged in each part of the cycle. */
  enum Cycle {
    DAY("day-cycle", 24),
    WEEK("week-cycle", 7),
    YEAR("year-cycle", 12);

    private final String reading;
    private final int parts;

    Cycle(String reading, int parts) {
      this.reading = reading;
      this.parts = parts;
    }

    /** Returns the name in an application file. */
    String reading() {
      return reading;
    }

    private int part(OffsetDateTime time) {
      return switch (this) {
        case DAY -> time.getHour();
        case WEEK -> time.getDayOfWeek().getValue() - 1;
        case YEAR -> time.getMonthValue() - 1;
      };
    }

    private long turn(OffsetDateTime time) {
      return switch (this) {
        case DAY -> time.getLong(ChronoField.EPOCH_DAY);
        // Day 0 was a Thursday.
        case WEEK -> Math.floorDiv(time.getLong(ChronoField.EPOCH_DAY) + 3, 7);
        case YEAR -> time.getYear();
      };
    }
  }

  CycleRelation(FieldProfile field, LabelTask label) {
    this.label = label;
    @Nullable String[] values = field.values();
    times = new OffsetDateTime[values.length];
    for (int i = 0; i < values.length; i++) {
      String value = values[i];
      if (value != null && Timestamps.looksLikeOne(value)) {
        times[i] = Timestamps.read(value);
      }
    }
  }

  /**
   * Returns whether the cycle says nothing about the label. For this, the mean labels of its parts
   * are taken from every second turn and used to predict the other turns; the cycle says nothing if
   * this is worse than the overall mean. False if either half has too few events.
   */
  boolean saysNothing(Cycle cycle) {
    List<Integer> even = new ArrayList<>();
    List<Integer> odd = new ArrayList<>();
    for (int i = 0; i < times.length; i++) {
      OffsetDateTime time = times[i];
      if (time != null && !Double.isNaN(label.values()[i])) {
        (cycle.turn(time) % 2 == 0 ? even : odd).add(i);
      }
    }
    if (Math.min(even.size(), odd.size()) < ROWS_MIN) {
      return false;
    }
    return gain(cycle, even, odd) + gain(cycle, odd, even) <= 0;
  }

  /**
   * Returns by how much the squared error of some events falls if they are predicted from the parts
   * of other events.
   */
  private double gain(Cycle cycle, List<Integer> others, List<Integer> events) {
    int numbers = label.task() == Task.REGRESSION ? 1 : label.classes().size();
    Means known = new Means(cycle.parts, numbers);
    others.forEach(i -> known.add(part(cycle, i), label.values()[i]));
    // The mean label can change between turns, so both predictions use the mean of the events
    // themselves.
    Means own = new Means(1, numbers);
    events.forEach(i -> own.add(0, label.values()[i]));
    double gain = 0;
    for (int i : events) {
      for (int k = 0; k < numbers; k++) {
        double deviation = own.of(label.values()[i], k) - own.mean(k);
        double predicted = known.deviation(part(cycle, i), k);
        gain += deviation * deviation - (deviation - predicted) * (deviation - predicted);
      }
    }
    return gain;
  }

  private int part(Cycle cycle, int row) {
    OffsetDateTime time = times[row];
    return time == null ? 0 : cycle.part(time);
  }

  /** Mean labels: of a number, or the share of each class. */
  private static final class Means {
    private final double[][] sums;
    private final double[] rows;
    private final int numbers;

    Means(int parts, int numbers) {
      sums = new double[parts][numbers];
      rows = new double[parts];
      this.numbers = numbers;
    }

    double of(double label, int k) {
      return numbers == 1 ? label : label == k ? 1 : 0;
    }

    void add(int part, double label) {
      rows[part]++;
      for (int k = 0; k < numbers; k++) {
        sums[part][k] += of(label, k);
      }
    }

    double mean(int k) {
      double sum = 0;
      double count = 0;
      for (int part = 0; part < rows.length; part++) {
        sum += sums[part][k];
        count += rows[part];
      }
      return sum / count;
    }

    /**
     * Returns the difference between the mean of a part and the overall mean, reduced if the part
     * has few events.
     */
    double deviation(int part, int k) {
      return (sums[part][k] - rows[part] * mean(k)) / (rows[part] + PRIOR_ROWS);
    }
  }
}
