package io.idlalayer.jobs.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class UpdateForecastTest {
  @TempDir Path folder;

  private ApplicationSettings settings(String update) throws Exception {
    Path file = folder.resolve("app.yaml");
    Files.writeString(
        file,
        """
        name: x
        input: {features: [a], label: y, classes: 2}
        model: {type: mlp, hidden: [4]}
        training: {mini-batch: 10, epochs: 2, updater: sgd, learning-rate: 0.1}
        selection: {replay-budget: 20, steady-share: 0.5}
        """
            + "update: "
            + update
            + "\n");
    return ApplicationFileReader.read(file, name -> null);
  }

  /** An update of 100 samples: 20 steps of 10 ms for them, 2 for ten replayed ones, and 80 ms. */
  @Test
  void of_updatesByCount_takeTheirSteps() throws Exception {
    UpdateForecast forecast =
        UpdateForecast.of(settings("{rule: count, count: 100}"), 0.01, 0.08, 50);
    assertThat(forecast.keepsUp()).isTrue();
    assertThat(forecast.samplesPerUpdate()).isEqualTo(100);
    assertThat(forecast.updateSeconds()).isCloseTo(0.3, within(1e-6));
    // Events wait a second on the mean until there are a hundred, and then for the training.
    assertThat(forecast.meanSeconds()).isBetween(1.1, 1.5);
    assertThat(forecast.p99Seconds()).isGreaterThan(forecast.meanSeconds());
  }

  @Test
  void of_slowerSteps_waitLonger() throws Exception {
    ApplicationSettings settings = settings("{rule: adaptive}");
    UpdateForecast fast = UpdateForecast.of(settings, 0.001, 0.01, 100);
    UpdateForecast slow = UpdateForecast.of(settings, 0.02, 0.01, 100);
    assertThat(slow.meanSeconds()).isGreaterThan(fast.meanSeconds());
    assertThat(slow.mostEventsPerSecond()).isLessThan(fast.mostEventsPerSecond());
  }

  @Test
  void of_moreEventsThanTraining_doesNotKeepUp() throws Exception {
    UpdateForecast forecast = UpdateForecast.of(settings("{rule: adaptive}"), 0.1, 0, 51);
    assertThat(forecast.keepsUp()).isFalse();
    // Two epochs of a tenth of a tenth of a second for each event.
    assertThat(forecast.mostEventsPerSecond()).isCloseTo(50, within(0.5));
  }
}
