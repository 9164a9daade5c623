package io.idlalayer.jobs.metrics;

import org.HdrHistogram.Histogram;
import org.apache.flink.metrics.HistogramStatistics;

/**
 * A histogram of the latest 500 to 1,000 durations. A duration is 0 to 7 days in milliseconds, with
 * two significant digits; longer durations count as 7 days. Memory is bounded. Safe from any
 * thread: {@link #getStatistics} returns a copy of the values at one moment.
 */
final class RecentTimes implements org.apache.flink.metrics.Histogram {
  static final int SPAN = 500;
  private static final long LONGEST_MILLIS = 7L * 24 * 3600 * 1000;
  private static final int DIGITS = 2;

  // These fields are guarded by the monitor of this object.
  private Histogram older = empty();
  private Histogram newer = empty();
  private long count;

  private static Histogram empty() {
    return new Histogram(LONGEST_MILLIS, DIGITS);
  }

  @Override
  public synchronized void update(long millis) {
    if (newer.getTotalCount() == SPAN) {
      Histogram spare = older;
      older = newer;
      spare.reset();
      newer = spare;
    }
    newer.recordValue(Math.max(0, Math.min(LONGEST_MILLIS, millis)));
    count++;
  }

  /** Returns the number of all durations so far, not only of the latest durations. */
  @Override
  public synchronized long getCount() {
    return count;
  }

  @Override
  public synchronized HistogramStatistics getStatistics() {
    Histogram both = older.copy();
    both.add(newer);
    return new Statistics(both);
  }

  private static final class Statistics extends HistogramStatistics {
    private static final double PERCENT = 100;
    private final Histogram values;

    Statistics(Histogram values) {
      this.values = values;
    }

    @Override
    public double getQuantile(double quantile) {
      return values.getValueAtPercentile(quantile * PERCENT);
    }

    @Override
    public long[] getValues() {
      long[] all = new long[size()];
      int at = 0;
      for (var each : values.recordedValues()) {
        for (long n = each.getCountAtValueIteratedTo(); n > 0; n--) {
          all[at++] = each.getValueIteratedTo();
        }
      }
      return all;
    }

    @Override
    public int size() {
      return Math.toIntExact(values.getTotalCount());
    }

    @Override
    public double getMean() {
      return values.getMean();
    }

    @Override
    public double getStdDev() {
      return values.getStdDeviation();
    }

    @Override
    public long getMax() {
      return values.getMaxValue();
    }

    @Override
    public long getMin() {
      return size() == 0 ? 0 : values.getMinValue();
    }
  }
}
