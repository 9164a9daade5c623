package io.idlalayer.benchmarks.timing;

import io.idlalayer.modelcontroller.cost.TrainingCostModel;
import io.idlalayer.modelcontroller.update.UpdateController;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.Limits;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One arrival and its decision, certificate included, while many samples wait at different times;
 * the rule has no reason to fire. Table (c).
 */
@State(Scope.Thread)
@BenchmarkMode({Mode.AverageTime, Mode.SampleTime})
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 8, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 12, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class DecisionBenchmark {
  private static final long GAP_NANOS = 1_000_000;

  /** Arrivals per tick of the clock, which is a millisecond in the product. */
  private static final int PER_TICK = 64;

  @Param({"dla", "area", "adaptive", "periodic"})
  String rule = "";

  @Param({"1000", "1000000"})
  int pending;

  private UpdateController controller =
      new UpdateController(UpdateSettings.defaults(), new TrainingCostModel());
  private long now;
  private long arrivals;

  /** A fresh controller with its waiting samples. */
  @Setup(Level.Trial)
  public void fill() {
    UpdateSettings settings =
        UpdateSettings.of(RuleName.valueOf(rule.toUpperCase(Locale.ROOT).replace('-', '_')), 1e15)
            .with(new Limits(Integer.MAX_VALUE, 0, 0))
            .with(UpdateSettings.Tuning.defaults().withPeriodSeconds(1e9));
    controller = new UpdateController(settings, new TrainingCostModel());
    now = 0;
    for (int i = 0; i < pending; i++) {
      now += GAP_NANOS;
      controller.arrived(now, 1);
    }
  }

  @Benchmark
  public UpdateDecision arrival() {
    if (++arrivals % PER_TICK == 0) {
      now += GAP_NANOS;
    }
    return controller.arrived(now, 1);
  }
}
