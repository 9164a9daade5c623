package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.cache.donation.DonationRounds;
import io.idlalayer.middleware.cache.donation.DonationRow;
import io.idlalayer.middleware.cache.donation.DonationSettings;
import io.idlalayer.middleware.cache.donation.TaskTimeModels;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a learner tells those who plan donations. */
class LearnerDonationTest {
  private final AtomicLong nanos = new AtomicLong();
  private final List<DonationRow> rows = new ArrayList<>();
  private final List<DonationRounds> started = new ArrayList<>();

  @TempDir private Path models;

  private DonationRounds start(HotCache cache) {
    DonationRounds rounds =
        new DonationRounds(
            cache,
            DonationSettings.defaults(),
            new TaskTimeModels(),
            // Every look at the clock takes a second.
            new DonationRounds.ProcessProbe(
                () -> nanos.addAndGet(TimeUnit.SECONDS.toNanos(1)),
                () -> 0,
                () -> 4096,
                rows::add));
    started.add(rounds);
    return rounds;
  }

  private void train(LearnerSimulation sim, int update, int samples) throws Exception {
    for (int i = 0; i < samples; i++) {
      sim.arrive("u" + update + "-" + i, update, i % 2);
    }
    sim.requestTraining();
    int before = sim.notices.size();
    while (sim.notices.size() == before) {
      sim.work();
      sim.step(1_000);
    }
  }

  @Test
  void update_isATaskPerSample_alsoAfterARestart() throws Exception {
    UpdateSettings manual = UpdateSettings.of(UpdateSettings.RuleName.MANUAL, 10);
    LearnerSimulation sim =
        new LearnerSimulation(
            manual, DataSettings.defaults(), models, request -> false, this::start);
    try (sim) {
      for (int update = 0; update < 6; update++) {
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(10));
        train(sim, update, 4);
      }
      assertThat(rows).hasSize(4);
      for (DonationRow row : rows) {
        assertThat(row.jobType()).isEqualTo("app");
        assertThat(row.donationMib()).isEqualTo(1);
        // Reading took a second; it is shared by the samples of the update, replayed ones too.
        assertThat(row.seconds()).isPositive().isLessThanOrEqualTo(1);
        assertThat(row.conditions().executors()).isEqualTo(1);
      }
      sim.crash();
      for (int update = 6; update < 10; update++) {
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(10));
        train(sim, update, 4);
      }
      assertThat(rows).as("the lags are learned anew").hasSize(6);
      assertThat(rows.get(5).conditions().executors()).isEqualTo(1);
    }
    nanos.addAndGet(TimeUnit.HOURS.toNanos(1));
    assertThat(started).hasSize(1);
    assertThat(started.get(0).round()).as("closed learners are not planned for").isEmpty();
  }
}
