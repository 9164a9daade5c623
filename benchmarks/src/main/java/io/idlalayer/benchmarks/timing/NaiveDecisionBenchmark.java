package io.idlalayer.benchmarks.timing;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Algorithm 3 of Rang 2021 as it is written: every decision sums every split afresh. Table (c). */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 6, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class NaiveDecisionBenchmark {
  private static final double LAMBDA = 0.01;
  private static final double EPS = 1;
  private static final double W = 1e15;

  @Param({"200", "1000", "3000"})
  int pending;

  private double[] arrivals = {};

  @Setup
  public void fill() {
    arrivals = new double[pending];
    for (int i = 0; i < pending; i++) {
      arrivals[i] = i * 1e-6;
    }
  }

  @Benchmark
  public boolean calUpdate() {
    double all = calLat(0, pending);
    for (int k = 2; k < pending; k++) {
      if (all - calLat(0, k) - calLat(k, pending) > W * EPS) {
        return true;
      }
    }
    return false;
  }

  private double calLat(int first, int end) {
    double finish = arrivals[end - 1] + LAMBDA * (end - first) + EPS;
    double latency = 0;
    for (int k = first; k < end; k++) {
      latency += finish - arrivals[k];
    }
    return latency;
  }
}
