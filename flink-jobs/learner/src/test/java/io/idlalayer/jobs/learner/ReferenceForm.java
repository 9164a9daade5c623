package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.CategoricalFeature;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.Missing;
import io.idlalayer.middleware.sample.SampleSchema.Reading;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What the application of a {@link ReferenceHistory} says. Its events have {@code price}, which may
 * not be missing, {@code age}, which is 0 if it is missing, the category {@code site}, and perhaps
 * a weight.
 *
 * @param targets whether labels are targets, and no classes
 * @param weighted whether events have weights
 * @param defaultWeight weight of an event that says none; NaN if it must say one
 * @param weightless whether weights may be 0; if not, some samples make trainings fail
 * @param replayed most samples that an update trains again
 */
record ReferenceForm(
    boolean targets,
    boolean weighted,
    double defaultWeight,
    boolean weightless,
    int maxUnlabeled,
    int maxSamples,
    int replayed) {
  static final long LABEL_WAIT_MILLIS = 60_000;

  /** Stands for an age that is missing. */
  static final String NO_AGE = "NA";

  private static final int MANY = 10_000;

  /** Draws one. The store is not limited where samples are replayed, which no limit may remove. */
  static ReferenceForm draw(SplittableRandom random) {
    boolean replays = random.nextInt(3) == 0;
    boolean weighted = random.nextBoolean();
    return new ReferenceForm(
        random.nextBoolean(),
        weighted,
        random.nextBoolean() ? Double.NaN : 1.5,
        weighted && random.nextBoolean(),
        replays || random.nextBoolean() ? MANY : 4,
        replays || random.nextBoolean() ? MANY : 50,
        replays ? 3 : 0);
  }

  SampleSchema schema() {
    return new SampleSchema(
        List.of(),
        List.of(
            DenseFeature.of("price"),
            new DenseFeature(
                "age", 1, 1, new Reading(Missing.ZERO, false, List.of(NO_AGE), List.of()))),
        List.of(new CategoricalFeature("site", 1_024)),
        List.of(),
        targets
            ? new SampleSchema.Label("y", Task.REGRESSION, List.of())
            : new SampleSchema.Label("y", Task.CLASSIFICATION, List.of("0", "1")),
        "id",
        weighted ? new SampleSchema.Weight("w", defaultWeight) : null);
  }

  ApplicationSettings settings() {
    DataSettings data =
        new DataSettings(
                DataSettings.Staging.defaults(),
                DataSettings.Replay.of(
                    DataSettings.Policy.UNIFORM, new DataSettings.Ratios(1, 1, 1), false, replayed),
                maxSamples,
                1 << 24,
                maxUnlabeled)
            .withLabelWait(LABEL_WAIT_MILLIS)
            .withDefaultWeight(defaultWeight);
    return LearnerSettings.learning(
        LearnerSimulation.settings(UpdateSettings.of(UpdateSettings.RuleName.MANUAL, 10), data),
        schema(),
        new ModelSpec.Network.Mlp(List.of(4)),
        new ModelSpec.Fit(8, 1, ModelSpec.Updater.SGD, 0.1, 0));
  }
}
