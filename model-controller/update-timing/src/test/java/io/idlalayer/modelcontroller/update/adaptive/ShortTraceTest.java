package io.idlalayer.modelcontroller.update.adaptive;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.replay.ArrivalTrace;
import io.idlalayer.modelcontroller.replay.Machine;
import io.idlalayer.modelcontroller.replay.ReplayLab;
import io.idlalayer.modelcontroller.replay.RuleOutcome;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An hour of uploads every five minutes, in which only few trainings fit, on one machine. */
final class ShortTraceTest {
  @ParameterizedTest
  @CsvSource({"30", "60", "120", "360"})
  void adaptive_fewLongTrainings_isNearTheOptimum(double fixedSeconds) {
    for (int seed = 1; seed <= 5; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      ArrivalTrace.Builder builder = new ArrivalTrace.Builder();
      int samples = 0;
      for (int upload = 0; upload < 12; upload++) {
        int count = 5 + random.nextInt(25);
        builder.add(upload * 300_000_000_000L, count);
        samples += count;
      }
      ReplayLab lab =
          new ReplayLab(
              builder.build(), new ScheduleCosts(330.0 / samples, fixedSeconds, 10), Machine.ONE);
      RuleOutcome adaptive = lab.run(UpdateSettings.of(RuleName.ADAPTIVE, 10));

      assertThat(lab.totalRatio(adaptive, lab.optimum(List.of(adaptive))))
          .as("seed %d", seed)
          .isLessThanOrEqualTo(1.4);
    }
  }
}
