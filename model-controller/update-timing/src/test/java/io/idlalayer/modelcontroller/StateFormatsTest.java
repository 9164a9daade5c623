package io.idlalayer.modelcontroller;

import io.idlalayer.middleware.sample.KeyContext;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.state.UnreadableStateException;
import io.idlalayer.modelcontroller.cost.MeasuredUpdate;
import io.idlalayer.modelcontroller.cost.TrainingCostModel;
import io.idlalayer.modelcontroller.drift.DriftSettings;
import io.idlalayer.modelcontroller.drift.DriftSettings.Detector;
import io.idlalayer.modelcontroller.drift.DriftUrgency;
import io.idlalayer.modelcontroller.mixture.ExpertMixture;
import io.idlalayer.modelcontroller.quality.Confidence;
import io.idlalayer.modelcontroller.quality.ExpertScores;
import io.idlalayer.modelcontroller.quality.PrequentialEvaluator;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelcontroller.quality.ScoringBatch;
import io.idlalayer.modelcontroller.update.UpdateController;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.Draw;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import io.idlalayer.modelcontroller.update.UpdateSettings.Tuning;
import io.idlalayer.testkit.StateFormatsContract;
import java.util.List;
import java.util.stream.Stream;

/** The states of the model controller. */
final class StateFormatsTest extends StateFormatsContract {
  StateFormatsTest() {
    super(UnreadableStateException.class);
  }

  private static final long SECOND = 1_000_000_000L;

  @Override
  protected Stream<PinnedState> states() {
    return Stream.of(
        new PinnedState(
            "training-cost",
            () -> costModel().snapshot(),
            bytes -> TrainingCostModel.restore(bytes).snapshot()),
        evaluation("evaluation-of-classes", Task.CLASSIFICATION),
        evaluation("evaluation-of-targets", Task.REGRESSION),
        mixture("mixture-of-classes", Task.CLASSIFICATION),
        mixture("mixture-of-targets", Task.REGRESSION),
        drift("drift-off", Detector.OFF),
        drift("drift-adwin", Detector.ADWIN),
        drift("drift-page-hinkley", Detector.PAGE_HINKLEY),
        controller("controller-adaptive", RuleName.ADAPTIVE),
        controller("controller-dla-random", RuleName.DLA_RANDOM),
        controller("controller-periodic", RuleName.PERIODIC),
        controller("controller-area", RuleName.AREA));
  }

  private static TrainingCostModel costModel() {
    TrainingCostModel model = new TrainingCostModel();
    for (int i = 1; i <= 6; i++) {
      model.observe(16 * i, 0.25 + i / 32.0);
    }
    return model;
  }

  private static PinnedState mixture(String name, Task task) {
    List<String> experts = List.of("network", "prior");
    List<String> inContext = List.of("network", "no-change");
    SampleSchema schema =
        new SampleSchema(List.of(), List.of(), List.of(), label(task), null)
            .with(new SampleSchema.History(null, 1, false, 1));
    return new PinnedState(
        name,
        () -> {
          ExpertMixture mixture = new ExpertMixture(experts, inContext, schema);
          double[] last = new double[schema.contextWidth()];
          last[0] = 1;
          Sample sample = Sample.of(new double[] {1}, 1).withContext(new KeyContext(7, 1, last));
          mixture.label(sample.withLabel(0).withWeight(2));
          mixture.scored(
              scored(sample, inContext, 0.5f, 0.125f)
                  .besideWithoutContext(scored(sample, experts, 0.25f, 0.75f)));
          return mixture.snapshot();
        },
        bytes -> {
          ExpertMixture mixture = new ExpertMixture(experts, inContext, schema);
          mixture.restore(bytes);
          return mixture.snapshot();
        });
  }

  private static ScoredBatch scored(
      Sample sample, List<String> experts, float firstLoss, float secondLoss) {
    return ScoredBatch.of(
            new ScoringBatch(new long[] {1}, List.of(sample), new double[1], new double[1]),
            new float[] {firstLoss},
            new double[] {0})
        .by(new ExpertScores(experts, new double[] {0, 1}, new float[] {firstLoss, secondLoss}));
  }

  private static PinnedState evaluation(String name, Task task) {
    return new PinnedState(
        name,
        () -> {
          PrequentialEvaluator evaluator = evaluator(task);
          evaluator.label(1, 1);
          evaluator.label(0, 1);
          evaluator.label(0, 1);
          evaluator.unscored(3);
          double[] zeros = {0, 0};
          double[] ones = {1, 1};
          List<Sample> samples =
              List.of(Sample.of(new double[] {1}, 0), Sample.of(new double[] {2}, 0));
          evaluator.scored(
              ScoredBatch.of(
                  new ScoringBatch(new long[] {1, 2}, samples, new double[] {1, 0}, ones),
                  new float[] {0.25f, 0.5f},
                  zeros,
                  new Confidence(new double[] {0.25, 0.375}, new int[] {0, 1}, new double[2][0])));
          return evaluator.snapshot();
        },
        bytes -> {
          PrequentialEvaluator evaluator = evaluator(task);
          evaluator.restore(bytes);
          return evaluator.snapshot();
        });
  }

  private static PrequentialEvaluator evaluator(Task task) {
    return new PrequentialEvaluator(label(task));
  }

  private static SampleSchema.Label label(Task task) {
    return new SampleSchema.Label(
        "y", task, task == Task.CLASSIFICATION ? List.of("a", "b") : List.of());
  }

  private static PinnedState drift(String name, Detector detector) {
    DriftSettings settings = new DriftSettings(detector, 64);
    return new PinnedState(
        name,
        () -> {
          DriftUrgency urgency = new DriftUrgency(settings);
          for (int i = 0; i < 640; i++) {
            urgency.observe(i % 4 / 8.0 + (i < 512 ? 0 : 1));
          }
          return urgency.snapshot();
        },
        bytes -> {
          DriftUrgency urgency = new DriftUrgency(settings);
          urgency.restore(bytes);
          return urgency.snapshot();
        });
  }

  private static PinnedState controller(String name, RuleName rule) {
    UpdateSettings settings =
        UpdateSettings.of(rule, 8)
            .with(
                Tuning.defaults()
                    .withDraw(Draw.UPDATE)
                    .withSeed(5)
                    .withPeriodSeconds(4)
                    .withCount(100));
    return new PinnedState(
        name,
        () -> {
          UpdateController controller = new UpdateController(settings, costModel());
          for (int round = 1; round <= 4; round++) {
            long now = 16L * round * SECOND;
            controller.arrived(now, 2);
            controller.arrived(now + SECOND, 3);
            controller.trainingStarted(4, 2, now + 2 * SECOND);
            controller.trainingEnded(now + 3 * SECOND, 4, 2, MeasuredUpdate.trained(0.5));
          }
          controller.trainingStarted(4, 0, 80 * SECOND);
          controller.trainingDropped(81 * SECOND, 4, false);
          return controller.snapshot();
        },
        bytes -> {
          UpdateController controller = new UpdateController(settings, new TrainingCostModel());
          controller.restore(bytes);
          // The snapshot counts the samples that wait; their owner gives them back.
          controller.rebuild(
              81 * SECOND,
              waiting -> {
                for (int i = 0; i < 4; i++) {
                  waiting.arrived(65 * SECOND);
                }
              });
          return controller.snapshot();
        });
  }
}
