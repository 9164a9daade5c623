package io.idlalayer.datacontroller.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.datacontroller.intake.ArrivalOutcome;
import io.idlalayer.datacontroller.intake.ArrivalOutcome.Fate;
import io.idlalayer.datacontroller.intake.StoreFullException;
import io.idlalayer.datacontroller.selection.Selection;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.settings.TestSettings;
import io.idlalayer.datacontroller.store.InMemorySampleStore;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.LifeStage;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

final class StoreBudgetTest {
  private static final int MAX_BYTES = 1000;

  private final InMemorySampleStore store = new InMemorySampleStore();
  private DataController controller = open(100);

  private DataController open(int maxSamples) {
    return new DataController(settings(maxSamples), store, 1);
  }

  private static DataSettings settings(int maxSamples) {
    return TestSettings.of(new DataSettings.Ratios(0.5, 0.5, 0.5), 4, maxSamples, MAX_BYTES, 10);
  }

  private static ArrivalOutcome arrive(
      DataController controller, String id, int content, double label, int bytes) {
    Sample sample = sample(id, content, label, bytes);
    long low = Double.isNaN(label) ? -1 - content : content;
    byte[] payload = payload(sample, bytes);
    return controller.arrive(sample, new ContentHash(7, low), payload, 1);
  }

  /** A sample that takes nearly a number of bytes, if it has an id. */
  private static Sample sample(String id, int content, double label, int bytes) {
    Sample small = new Sample(id, new double[] {content}, new int[0], label);
    int wide = id.isEmpty() ? 0 : (bytes - new SampleCodec().encode(small).length) / Integer.BYTES;
    return new Sample(id, new double[] {content}, new int[Math.max(0, wide)], label);
  }

  /** The payload of an event with an id is read when another one with its id comes. */
  private static byte[] payload(Sample sample, int bytes) {
    return sample.id().isEmpty() ? new byte[bytes] : new SampleCodec().encode(sample);
  }

  private static void trainAll(DataController controller, SplittableRandom random) {
    Selection selection = controller.select(1, controller.waiting().size());
    TrainingSession training = controller.begin(selection);
    List<Contribution> contributions = new ArrayList<>();
    for (long id : selection.ids()) {
      contributions.add(new Contribution(id, 1, random.nextInt(4) / 4f));
    }
    training.accept(contributions, 1);
  }

  @Test
  void arrive_lateLabelWithALargerPayload_staysWithinTheBytes() {
    for (int i = 0; i < 9; i++) {
      arrive(controller, "", i, 0, 100);
    }
    trainAll(controller, new SplittableRandom(1));
    arrive(controller, "late", 50, Sample.NO_LABEL, 50);
    assertThat(arrive(controller, "late", 50, 1, 302).fate()).isEqualTo(Fate.LABEL_JOINED);
    assertThat(controller.usage().bytes()).isBetween(300L, (long) MAX_BYTES);
    assertThat(controller.usage().evicted()).isPositive();
    assertThat(controller.waiting().size()).isEqualTo(1);
  }

  @Test
  void arrive_lateLabelThatDoesNotFit_isRefusedAndItsSampleWaitsOn() {
    for (int i = 0; i < 9; i++) {
      arrive(controller, "", i, 0, 100);
    }
    arrive(controller, "late", 50, Sample.NO_LABEL, 50);
    assertThat(controller.full(302)).isTrue();
    assertThatThrownBy(() -> arrive(controller, "late", 50, 1, 302))
        .isInstanceOf(StoreFullException.class)
        .hasMessageContaining("302 bytes");
    trainAll(controller, new SplittableRandom(1));
    assertThat(arrive(controller, "late", 50, 1, 302).fate()).isEqualTo(Fate.LABEL_JOINED);
  }

  @Test
  void arrive_fullStore_evictsOldestDiscardThenLowestScores() {
    controller = open(8);
    // Scores by rank, with ties: gains of the samples 1 to 8.
    float[] gains = {0.9f, 0.5f, 0, 0.5f, 0.4f, 0, 0.8f, 0.6f};
    for (int i = 0; i < gains.length; i++) {
      arrive(controller, "", i, 0, 10);
    }
    Selection selection = controller.select(1, gains.length);
    TrainingSession training = controller.begin(selection);
    List<Contribution> contributions = new ArrayList<>();
    for (long id : selection.newIds()) {
      contributions.add(new Contribution(id, 1, 1 - gains[(int) id - 1]));
    }
    training.accept(contributions, 1);
    assertThat(controller.usage().stages()).isEqualTo(new StageCounts(0, 4, 2, 2));
    List<Long> gone = new ArrayList<>();
    for (int i = 0; i < gains.length; i++) {
      List<Long> before = stored();
      arrive(controller, "", 100 + i, 0, 10);
      before.removeAll(stored());
      gone.addAll(before);
    }
    assertThat(gone).containsExactly(3L, 6L, 5L, 2L, 4L, 8L, 7L, 1L);
  }

