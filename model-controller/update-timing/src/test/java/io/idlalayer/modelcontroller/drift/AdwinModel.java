package io.idlalayer.modelcontroller.drift;

import java.util.ArrayList;
import java.util.List;

/**
 * ADWIN by brute force: keeps every value of every bucket and computes each sum, mean, variance and
 * cut from them anew.
 */
final class AdwinModel {
  private static final int CHECK_EVERY = 32;
  private static final int LEAST = 10;

  private final double delta;
  private final List<List<Double>> buckets = new ArrayList<>();
  private double lowest = Double.POSITIVE_INFINITY;
  private double highest = Double.NEGATIVE_INFINITY;
  private int seen;
  private double before;

  AdwinModel(double delta) {
    this.delta = delta;
  }

  boolean observe(double value) {
    double taken = value;
    List<Double> window = window();
    double spread = deviation(window);
    if (window.size() >= 2 * LEAST && spread > 1e-7 * Math.abs(mean(window))) {
      taken = Math.max(mean(window) - 45 * spread, Math.min(mean(window) + 45 * spread, value));
    }
    lowest = Math.min(lowest, taken);
    highest = Math.max(highest, taken);
    buckets.add(new ArrayList<>(List.of(taken)));
    merge();
    boolean changed = false;
    if (++seen % CHECK_EVERY == 0) {
      while (cut(!changed)) {
        changed = true;
        buckets.remove(0);
      }
      if (changed) {
        narrow();
      }
    }
    return changed;
  }

  private void merge() {
    for (int size = 1; size <= seen; size *= 2) {
      int wanted = size;
      List<List<Double>> same = buckets.stream().filter(b -> b.size() == wanted).toList();
      if (same.size() > 5) {
        int at = 0;
        while (buckets.get(at).size() != size) {
          at++;
        }
        buckets.get(at).addAll(buckets.remove(at + 1));
      }
    }
  }

  private boolean cut(boolean first) {
    List<Double> window = window();
    int n = window.size();
    double log = Math.log(2 * Math.log(n) / delta);
    double variance = Math.pow(deviation(window), 2);
    double rounding = 1e-9 * Math.max(Math.abs(lowest), Math.abs(highest));
    int older = 0;
    for (List<Double> bucket : buckets) {
      older += bucket.size();
      if (older < LEAST || n - older < LEAST) {
        continue;
      }
      double m = 1 / (1.0 / older + 1.0 / (n - older));
      double epsilon = Math.sqrt(2 / m * variance * log) + 2 / (3 * m) * (highest - lowest) * log;
      double difference = mean(window.subList(0, older)) - mean(window.subList(older, n));
      if (Math.abs(difference) > epsilon + rounding) {
        before = first ? mean(window.subList(0, older)) : before;
        return true;
      }
    }
    return false;
  }

  private void narrow() {
    double low = Double.POSITIVE_INFINITY;
    double high = Double.NEGATIVE_INFINITY;
    for (List<Double> bucket : buckets) {
      double reach = Math.sqrt(bucket.size() - 1.0) * deviation(bucket);
      low = Math.min(low, mean(bucket) - reach);
      high = Math.max(high, mean(bucket) + reach);
    }
    lowest = Math.max(lowest, low);
    highest = Math.min(highest, high);
  }

  List<Double> window() {
    return buckets.stream().flatMap(List::stream).toList();
  }

  double lowest() {
    return lowest;
  }

  double highest() {
    return highest;
  }

  double before() {
    return before;
  }

  private static double mean(List<Double> values) {
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    return values.isEmpty() ? 0 : sum / values.size();
  }

  private static double deviation(List<Double> values) {
    double mean = mean(values);
    double sum = 0;
    for (double value : values) {
      sum += (value - mean) * (value - mean);
    }
    return values.isEmpty() ? 0 : Math.sqrt(sum / values.size());
  }
}
