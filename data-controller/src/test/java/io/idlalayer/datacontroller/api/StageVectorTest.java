package io.idlalayer.datacontroller.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.datacontroller.evaluation.SampleExplanation;
import io.idlalayer.datacontroller.intake.ArrivalOutcome;
import io.idlalayer.datacontroller.intake.ArrivalOutcome.Fate;
import io.idlalayer.datacontroller.selection.Selection;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.settings.DataSettings.ContributionMode;
import io.idlalayer.datacontroller.settings.DataSettings.Policy;
import io.idlalayer.datacontroller.settings.DataSettings.Ratios;
import io.idlalayer.datacontroller.settings.DataSettings.Replay;
import io.idlalayer.datacontroller.settings.DataSettings.Score;
import io.idlalayer.datacontroller.settings.DataSettings.Staging;
import io.idlalayer.datacontroller.settings.TestSettings;
import io.idlalayer.datacontroller.store.InMemorySampleStore;
import io.idlalayer.middleware.fuzzy.fcl.FuzzyEngines;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.LifeStage;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.TrainingRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Worked examples of life stages (specs, iDlaLayer 1.5) through the whole data controller. */
class StageVectorTest {
  /** The scores of figure 5.3 for the ranks of five samples; borders are 0.25 and 0.75. */
  private static final String FIGURE_5_3 =
      """
      FUNCTION_BLOCK figure
      VAR_INPUT contribution : REAL; END_VAR
      VAR_OUTPUT life : REAL; END_VAR
      FUZZIFY contribution
        TERM fifth := (0, 1) (0.1, 0);
        TERM fourth := (0.15, 0) (0.25, 1) (0.35, 0);
        TERM third := (0.4, 0) (0.5, 1) (0.6, 0);
        TERM second := (0.65, 0) (0.75, 1) (0.85, 0);
        TERM first := (0.9, 0) (1, 1);
      END_FUZZIFY
      DEFUZZIFY life
        TERM a := 0.9; TERM b := 0.8; TERM c := 0.5; TERM d := 0.1; TERM e := 0.05;
        METHOD : COGS;
        DEFAULT := 0.5;
      END_DEFUZZIFY
      RULEBLOCK ranks
        ACCU : MAX;
        RULE 1 : IF contribution IS first THEN life IS a;
        RULE 2 : IF contribution IS second THEN life IS b;
        RULE 3 : IF contribution IS third THEN life IS c;
        RULE 4 : IF contribution IS fourth THEN life IS d;
        RULE 5 : IF contribution IS fifth THEN life IS e;
      END_RULEBLOCK
      END_FUNCTION_BLOCK
      """;

  private final SampleCodec codec = new SampleCodec();
  private final InMemorySampleStore store = new InMemorySampleStore();

  private DataController controller(Staging staging, Ratios ratios, int room) {
    return new DataController(
        new DataSettings(
            staging,
            Replay.of(Policy.STAGE_SHARES, ratios, false, room),
            room,
            1 << 20,
            room,
            DataSettings.Eviction.STAGES),
        store,
        1);
  }

  private ArrivalOutcome arrive(DataController controller, float x) {
    Sample sample = Sample.of(new double[] {x}, 0);
    return controller.arrive(sample, ContentHasher.of(sample), codec.encode(sample), 1);
  }

  private List<Long> storedIds() {
    List<Long> ids = new ArrayList<>();
    store.forEachMetadata((id, metadata) -> ids.add(id));
    return ids;
  }

  @Test
  void vectorT6_figure53FromArrivalToTheNextSample() {
    Staging staging =
        new Staging(
            ContributionMode.GAIN,
            Score.RULES,
            FIGURE_5_3,
            "figure.fcl",
            FuzzyEngines.Kind.BUILT_IN,
            0);
    DataController controller = controller(staging, new Ratios(1, 1, 0), 5);
    for (int i = 0; i < 5; i++) {
      assertThat(arrive(controller, i).fate()).isEqualTo(Fate.NEWBORN);
    }
    float[] gains = {0.9f, 0.8f, 0.5f, 0.1f, 0.05f};
    Selection first = controller.select(1, 5);
    TrainingSession training = controller.begin(first);
    training.accept(
        Arrays.stream(first.newIds())
            .mapToObj(id -> new Contribution(id, 1, 1 - gains[(int) id - 1]))
            .toList(),
        1);

    LifeStage[] stages = {
      LifeStage.PRESERVE, LifeStage.PRESERVE, LifeStage.MATURE, LifeStage.DISCARD, LifeStage.DISCARD
    };
    for (int id = 1; id <= 5; id++) {
      SampleExplanation explained = controller.samples().explain(id).orElseThrow();
      assertThat(explained.stage()).isEqualTo(stages[id - 1]);
      assertThat(explained.score()).isCloseTo(gains[id - 1], within(1e-6f));
    }
    long bytes = controller.usage().bytes();
    arrive(controller, 6);
    arrive(controller, 7);
    assertThat(storedIds())
        .as("both Discard payloads are freed")
        .containsExactly(1L, 2L, 3L, 6L, 7L);
    assertThat(controller.usage().bytes()).isEqualTo(bytes);
    assertThat(controller.usage().evicted()).isEqualTo(2);
    Selection next = controller.select(2, 2);
    assertThat(next.newIds()).containsExactly(6, 7);
    assertThat(next.replayedIds()).containsExactly(1, 2, 3);
  }

  @Test
  void vectorT7_anEqualContentTrainsTwice() {
    DataController controller =
        controller(Staging.defaults().with(Score.CONTRIBUTION), new Ratios(1, 1, 0), 5);
    long id = arrive(controller, 1).sampleId();

    ArrivalOutcome again = arrive(controller, 1);
    assertThat(again.fate()).isEqualTo(Fate.NEWBORN);
    assertThat(controller.begin(controller.select(1, 2)).load(codec::decode).rows())
        .extracting(TrainingRow::sampleId)
        .containsExactly(id, again.sampleId());
  }

  @Property(tries = 100)
  void vectorT8_stagesPartitionTheSamplesAndReplayKeepsItsBudget(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    InMemorySampleStore medium = new InMemorySampleStore();
    int budget = 1 + random.nextInt(10);
    DataController controller =
        new DataController(
            TestSettings.of(new Ratios(0.5, 1, 0.1), budget, 40, 1 << 20, 5), medium, seed);
    for (int step = 0; step < 200; step++) {
      if (controller.waiting().size() > 0 && (controller.full(64) || random.nextInt(8) == 0)) {
        Selection selection =
            controller.select(step, 1 + random.nextInt(controller.waiting().size()));
        assertThat(selection.replayedIds().length).isLessThanOrEqualTo(budget);
        TrainingSession training = controller.begin(selection);
        training.accept(
            Arrays.stream(selection.ids())
                .mapToObj(id -> new Contribution(id, random.nextInt(3), random.nextInt(3)))
                .toList(),
            1);
      } else if (!controller.full(64)) {
        arrive(controller, random.nextInt(80));
      }
      Map<LifeStage, Integer> stages = new EnumMap<>(LifeStage.class);
      medium.forEachMetadata((id, metadata) -> stages.merge(metadata.stage(), 1, Integer::sum));
      assertThat(controller.usage().stages())
          .isEqualTo(
              new StageCounts(
                  stages.getOrDefault(LifeStage.NEWBORN, 0),
                  stages.getOrDefault(LifeStage.MATURE, 0),
                  stages.getOrDefault(LifeStage.PRESERVE, 0),
                  stages.getOrDefault(LifeStage.DISCARD, 0)));
    }
  }
}
