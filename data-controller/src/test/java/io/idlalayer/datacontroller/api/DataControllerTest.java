package io.idlalayer.datacontroller.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.datacontroller.evaluation.SampleExplanation;
import io.idlalayer.datacontroller.intake.ArrivalOutcome;
import io.idlalayer.datacontroller.intake.ArrivalOutcome.Fate;
import io.idlalayer.datacontroller.intake.StoreFullException;
import io.idlalayer.datacontroller.selection.Selection;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.settings.TestSettings;
import io.idlalayer.datacontroller.store.InMemorySampleStore;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.testkit.Tries;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DataControllerTest {
  private final SampleCodec codec = new SampleCodec();
  private final InMemorySampleStore store = new InMemorySampleStore();
  private DataController controller = open(1000, 10);

  private DataController open(int maxSamples, int maxUnlabeled) {
    return new DataController(
        TestSettings.of(new DataSettings.Ratios(1, 1, 1), 100, maxSamples, 1 << 20, maxUnlabeled),
        store,
        1);
  }

  private ArrivalOutcome arrive(String id, float x, double label) {
    Sample sample = new Sample(id, new double[] {x}, new int[0], label);
    return controller.arrive(sample, ContentHasher.of(sample), codec.encode(sample), 1);
  }

  private void trainAll(float gain) {
    Selection selection = controller.select(1, controller.waiting().size());
    TrainingSession training = controller.begin(selection);
    List<Contribution> contributions = new ArrayList<>();
    for (var row : training.load(codec::decode).rows()) {
      contributions.add(new Contribution(row.sampleId(), 1, 1 - gain * row.sampleId() / 100f));
    }
    training.accept(contributions, 1);
  }

  @Test
  void arrive_equalContentWithoutIds_trainsAsOftenAsItArrives() {
    long first = arrive("", 1, 0).sampleId();
    long second = arrive("", 1, 0).sampleId();
    long other = arrive("", 1, 1).sampleId();
    assertThat(controller.usage().samples()).isEqualTo(3);
    TrainingBatch batch = controller.begin(controller.select(1, 3)).load(codec::decode);
    assertThat(batch.rows())
        .extracting(TrainingRow::sampleId)
        .containsExactly(first, second, other);
    assertThat(batch.rows().get(0).content()).isEqualTo(batch.rows().get(1).content());
    assertThat(batch.rows().get(0).content()).isNotEqualTo(batch.rows().get(2).content());
  }

  @Test
  void arrive_lateLabel_joinsTheSampleOfItsEventId() {
    assertThat(arrive("a", 1, Sample.NO_LABEL).fate()).isEqualTo(Fate.UNLABELED);
    assertThat(arrive("", 2, Sample.NO_LABEL).fate()).isEqualTo(Fate.UNLABELED);
    assertThat(controller.waiting().size()).isZero();
    assertThat(arrive("a", 1, Sample.NO_LABEL).fate()).isEqualTo(Fate.DUPLICATE);
    assertThat(arrive("a", 1, 1).fate()).isEqualTo(Fate.LABEL_JOINED);
    assertThat(controller.waiting().size()).isEqualTo(1);
    assertThat(arrive("a", 1, 1).fate()).isEqualTo(Fate.DUPLICATE);
    assertThat(controller.usage().samples()).isEqualTo(2);
  }

  @Test
  void arrive_lateLabelOfContentThatOthersHave_isASampleOfItsOwn() {
    arrive("x", 1, 1);
    arrive("", 1, 1);
    arrive("a", 1, Sample.NO_LABEL);
    assertThat(arrive("a", 1, 1).fate()).isEqualTo(Fate.LABEL_JOINED);
    assertThat(controller.usage().samples()).isEqualTo(3);
  }

  @Test
  void quarantine_aContent_givesUpAllThatWaitWithIt() {
    arrive("a", 1, 1);
    long other = arrive("", 2, 1).sampleId();
    arrive("", 1, 1);
    arrive("b", 1, 1);
    Sample killer = new Sample("", new double[] {1}, new int[0], 1);
    assertThat(controller.quarantine(ContentHasher.of(killer))).isEqualTo(3);
    assertThat(controller.quarantine(ContentHasher.of(killer))).isZero();
    assertThat(controller.waiting().size()).isEqualTo(1);
    assertThat(controller.waiting().among(new long[] {other})).containsExactly(other);
    assertThat(controller.usage().stages().discard()).isEqualTo(3);
    assertThat(arrive("b", 1, 1).fate()).isEqualTo(Fate.DUPLICATE);
  }

  @Test
  void arrive_tooManyUnlabelled_expiresTheOldest() {
    for (int i = 0; i < 15; i++) {
      arrive("u" + i, i, Sample.NO_LABEL);
    }
    assertThat(controller.usage().samples()).isEqualTo(10);
    assertThat(controller.usage().expiredUnlabeled()).isEqualTo(5);
    assertThat(arrive("u0", 0, 1).fate()).isEqualTo(Fate.NEWBORN);
    assertThat(arrive("u9", 9, 1).fate()).isEqualTo(Fate.LABEL_JOINED);
  }

  @Test
  void arrive_fullStore_evictsByStageButNeverNewborn() {
    controller = open(20, 5);
    for (int i = 0; i < 20; i++) {
      arrive("", i, 0);
    }
    assertThat(controller.full(64)).isTrue();
    assertThatThrownBy(() -> arrive("", 100, 0))
        .isInstanceOf(StoreFullException.class)
        .hasMessageContaining("selection.max-samples=20");
    trainAll(1);
    StageCounts before = controller.usage().stages();
    assertThat(before.discard()).isPositive();
    assertThat(controller.full(64)).isFalse();
    int room = before.discard();
    for (int i = 0; i < room; i++) {
      arrive("", 100 + i, 0);
    }
    assertThat(controller.usage().stages().discard()).isZero();
    assertThat(controller.usage().stages().mature()).isEqualTo(before.mature());
    for (int i = 0; i < before.mature(); i++) {
      arrive("", 200 + i, 0);
    }
    assertThat(controller.usage().stages().mature()).isZero();
    assertThat(controller.usage().stages().preserve()).isEqualTo(before.preserve());
    assertThat(controller.usage().evicted()).isEqualTo(room + before.mature());
    assertThat(controller.usage().samples()).isEqualTo(20);
  }

  @Test
  void arrive_contentOfTrainedSamples_isNewEachTime() {
    for (int i = 0; i < 8; i++) {
      arrive("", i, 0);
    }
    trainAll(1);
    StageCounts trained = controller.usage().stages();
    for (int i = 0; i < 8; i++) {
      assertThat(arrive("", i, 0).fate()).isEqualTo(Fate.NEWBORN);
    }
    assertThat(controller.waiting().size()).isEqualTo(8);
    assertThat(controller.usage().stages().discard()).isEqualTo(trained.discard());
  }

  @Test
  void frequency_ofAContent_countsItsArrivalsWithAndWithoutIds() {
    arrive("", 1, 0);
    arrive("a", 1, 0);
    assertThat(arrive("a", 1, 0).fate()).isEqualTo(Fate.DUPLICATE);
    arrive("b", 1, 0);
    trainAll(1);
    for (long id = 1; id <= 3; id++) {
      assertThat(controller.samples().explain(id).orElseThrow().facts().get("frequency"))
          .isEqualTo(3);
    }
    DataController restarted = open(1000, 10);
    restarted.restore(controller.snapshot());
    restarted.rebuild(samples -> {});
    controller = restarted;
    long again = arrive("", 1, 0).sampleId();
    trainAll(2);
    assertThat(controller.samples().explain(again).orElseThrow().facts().get("frequency"))
        .isEqualTo(4);
  }

  @Test
  void quarantine_samples_areNotNewAnyMore() {
    arrive("", 1, 0);
    Selection selection = controller.select(1, 1);
    TrainingSession training = controller.begin(selection);
    training.quarantine();
    assertThat(controller.waiting().size()).isZero();
    assertThat(controller.usage().stages()).isEqualTo(new StageCounts(0, 0, 0, 1));
  }

  @ParameterizedTest
  @CsvSource({"1,NaN", "NaN,1", "NaN,NaN", "Infinity,1", "1,Infinity", "NaN,-Infinity"})
  void accept_lossesThatAreNoNumbers_leaveTheSampleTrainedAndNotMeasured(
      float before, float after) {
    long wild = arrive("", 1, 0).sampleId();
    long other = arrive("", 2, 0).sampleId();
    Selection selection = controller.select(1, 2);
    TrainingSession training = controller.begin(selection);
    List<Contribution> contributions =
        List.of(
            new Contribution(wild, before, after, Float.NEGATIVE_INFINITY, Float.NaN),
            new Contribution(other, 1, 0.5f));

    training.accept(contributions, 1);

    assertThat(controller.waiting().size()).isZero();
    assertThat(controller.usage().stages().newborn()).isZero();
    SampleExplanation explained = controller.samples().explain(wild).orElseThrow();
    assertThat(explained.facts().values()).allMatch(Double::isFinite);
    assertThat(Float.isInfinite(explained.loss())).isFalse();
    assertThat(explained.score()).isFinite();
    assertThat(controller.samples().explain(other).orElseThrow().loss()).isEqualTo(0.5f);
  }

  @Test
  void accept_contributionsOfOtherSamples_areRefusedAndChangeNothing() {
    long id = arrive("", 1, 0).sampleId();
    long other = arrive("", 2, 0).sampleId();
    Selection selection = controller.select(1, 1);
    TrainingSession training = controller.begin(selection);
    byte[] before = controller.snapshot();
    assertThatThrownBy(() -> training.accept(List.of(new Contribution(other, 1, 0.5f)), 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("sample " + other)
        .hasMessageContaining("sample " + id);
    assertThatThrownBy(() -> training.accept(List.of(), 1)).hasMessageContaining("0 contributions");
    assertThat(controller.snapshot()).isEqualTo(before);
    training.accept(List.of(new Contribution(id, 1, 0.5f)), 1);
    assertThat(controller.waiting().size()).isEqualTo(1);
  }

  @Test
  void restore_duringATraining_finishesItOnTheSameSamples() {
    for (int i = 0; i < 8; i++) {
      arrive("", i, 0);
    }
    trainAll(1);
    arrive("", 100, 0);
    arrive("", 101, 0);
    Selection selection = controller.select(2, 1);
    TrainingSession training = controller.begin(selection);
    arrive("", 100, 0);
    assertThat(arrive("", 1, 0).fate()).isEqualTo(Fate.NEWBORN);
    DataController restarted = open(1000, 10);
    restarted.restore(controller.snapshot());
    restarted.rebuild(samples -> {});
    assertThat(restarted.waiting().size()).isEqualTo(4);
    TrainingSession again = restarted.begin(selection);
    assertThat(restarted.waiting().size()).isEqualTo(3);
    List<Contribution> contributions = new ArrayList<>();
    for (var row : again.load(codec::decode).rows()) {
      contributions.add(new Contribution(row.sampleId(), 1, row.sampleId() / 20f));
    }
    again.accept(contributions, 1);
    StageCounts after = restarted.usage().stages();
    training.accept(contributions, 1);
    assertThat(controller.usage().stages()).isEqualTo(after);
    assertThat(after.newborn()).isEqualTo(3);
    assertThat(restarted.select(3, 1))
        .usingRecursiveComparison()
        .isEqualTo(controller.select(3, 1));
  }

  @Test
  void rebuild_samplesOfOneMillisecond_keepTheirOrder() {
    for (int i = 0; i < 8; i++) {
      arrive("", i, 0);
    }
    trainAll(1);
    arrive("", 100, 0);
    for (int i = 0; i < 8; i++) {
      arrive("", i, 0);
    }
    assertThat(controller.waiting().size()).isGreaterThan(1);
    DataController restarted = open(1000, 10);
    restarted.rebuild(samples -> {});
    for (int count = 1; count <= controller.waiting().size(); count++) {
      assertThat(restarted.select(2, count).newIds())
          .isEqualTo(controller.select(2, count).newIds());
    }
  }

  @Test
  void rebuild_clockWentBack_keepsTheOrder() {
    arrive("", 1, 0);
    long first = controller.select(1, 1).newIds()[0];
    controller = open(1000, 10);
    controller.rebuild(samples -> {});
    Sample sample = Sample.of(new double[] {2}, 0);
    controller.arrive(sample, ContentHasher.of(sample), codec.encode(sample), -5);
    assertThat(controller.select(1, 1).newIds()).containsExactly(first);
    List<Long> times = new ArrayList<>();
    controller.waiting().forEachArrival(times::add);
    assertThat(times).containsExactly(1L, 1L);
  }

  @Test
  void rebuild_waitingSampleThatChanged_getsTheLabel() {
    long id = arrive("a", 1, Sample.NO_LABEL).sampleId();
    assertThat(arrive("a", 2, Sample.NO_LABEL).fate()).isEqualTo(Fate.MERGED);
    controller = open(1000, 10);
    controller.rebuild(samples -> {});
    ArrivalOutcome joined = arrive("a", 2, 1);
    assertThat(joined.fate()).isEqualTo(Fate.LABEL_JOINED);
    assertThat(joined.sampleId()).isEqualTo(id);
    assertThat(joined.changed()).isFalse();
  }

  @Test
  void arrive_farMoreSamplesThanFit_staysWithinTheBudget() {
    controller = open(5_000, 10);
    int samples = Tries.choose(200_000, 1_000_000);
    for (int i = 0; i < samples; i++) {
      if (controller.full(64) || controller.waiting().size() > 2_000) {
        trainAll(0.001f);
      }
      Sample sample = Sample.of(new double[] {i}, 0);
      controller.arrive(sample, ContentHasher.of(sample), codec.encode(sample), i);
    }
    assertThat(controller.usage().samples()).isLessThanOrEqualTo(5_000);
  }
}
