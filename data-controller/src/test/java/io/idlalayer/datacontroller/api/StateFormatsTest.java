package io.idlalayer.datacontroller.api;

import io.idlalayer.datacontroller.intake.StoredLabels;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.settings.DataSettings.Policy;
import io.idlalayer.datacontroller.settings.DataSettings.Score;
import io.idlalayer.datacontroller.store.InMemorySampleStore;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.KeyContext;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.history.KeyHistories;
import io.idlalayer.middleware.state.UnreadableStateException;
import io.idlalayer.testkit.StateFormatsContract;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** The states of the data controller. The metadata of a sample has a test of its own. */
final class StateFormatsTest extends StateFormatsContract {
  StateFormatsTest() {
    super(UnreadableStateException.class);
  }

  @Override
  protected Stream<PinnedState> states() {
    return Stream.of(
        state("fuzzy-with-search", Policy.FUZZY, true, Score.CONTRIBUTION),
        state("stage-shares-with-search", Policy.STAGE_SHARES, true, Score.CONTRIBUTION),
        state("uniform-fitted", Policy.UNIFORM, false, Score.FITTED),
        state("newest-by-rules", Policy.NEWEST_WINDOW, false, Score.RULES),
        new PinnedState(
            "key-histories",
            () -> histories().snapshot(),
            snapshot -> {
              KeyHistories histories = new KeyHistories(KEYED);
              histories.restore(snapshot);
              return histories.snapshot();
            }),
        new PinnedState("early-label", StoredLabels::example, StoredLabels::again));
  }

  /** A controller whose snapshot holds the states of its parts. */
  private static PinnedState state(String name, Policy policy, boolean search, Score score) {
    DataSettings settings =
        new DataSettings(
            DataSettings.Staging.defaults().with(score),
            DataSettings.Replay.of(policy, new DataSettings.Ratios(0.5, 1, 0.1), search, 4),
            8,
            1 << 20,
            2,
            DataSettings.Eviction.STAGES);
    return new PinnedState(
        name,
        () -> learned(controller(settings)).snapshot(),
        snapshot -> {
          DataController controller = controller(settings);
          controller.restore(snapshot);
          return controller.snapshot();
        });
  }

  private static final SampleSchema KEYED =
      new SampleSchema(
              List.of(),
              List.of(SampleSchema.DenseFeature.of("x")),
              List.of(),
              new SampleSchema.Label("y", SampleSchema.Task.REGRESSION, List.of()),
              null)
          .with(new SampleSchema.History("key", 2, true, 2));

  /** Histories of two keys, after a third one has left. */
  private static KeyHistories histories() {
    KeyHistories histories = new KeyHistories(KEYED);
    for (int i = 0; i < 6; i++) {
      Sample sample = Sample.of(new double[] {i / 4.0}, i == 3 ? Sample.NO_LABEL : i);
      Sample known =
          histories.inContext(sample.withContext(KeyContext.ofKey(7 + Math.max(0, i - 2) % 2)));
      histories.remember(known);
    }
    Sample third = Sample.of(new double[] {9}, 1).withContext(KeyContext.ofKey(10));
    histories.remember(histories.inContext(third));
    return histories;
  }

  private static DataController controller(DataSettings settings) {
    return new DataController(settings, new InMemorySampleStore(), 7);
  }

  private static DataController learned(DataController controller) {
    int content = 0;
    for (int update = 1; update <= 5; update++) {
      for (int i = 0; i < 3; i++) {
        content++;
        Sample sample = Sample.of(new double[] {content}, content % 2);
        long id =
            controller.arrive(sample, new ContentHash(1, content), new byte[4], 10).sampleId();
        controller.scored(id, content % 4 / 4f);
      }
      TrainingSession session = controller.begin(controller.select(update, 3));
      List<Contribution> contributions =
          Arrays.stream(session.selection().trainedIds())
              .mapToObj(id -> new Contribution(id, 1, id % 4 / 4f))
              .toList();
      session.accept(contributions, 0.5);
    }
    controller.scored(content, 0.25f);
    return controller;
  }
}
