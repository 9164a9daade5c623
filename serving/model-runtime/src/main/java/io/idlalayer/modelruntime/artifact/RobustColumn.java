package io.idlalayer.modelruntime.artifact;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the centre and scale of a stream of numbers, robust against few outliers, and follows
 * changes of the stream. Centre and scale come from a running mean and variance, in which each
 * value counts as at most {@link #LIMIT} scales from the centre and is forgotten over some {@link
 * #WINDOW} later ones. Values that are not finite are ignored. Deterministic in the values, their
 * order and how they were handed over; not thread-safe.
 *
 * <p>If forgetting is too slow to follow a change, the {@link ColumnHistory} decides, which has raw
 * values spread over about the last 512. The first values are judged by their median and median
 * deviation. Later the column starts anew, from the values of the history that agree with each
 * other, when
 *
 * <ul>
 *   <li>the median of the history lies far outside of what is usual, or its values spread much
 *       wider: more than half of them must agree, so a burst of outliers does nothing;
 *   <li>its values spread much less than those of earlier histories did, or all are equal for so
 *       long that it is hardly chance.
 * </ul>
 */
final class RobustColumn {
  /** Largest distance from the centre, in scales, with which a value counts. */
  static final double LIMIT = 8;

  static final int WINDOW = 8_192;
  private static final int CHUNK = 64;
  private static final int FIRST = 1_024;

  /**
   * Least number of values over which the usual distance of a column is forgotten: several
   * histories, so that a gradual change does not become usual before it has ended.
   */
  private static final double USUAL_WINDOW = 2_048;

  /**
   * Distance from the centre, in deviations, that no trend and no wave of the window's length
   * reaches.
   */
  private static final double FAR = 2.2;

  /** Largest distance from the centre, in deviations, of a usual value. */
  private static final double USUAL = 5;

  private static final double WIDER = 4;

  /** Factor by which the history spreads less than earlier histories if the unit has changed. */
  private static final double NARROWER = 4;

  /** Factor by which the history spreads less than the window; more than trends and waves cause. */
  private static final double SHRUNK = 64;

  /** Least number of values unlike the median for which their variance is meaningful. */
  private static final int MANY = 8;

  /** Number of standard errors by which a mean logarithm of distances differs by no chance. */
  private static final double ERRORS = 4;

  /** Least standard deviation of the logarithm of a distance; it is 1.1 for normal values. */
  private static final double LOGARITHM_DEVIATION = 1.2;

  /** Number of values over which those beyond the limit are counted. */
  private static final double FAR_WINDOW = 512;

  /**
   * Share of the values that go beyond the limit, and come back in between, from which they are a
   * tail of the stream and no outliers.
   */
  private static final double TAIL = 1 / 40.0;

  /** Number of values that mean and variance stand for once a tail was found. */
  private static final double TAIL_WEIGHT = 256;

  /** Usual distance of a column whose values are all equal. */
  private static final double NO_DISTANCE = -1_000;

  /** Logarithm of the odds against chance from which a run of equal values is a constant stream. */
  private static final double HARDLY_CHANCE = 28;

  private static final double ODD_MOST = 0.02;

  static final double NORMAL_PER_MEAN_DEVIATION = 1.2533;

  /** Least scale, whose square and inverse are far from the ends of 64 bits. */
  private static final double LEAST_SCALE = 1e-100;

  /** A column that varies by fewer spacings of doubles than these does not vary. */
  private static final double LEAST_SPACINGS = 4;

  /**
   * Values beyond the limit, over about the last {@link #FAR_WINDOW} values.
   *
   * @param share share of them
   * @param runs share of the values that are beyond the limit while the value before is not
   * @param logarithm sum of their logarithms of the distance from the mean, divided like the share
   * @param out whether the last value is beyond the limit
   * @param unusual whether the last value is unusual
   */
  record Far(double share, double runs, double logarithm, boolean out, boolean unusual) {
    static final Far NONE = new Far(0, 0, 0, false, false);

    boolean valid() {
      return State.isFraction(share) && State.isFraction(runs) && Double.isFinite(logarithm);
    }

    /** Returns the amount by which the values beyond the limit increase the variance. */
    double variance() {
      return share * Math.exp(2 * logarithm / share);
    }
  }

  /**
   * The remembered state of a column.
   *
   * @param weight number of values that mean and variance stand for, at most {@link #WINDOW}
   * @param usualDistance mean logarithm of the distances of values from the median of a history,
   *     over the window; {@link #NO_DISTANCE} if all values are equal
   * @param far values beyond the limit
   * @param ties fraction of the values that are equal to the value before
   * @param last the last value
   * @param run number of equal values up to the last
   * @param constant whether centre and scale are those of the run
   * @param odd fraction of the values that are neither 0 nor 1
   * @param binary whether the column is treated as a flag, which is not scaled
   * @param history raw values as doubles, the oldest first. In {@code scaler.json} it is {@code
   *     kept}
   * @param skipped number of values since the last one in the history
   * @param missingOrNull number of values that were not finite; null for 0, which is not written
   */
  record State(
      double weight,
      double mean,
      double variance,
      double usualDistance,
      Far far,
      double ties,
      double last,
      long run,
      boolean constant,
      double odd,
      boolean binary,
      @JsonProperty("kept") byte[] history,
      int skipped,
      @JsonInclude(JsonInclude.Include.NON_NULL) @JsonProperty("missing")
          @Nullable Long missingOrNull) {
    static State empty() {
      return missing(0);
    }

    /**
     * Returns the state of a column that has seen no value.
     *
     * @param rows number of rows of the stream, in each of which its value is missing
     */
    static State missing(long rows) {
      return new State(
          0,
          0,
          0,
          NO_DISTANCE,
          Far.NONE,
          0,
          0,
          0,
          false,
          0,
          false,
          new byte[0],
          0,
          rows == 0 ? null : rows);
    }

    long missing() {
      return missingOrNull == null ? 0 : missingOrNull;
    }

    /** Returns whether this state is one that this class can have written. */
    boolean valid() {
      return ColumnHistory.valid(history, skipped)
          && weight >= 0
          && weight <= WINDOW
          && Double.isFinite(mean)
          && variance >= 0
          && Double.isFinite(variance)
          && Double.isFinite(usualDistance)
          && far != null
          && far.valid()
          && isFraction(ties)
          && Double.isFinite(last)
          && run >= 0
          && isFraction(odd)
          && missing() >= 0;
    }

    private static boolean isFraction(double value) {
      return value >= 0 && value <= 1;
    }
  }

  private final ColumnHistory history;
  private double weight;
  private double mean;
  private double variance;
  private double usualDistance;
  private Far far;
  private double ties;
  private double last;
  private long run;
  private boolean constant;
  private double odd;
  private boolean binary;
  private long missing;

  RobustColumn(State state) {
    weight = state.weight();
    mean = state.mean();
    variance = state.variance();
    usualDistance = state.usualDistance();
    far = state.far();
    ties = state.ties();
    last = state.last();
    run = state.run();
    constant = state.constant();
    odd = state.odd();
    binary = state.binary();
    missing = state.missing();
    history = new ColumnHistory(state.history(), state.skipped());
  }

  State state() {
    return new State(
        weight,
        mean,
        variance,
        usualDistance,
        far,
        ties,
        last,
        run,
        constant,
        odd,
        binary,
        history.bytes(),
        history.skipped(),
        missing == 0 ? null : missing);
  }

  /**
   * Returns the state of a column of several streams that are read side by side. Mean and variance
   * are those of all values together; fractions are means by the number of values that each stands
   * for; a column is a flag or constant only if it is one in each stream.
   *
   * @param states states of the column in each stream, at least one
   */
  static State mixed(List<State> states) {
    List<State> seen = states.stream().filter(each -> !unseen(each)).toList();
    long missing = states.stream().mapToLong(State::missing).sum();
    if (seen.isEmpty()) {
      return State.missing(missing);
    }
    State heaviest = seen.get(0);
    double total = 0;
    for (State each : seen) {
      heaviest = each.weight() > heaviest.weight() ? each : heaviest;
      total += each.weight();
    }
    double first = seen.get(0).mean();
    double mean = first;
    for (State each : seen) {
      double part = each.weight() / total;
      // Equal means differ by 0, so that a constant column stays one.
      mean += part * each.mean() - part * first;
    }
    double variance = 0;
    double ties = 0;
    double odd = 0;
    double share = 0;
    double runs = 0;
    double logarithm = 0;
    double distance = 0;
    double varying = 0;
    for (State each : seen) {
      double part = each.weight() / total;
      double apart = each.mean() - mean;
      variance += part * (each.variance() + apart * apart);
      ties += part * each.ties();
      odd += part * each.odd();
      share += part * each.far().share();
      runs += part * each.far().runs();
      logarithm += part * each.far().logarithm();
      if (each.usualDistance() != NO_DISTANCE) {
        distance += each.weight() * each.usualDistance();
        varying += each.weight();
      }
    }
    Far last = heaviest.far();
    return new State(
        Math.min(WINDOW, total),
        mean,
        Math.min(Double.MAX_VALUE, variance),
        varying == 0 ? NO_DISTANCE : distance / varying,
        new Far(fraction(share), fraction(runs), logarithm, last.out(), last.unusual()),
        fraction(ties),
        heaviest.last(),
        heaviest.run(),
        seen.stream().allMatch(each -> each.constant() && each.last() == seen.get(0).last()),
        fraction(odd),
        seen.stream().allMatch(State::binary),
        ColumnHistory.mixed(seen.stream().map(State::history).toList()),
        heaviest.skipped(),
        missing == 0 ? null : missing);
  }

  /** Returns a mean of fractions without the rounding that may bring it above 1. */
  private static double fraction(double mean) {
    return Math.min(1, mean);
  }

  /** Returns whether a column has seen no finite value yet. */
  static boolean unseen(State state) {
    return state.weight() == 0;
  }

  /** Returns the scale of a column, its standard deviation; 1 if its values do not vary. */
  static double scale(double mean, double variance) {
    double deviation = Math.sqrt(variance);
    return deviation > leastScale(mean) ? deviation : 1;
  }

  private static double leastScale(double mean) {
    return Math.max(LEAST_SCALE, LEAST_SPACINGS * Math.ulp(mean));
  }

  private double scale() {
    return scale(mean, variance);
  }

  /**
   * Adds the next values of the stream.
   *
   * @param seen number of values before these, including those that are not finite
   */
  void include(double[] values, long seen) {
    double[] numbers = numbers(values);
    // What is missing moves no other value out of the history.
    long before = seen - missing;
    missing += values.length - numbers.length;
    if (numbers.length > 0) {
      add(numbers, before);
    }
  }

  /** Returns the values that are finite, in their order. */
  private static double[] numbers(double[] values) {
    int n = 0;
    for (double value : values) {
      n += Double.isFinite(value) ? 1 : 0;
    }
    if (n == values.length) {
      return values;
    }
    double[] numbers = new double[n];
    int at = 0;
    for (double value : values) {
      if (Double.isFinite(value)) {
        numbers[at++] = value;
      }
    }
    return numbers;
  }

  /**
   * @param seen number of values before these
   */
  private void add(double[] values, long seen) {
    int at = 0;
    if (seen < ColumnHistory.LENGTH) {
      double[] before = history.values();
      at = Math.min(values.length, FIRST);
      double[] first = Arrays.copyOf(before, before.length + at);
      for (int i = 0; i < at; i++) {
        first[before.length + i] = values[i];
      }
      keep(values, 0, at, seen);
      start(first);
      review(at);
    }
    while (at < values.length) {
      int to = Math.min(values.length, at + CHUNK);
      merge(values, at, to);
      keep(values, at, to, seen);
      review(to - at);
      at = to;
    }
  }

  private void keep(double[] values, int from, int to, long seen) {
    int tied = 0;
    for (int i = from; i < to; i++) {
      boolean tie = run > 0 && values[i] == last;
      tied += tie ? 1 : 0;
      run = tie ? run + 1 : 1;
      constant &= tie;
      last = values[i];
      history.add(values[i], seen + i);
    }
    // Counted as if one of two values before the first had been equal.
    double known = Math.min(WINDOW, seen + from + 2);
    ties = ((seen + from == 0 ? 0.5 : ties) * known + tied) / (known + to - from);
  }

  /** Computes a first centre and scale from values that may include few outliers. */
  private void start(double[] raw) {
    double[] values = raw.clone();
    double middle = ColumnHistory.median(values);
    double spread = ColumnHistory.spread(values, middle);
    double unit = spread > 0 ? spread : 1;
    double sum = 0;
    int odds = 0;
    for (int i = 0; i < values.length; i++) {
      odds += values[i] == 0 || values[i] == 1 ? 0 : 1;
      values[i] = clamp(values[i], middle, unit);
      // Differences, because sums of numbers far from 0 round.
      sum += values[i] - middle;
    }
    mean = middle + sum / values.length;
    double squares = 0;
    for (double value : values) {
      squares += (value - mean) * (value - mean);
    }
    variance = squares / values.length;
    ColumnHistory.Distances distances = ColumnHistory.distances(raw, middle);
    usualDistance = distances.others() == 0 ? NO_DISTANCE : distances.logarithm();
    far = Far.NONE;
    weight = values.length;
    odd = (double) odds / values.length;
    binary = values.length > 2 ? odds <= Math.max(1, values.length / 64) : odds == 0;
  }

  /**
   * Starts over from the values of the history. They soon count little against later values,
   * because some of them may be from before the end of a gradual change.
   */
  private void startOver() {
    start(history.values());
    weight /= 4;
  }

  private static double clamp(double value, double centre, double unit) {
    return Math.max(centre - LIMIT * unit, Math.min(centre + LIMIT * unit, value));
  }

  /**
   * Adds values to mean and variance. A value beyond the limit, and each of several unusual ones in
   * a row, counts in a young column as little as in an old one; otherwise a change of the stream
   * would first make the column as wide as both levels together, so that none of them is far.
   */
  private void merge(double[] values, int from, int to) {
    double unit = scale();
    double deviation = Math.sqrt(variance);
    double beyond = weight / WINDOW;
    double sum = 0;
    double n = 0;
    int odds = 0;
    double[] shares = new double[to - from];
    boolean unusual = far.unusual();
    for (int i = from; i < to; i++) {
      double distance = Math.abs(values[i] - mean);
      double usual = (unusual ? USUAL : LIMIT) * deviation;
      double share = distance > usual ? beyond : 1;
      shares[i - from] = share;
      sum += share * (clamp(values[i], mean, unit) - mean);
      n += share;
      odds += values[i] == 0 || values[i] == 1 ? 0 : 1;
      unusual = distance > USUAL * deviation;
    }
    far = farWith(values, from, to, deviation);
    double chunkMean = mean + sum / n;
    double squares = 0;
    for (int i = from; i < to; i++) {
      double difference = clamp(values[i], mean, unit) - chunkMean;
      squares += shares[i - from] * difference * difference;
    }
    double apart = chunkMean - mean;
    double total = weight + n;
    // Two sets of values together, by Chan's formula.
    variance = (variance * weight + squares + apart * apart * weight * n / total) / total;
    mean += apart * n / total;
    odd += (odds - odd * (to - from)) / (weight + to - from);
    binary &= odd <= ODD_MOST;
    weight = Math.min(WINDOW, total);
  }

  /** Returns what is known of values beyond the limit, with further values. */
  private Far farWith(double[] values, int from, int to, double deviation) {
    double share = far.share();
    double runs = far.runs();
    double logarithm = far.logarithm();
    boolean out = far.out();
    double rest = 1 - 1 / FAR_WINDOW;
    double distance = 0;
    for (int i = from; i < to; i++) {
      distance = Math.abs(values[i] - mean);
      boolean wasOut = out;
      out = distance > LIMIT * deviation;
      share *= rest;
      runs *= rest;
      logarithm *= rest;
      if (out) {
        share += 1 / FAR_WINDOW;
        runs += wasOut ? 0 : 1 / FAR_WINDOW;
        logarithm += Math.log(distance) / FAR_WINDOW;
      }
    }
    return new Far(share, runs, logarithm, out, distance > USUAL * deviation);
  }

  /**
   * Starts over from the history if the stream has changed.
   *
   * @param added number of values since the last review
   */
  private void review(int added) {
    if (history.count() < ColumnHistory.LENGTH / 2) {
      return;
    }
    double middle = history.middle();
    double agreed = history.deviation(middle);
    double deviation = Math.max(Math.sqrt(variance), leastScale(mean));
    if (constantNow()) {
      startFromNear(last, 0);
      constant = true;
    } else if ((Math.abs(middle - mean) > FAR * Math.max(deviation, agreed)
            || agreed > WIDER * deviation)
        // Else it is the old level that agrees, and the stream is on its way to another.
        && Math.abs(history.newerMiddle() - middle) <= LIMIT * agreed) {
      // Where more than half are equal, the others would decide the scale of the new level.
      startFromNear(middle, agreed);
    } else if (far.runs() > TAIL) {
      variance += far.variance();
      weight = Math.min(weight, TAIL_WEIGHT);
      far = Far.NONE;
    } else {
      reviewSpread(middle, agreed, added);
    }
  }

  private boolean constantNow() {
    return !constant
        && variance > 0
        && !binary
        && history.newerHalfIs(last)
        && run * -Math.log(ties) > HARDLY_CHANCE;
  }

  /**
   * Starts over if the history spreads much less than earlier ones. It is compared with histories,
   * since the window of a stream with a trend spreads wider than any of them.
   */
  private void reviewSpread(double middle, double agreed, int added) {
    ColumnHistory.Distances now = ColumnHistory.distances(history.values(), middle);
    if (now.others() == 0) {
      return;
    }
    if (!narrower(middle, now) || hasTail(middle, agreed)) {
      usualDistance =
          usualDistance == NO_DISTANCE
              ? now.logarithm()
              : usualDistance
                  + (now.logarithm() - usualDistance)
                      * added
                      / (Math.max(weight, USUAL_WINDOW) + added);
    } else if (agreed > 0) {
      startFromNear(middle, agreed);
    } else {
      startOver();
    }
  }

  /** Returns whether values far from those that agree belong to the stream, as newer ones show. */
  private boolean hasTail(double middle, double agreed) {
    return agreed > 0 && history.excursions(ColumnHistory.LENGTH / 2, middle, LIMIT * agreed) > 1;
  }

  private boolean narrower(double middle, ColumnHistory.Distances now) {
    double unit = scale();
    ColumnHistory.Local local = history.local(mean - LIMIT * unit, mean + LIMIT * unit);
    boolean shrunk = now.others() >= MANY && local.variance() * SHRUNK * SHRUNK < variance;
    if (local.smooth()) {
      return shrunk && (middle - mean) * (middle - mean) < variance;
    }
    double chance =
        ERRORS * Math.max(LOGARITHM_DEVIATION, now.deviation()) / Math.sqrt(now.others());
    return shrunk || usualDistance - now.logarithm() > Math.max(Math.log(NARROWER), chance);
  }

  /**
   * Starts over from the values of the history that agree with each other. If these are equal, the
   * scale becomes a fraction of the one before, so that what a network still says of the old level
   * is little.
   */
  private void startFromNear(double middle, double agreed) {
    double before = scale();
    if (!hasTail(middle, agreed)) {
      history.retain(value -> Math.abs(value - middle) <= LIMIT * agreed);
    }
    startOver();
    if (variance == 0) {
      double narrow = Math.max(2 * leastScale(mean), Math.min(1, before / SHRUNK));
      variance = narrow * narrow;
    }
  }
}
