package io.idlalayer.benchmarks.timing;

import io.idlalayer.modelcontroller.replay.ArrivalTrace;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;

/** Synthetic arrival families, mean rate 1 per second. */
enum ArrivalFamily {
  POISSON {
    @Override
    ArrivalTrace generate(int n, SplittableRandom random) {
      return gaps(n, () -> exponential(random, 1));
    }
  },
  /** Rate 5 for 40 s, then 0.2 for 200 s, in the mean. */
  MMPP {
    @Override
    ArrivalTrace generate(int n, SplittableRandom random) {
      return modulated(n, random, 5, 40, 0.2, 200);
    }
  },
  /** Bursts of 10/s for 5 s, then nothing for 45 s, in the mean. */
  ON_OFF {
    @Override
    ArrivalTrace generate(int n, SplittableRandom random) {
      return modulated(n, random, 10, 5, 0, 45);
    }
  },
  /** Rate 1 + 0.9*sin, period 2,000 s, by thinning. */
  DIURNAL {
    @Override
    ArrivalTrace generate(int n, SplittableRandom random) {
      ArrivalTrace.Builder trace = new ArrivalTrace.Builder();
      double now = 0;
      for (int i = 0; i < n; ) {
        now += exponential(random, 1 / 1.9);
        if (random.nextDouble() * 1.9 < 1 + 0.9 * Math.sin(2 * Math.PI * now / 2000)) {
          trace.add(nanos(now), 1);
          i++;
        }
      }
      return trace.build();
    }
  },
  /** Pareto gaps of index 1.5. */
  PARETO_GAPS {
    @Override
    ArrivalTrace generate(int n, SplittableRandom random) {
      return gaps(n, () -> Math.pow(1 - random.nextDouble(), -1 / 1.5) / 3);
    }
  },
  /** Uploads of Pareto(1.3) sizes, at most 500. */
  BULK {
    @Override
    ArrivalTrace generate(int n, SplittableRandom random) {
      ArrivalTrace.Builder trace = new ArrivalTrace.Builder();
      double now = 0;
      for (int i = 0; i < n; ) {
        int size = (int) Math.min(500, Math.pow(1 - random.nextDouble(), -1 / 1.3));
        size = Math.min(size, n - i);
        now += exponential(random, MEAN_UPLOAD);
        trace.add(nanos(now), size);
        i += size;
      }
      return trace.build();
    }
  };

  /** Mean of floor(min(500, Pareto(1.3))): sum over k of P(size >= k) = k^-1.3. */
  private static final double MEAN_UPLOAD = meanUpload();

  private static double meanUpload() {
    double mean = 0;
    for (int k = 1; k <= 500; k++) {
      mean += Math.pow(k, -1.3);
    }
    return mean;
  }

  abstract ArrivalTrace generate(int n, SplittableRandom random);

  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static ArrivalTrace gaps(int n, DoubleSupplier gap) {
    ArrivalTrace.Builder trace = new ArrivalTrace.Builder();
    double now = 0;
    for (int i = 0; i < n; i++) {
      now += gap.getAsDouble();
      trace.add(nanos(now), 1);
    }
    return trace.build();
  }

  private static ArrivalTrace modulated(
      int n, SplittableRandom random, double fast, double fastMean, double slow, double slowMean) {
    ArrivalTrace.Builder trace = new ArrivalTrace.Builder();
    double now = 0;
    boolean burst = true;
    double until = exponential(random, fastMean);
    for (int i = 0; i < n; ) {
      double rate = burst ? fast : slow;
      double next = rate > 0 ? now + exponential(random, 1 / rate) : Double.POSITIVE_INFINITY;
      if (next <= until) {
        now = next;
        trace.add(nanos(now), 1);
        i++;
      } else {
        now = until;
        burst = !burst;
        until = now + exponential(random, burst ? fastMean : slowMean);
      }
    }
    return trace.build();
  }

  private static double exponential(SplittableRandom random, double mean) {
    return -mean * Math.log(1 - random.nextDouble());
  }

  private static long nanos(double seconds) {
    return Math.round(seconds * 1e9);
  }
}