  private List<Long> stored() {
    List<Long> ids = new ArrayList<>();
    store.forEachMetadata((id, metadata) -> ids.add(id));
    return ids;
  }

  @Test
  void full_afterARestart_knowsTheStoredBytes() {
    for (int i = 0; i < 9; i++) {
      arrive(controller, "", i, 0, 100);
    }
    DataController restarted = open(100);
    restarted.restore(controller.snapshot());
    restarted.rebuild(samples -> {});
    assertThat(restarted.full(100)).isFalse();
    assertThat(restarted.full(101)).isTrue();
  }

  @Test
  void arrive_refusedSample_evictsNothing() {
    arrive(controller, "", 1, 0, 10);
    trainAll(controller, new SplittableRandom(1));
    arrive(controller, "", 2, 0, 900);
    assertThat(controller.full(150)).isTrue();
    assertThatThrownBy(() -> arrive(controller, "", 3, 0, 150))
        .isInstanceOf(StoreFullException.class);
    assertThat(controller.usage().samples()).isEqualTo(2);
    assertThat(controller.usage().evicted()).isZero();
  }

  @Test
  void arrive_fullStoreDuringATraining_doesNotEvictItsSamples() {
    controller = open(4);
    for (int i = 0; i < 3; i++) {
      arrive(controller, "", i, 0, 10);
    }
    trainAll(controller, new SplittableRandom(3));
    arrive(controller, "", 10, 0, 10);
    Selection selection = controller.select(2, 1);
    controller.begin(selection);
    for (int i = 20; !controller.full(10); i++) {
      arrive(controller, "", i, 0, 10);
    }
    assertThat(selection.replayedIds()).isNotEmpty();
    assertThat(store.payloads(selection.trainedIds())).hasSize(selection.trainedIds().length);
  }

  @Property(tries = 200)
  void full_randomArrivals_foretellsEveryRefusal(
      @ForAll long seed, @ForAll @IntRange(min = 2, max = 30) int maxSamples) {
    SplittableRandom random = new SplittableRandom(seed);
    InMemorySampleStore medium = new InMemorySampleStore();
    DataController data = new DataController(settings(maxSamples), medium, seed);
    for (int step = 0; step < 300; step++) {
      int bytes = 1 + random.nextInt(random.nextInt(10) == 0 ? MAX_BYTES : 90);
      boolean labeled = random.nextInt(4) > 0;
      String id = random.nextBoolean() ? "e" + random.nextInt(20) : "";
      int stored = (int) data.usage().samples();
      int content = random.nextInt(200);
      double label = labeled ? 1 : Sample.NO_LABEL;
      boolean full = data.full(payload(sample(id, content, label, bytes), bytes).length);
      try {
        Fate fate = arrive(data, id, content, label, bytes).fate();
        assertThat(full).isIn(false, fate == Fate.DUPLICATE || fate == Fate.MERGED);
      } catch (StoreFullException refused) {
        assertThat(full).isTrue();
        assertThat(data.usage().samples()).isEqualTo(stored);
      }
      if (data.waiting().size() > 0 && random.nextInt(6) == 0) {
        trainAll(data, random);
      }
      assertThat(data.usage().samples()).isLessThanOrEqualTo(maxSamples);
      assertThat(data.usage().bytes()).isLessThanOrEqualTo(MAX_BYTES);
      assertSameAsStore(data, medium);
    }
  }

  private static void assertSameAsStore(DataController data, InMemorySampleStore medium) {
    long[] count = new long[3];
    medium.forEachMetadata(
        (id, metadata) -> {
          count[0]++;
          count[1] += metadata.identity().payloadBytes();
          count[2] += metadata.labeled() && metadata.stage() == LifeStage.NEWBORN ? 1 : 0;
        });
    assertThat(count)
        .containsExactly(data.usage().samples(), data.usage().bytes(), data.waiting().size());
  }
}
