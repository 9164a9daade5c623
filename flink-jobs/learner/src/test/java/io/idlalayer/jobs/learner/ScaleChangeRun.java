package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.learner.state.EventCounters;
import io.idlalayer.jobs.learner.state.LearnerState;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.engine.kernel.plain.JavaKernels;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;
import java.util.Objects;

/** What a learner with default settings makes of a stream that changes. */
record ScaleChangeRun(long trained, long quarantined, List<String> dropped, double error) {
  private static final int HIDDEN = 16;
  private static final int TASK_MILLIS = 200;
  private static final int LAST_MILLIS = 60_000;

  private static ApplicationSettings settings(boolean regression, int hidden) {
    SampleSchema.Label label =
        regression
            ? new SampleSchema.Label("label", SampleSchema.Task.REGRESSION, List.of())
            : new SampleSchema.Label("label", SampleSchema.Task.CLASSIFICATION, List.of("0", "1"));
    return LearnerSettings.learning(
        LearnerSimulation.settings(UpdateSettings.defaults(), DataSettings.defaults()),
        new SampleSchema(
            List.of("x", "y", "label"),
            List.of(SampleSchema.DenseFeature.of("x"), SampleSchema.DenseFeature.of("y")),
            List.of(),
            label,
            null),
        new ModelSpec.Network.Mlp(List.of(hidden)),
        new ModelSpec.Fit(32, 2, ModelSpec.Updater.ADAM, 0.001, 0));
  }

  /**
   * Lets a learner learn a stream to its end.
   *
   * @param perSecond how many samples arrive in a second, which decides on the size of updates
   * @param unseen what the last model is tested on
   */
  static ScaleChangeRun of(
      boolean regression, List<Sample> stream, double perSecond, List<Sample> unseen)
      throws Exception {
    return of(regression, stream, perSecond, unseen, HIDDEN);
  }

  /**
   * Lets a learner with another network learn a stream to its end.
   *
   * @param hidden width of the hidden layer
   */
  static ScaleChangeRun of(
      boolean regression, List<Sample> stream, double perSecond, List<Sample> unseen, int hidden)
      throws Exception {
    ApplicationSettings settings = settings(regression, hidden);
    try (VirtualTimeLearner learner =
        VirtualTimeLearner.of(
                settings,
                () ->
                    EngineChoice.of(EngineName.ONEDNN, settings.model(), null, JavaKernels::new)
                        .trainer(settings.name(), false),
                Dl4jModel::load)
            .trainingSeconds(0.01, 0.0001)
            .taskMillis(TASK_MILLIS)
            .open()) {
      long passed = 0;
      for (int i = 0; i < stream.size(); i++) {
        learner.arrive(stream.get(i), ContentHasher.of(stream.get(i)));
        long due = (long) ((i + 1) * 1_000 / perSecond);
        learner.pass(due - passed);
        passed = due;
      }
      learner.end();
      learner.pass(LAST_MILLIS);
      EventCounters counters = new EventCounters();
      counters.restore(Objects.requireNonNull(learner.written().get(LearnerState.Slot.COUNTERS)));
      return new ScaleChangeRun(
          counters.trainedNewSamples(),
          counters.samples(0, 0, 0, 0).quarantined(),
          learner.said(DecisionEvent.Type.DROPPED).stream().map(DecisionEvent::message).toList(),
          error(learner, regression, unseen));
    }
  }

  /**
   * Mean absolute error in deviations of the targets, in their unit if they are constant; or the
   * share of wrong classes.
   */
  private static double error(VirtualTimeLearner learner, boolean regression, List<Sample> unseen)
      throws Exception {
    double mean = unseen.stream().mapToDouble(Sample::label).average().orElseThrow();
    double sum = 0;
    double squares = 0;
    try (Dl4jModel model =
        Dl4jModel.load(Objects.requireNonNull(LearnerWorld.accepted(learner.state)).artifact())) {
      double[][] predictions = model.predict(unseen);
      for (int i = 0; i < predictions.length; i++) {
        double label = unseen.get(i).label();
        squares += (label - mean) * (label - mean);
        sum +=
            regression
                ? Math.abs(predictions[i][0] - label)
                : predictions[i][(int) label] < 0.5 ? 1 : 0;
      }
    }
    double deviation = Math.sqrt(squares / unseen.size());
    boolean varies = deviation > 1e-6 * Math.abs(mean);
    return sum / unseen.size() / (regression && varies ? deviation : 1);
  }
}
