package io.idlalayer.middleware.fuzzy.fcl;

import io.idlalayer.middleware.fuzzy.fcl.RuleBase.Accumulation;
import io.idlalayer.middleware.fuzzy.fcl.RuleBase.Activation;
import java.util.Arrays;

/**
 * Turns the conclusions that rules draw about one output into a single value. Shapes are sampled at
 * 1,000 places from the low end of the range on, as jFuzzyLogic does, once for all evaluations; a
 * conclusion touches only the places where its term is not 0.
 */
final class Defuzzifier {
  private static final int PLACES = 1000;

  private final RuleBase.Output output;
  private final Membership[] shapes;
  private final boolean discrete;
  private final double low;
  private final double step;
  private final double[][] samples;
  private final int[] from;
  private final int[] to;
  private final double[] area;
  private final double[] heights;
  private final double[] places;
  private int touchedFrom;
  private int touchedTo;
  private double last;

  Defuzzifier(RuleBase.Output output) {
    this.output = output;
    shapes = output.terms().stream().map(RuleBase.Term::shape).toArray(Membership[]::new);
    discrete = output.method().discrete();
    last = output.defaultValue();
    RuleBase.Range range = output.range();
    low = range == null ? min(shapes) : range.low();
    double high = range == null ? max(shapes) : range.high();
    step = (high - low) / PLACES;
    samples = new double[shapes.length][];
    from = new int[shapes.length];
    to = new int[shapes.length];
    area = new double[discrete ? 0 : PLACES];
    heights = new double[shapes.length];
    places = new double[shapes.length];
    if (!discrete) {
      for (int term = 0; term < shapes.length; term++) {
        sample(term);
      }
    }
  }

  private static double min(Membership[] shapes) {
    return Arrays.stream(shapes).mapToDouble(Membership::low).min().orElse(0);
  }

  private static double max(Membership[] shapes) {
    return Arrays.stream(shapes).mapToDouble(Membership::high).max().orElse(0);
  }

  private void sample(int term) {
    samples[term] = new double[PLACES];
    from[term] = PLACES;
    for (int i = 0; i < PLACES; i++) {
      samples[term][i] = shapes[term].of(low + i * step);
      if (samples[term][i] != 0) {
        from[term] = Math.min(from[term], i);
        to[term] = i + 1;
      }
    }
  }

  /** Discards the conclusions of the evaluation before. */
  void reset() {
    Arrays.fill(heights, 0);
    if (!discrete && touchedFrom < touchedTo) {
      Arrays.fill(area, touchedFrom, touchedTo, 0);
    }
    touchedFrom = PLACES;
    touchedTo = 0;
  }

  /**
   * Adds the conclusion of one rule that the output is a certain term, with the strength of the
   * rule.
   */
  void conclude(int term, double strength, Activation activation, Accumulation accumulation) {
    if (strength == 0) {
      return;
    }
    if (discrete) {
      heights[term] = accumulation.of(heights[term], strength);
    } else if (accumulation == Accumulation.MAX) {
      // max_r act(s_r, mu) = act(max_r s_r, mu): one pass for each term, at the end.
      heights[term] = Math.max(heights[term], strength);
    } else {
      add(term, strength, activation, accumulation);
    }
  }

  private void add(int term, double strength, Activation activation, Accumulation accumulation) {
    double[] shape = samples[term];
    for (int i = from[term]; i < to[term]; i++) {
      area[i] = accumulation.of(area[i], activation.of(strength, shape[i]));
    }
    touchedFrom = Math.min(touchedFrom, from[term]);
    touchedTo = Math.max(touchedTo, to[term]);
  }

  /** Completes the conclusions of a rule block. */
  void endBlock(Activation activation, Accumulation accumulation) {
    if (!discrete && accumulation == Accumulation.MAX) {
      for (int term = 0; term < heights.length; term++) {
        if (heights[term] > 0) {
          add(term, heights[term], activation, accumulation);
          heights[term] = 0;
        }
      }
    }
  }

  /**
   * Returns the output's value by the conclusions so far.
   *
   * @param accumulation accumulation of the last block, for singletons at the same position
   */
  double value(double[] inputs, Accumulation accumulation) {
    double value = discrete ? singletons(inputs, accumulation) : continuous();
    if (Double.isNaN(value)) {
      return Double.isNaN(output.defaultValue()) ? last : output.defaultValue();
    }
    last = value;
    return value;
  }

  /**
   * Returns the mean of the singletons' positions, weighted by their heights; singletons at an
   * equal position are merged.
   */
  private double singletons(double[] inputs, Accumulation accumulation) {
    int count = 0;
    for (int term = 0; term < heights.length; term++) {
      if (heights[term] != 0) {
        double place =
            shapes[term] instanceof Membership.Function function
                ? function.expression().of(inputs)
                : shapes[term].low();
        count = merge(count, place, heights[term], accumulation);
      }
    }
    double weighted = 0;
    double sum = 0;
    for (int i = 0; i < count; i++) {
      weighted += places[i] * heights[i];
      sum += heights[i];
    }
    return sum == 0 ? Double.NaN : weighted / sum;
  }

  /**
   * Adds a singleton to the merged ones at the front of the arrays and returns their number. If its
   * position is there already, the heights are accumulated.
   */
  private int merge(int count, double place, double height, Accumulation accumulation) {
    for (int i = 0; i < count; i++) {
      if (places[i] == place) {
        heights[i] = accumulation.of(heights[i], height);
        return count;
      }
    }
    places[count] = place;
    heights[count] = height;
    return count + 1;
  }

  private double continuous() {
    return switch (output.method()) {
      case COG, COGS -> gravity();
      case COA -> halfArea();
      case MM -> maxima(true, true);
      case LM -> maxima(true, false);
      case RM -> maxima(false, true);
    };
  }

  private double gravity() {
    double sum = 0;
    double weighted = 0;
    for (int i = touchedFrom; i < touchedTo; i++) {
      sum += area[i];
      weighted += (low + i * step) * area[i];
    }
    return sum <= 0 ? Double.NaN : weighted / sum;
  }

  private double halfArea() {
    double sum = 0;
    for (int i = touchedFrom; i < touchedTo; i++) {
      sum += area[i];
    }
    if (sum <= 0) {
      return Double.NaN;
    }
    double half = 0;
    int i = 0;
    while (i < touchedTo && half < sum / 2) {
      half += area[i++];
    }
    return low + i * step;
  }

  private double maxima(boolean leftmost, boolean rightmost) {
    double highest = 0;
    for (int i = touchedFrom; i < touchedTo; i++) {
      highest = Math.max(highest, area[i]);
    }
    if (highest <= 0) {
      return Double.NaN;
    }
    double sum = 0;
    int count = 0;
    for (int i = touchedFrom; i < touchedTo; i++) {
      if (area[i] == highest) {
        double place = low + i * step;
        if (leftmost && !rightmost) {
          return place;
        }
        sum = leftmost ? sum + place : place;
        count = leftmost ? count + 1 : 1;
      }
    }
    return sum / count;
  }
}
