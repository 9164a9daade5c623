package io.idlalayer.datacontroller.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.selection.Selection;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.settings.DataSettings.Policy;
import io.idlalayer.datacontroller.store.Measures;
import io.idlalayer.datacontroller.store.MetadataBatch;
import io.idlalayer.datacontroller.store.SampleIdentity;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.LifeStage;
import io.idlalayer.middleware.sample.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What one update looks at, by how much is stored. */
final class BoundedWorkTest {
  private static final int BATCH = 100;
  private static final int BUDGET = 200;
  private static final int UPDATES = 5;

  /** For each sample of an update: log2(10^6) is 20, and a sample is in three orders. */
  private static final double VISITS = 120;

  /** A store that claims to hold a number of trained samples, and forgets what it is given. */
  private static class FakeStore implements SampleStore {
    private final int count;

    FakeStore(int count) {
      this.count = count;
    }

    @Override
    public void put(long sampleId, byte[] payload, SampleMetadata metadata) {}

    @Override
    public void updateMetadata(MetadataBatch changed) {}

    @Override
    public List<byte[]> payloads(long[] ascendingIds) {
      throw new UnsupportedOperationException("nothing is loaded here");
    }

    @Override
    public void remove(long[] ascendingIds) {}

    @Override
    public void forEachMetadata(MetadataVisitor visitor) {
      SplittableRandom random = new SplittableRandom(7);
      for (long id = 1; id <= count; id++) {
        float score = random.nextInt(1_000_000) / 1e6f;
        LifeStage stage = LifeStage.of((byte) (1 + random.nextInt(3)));
        visitor.visit(
            id,
            SampleMetadata.newborn(
                    new SampleIdentity(new ContentHash(id, id), id, 10, (float) (id % 7)), 1, id)
                .evaluated(
                    stage, new Measures(score, score, score, score, score, score, score), 0, 1));
      }
    }
  }

  private static DataSettings settings(Policy policy, int maxSamples) {
    DataSettings defaults = DataSettings.defaults();
    return new DataSettings(
        defaults.staging(),
        DataSettings.Replay.of(policy, new DataSettings.Ratios(1, 1, 0.25), false, BUDGET),
        maxSamples,
        Long.MAX_VALUE / 2,
        1_000);
  }

  /** Samples looked at in an update of a full store: arrivals, evictions, selection, stages. */
  private static double visitedPerUpdate(Policy policy, int stored) {
    DataController data = new DataController(settings(policy, stored), new FakeStore(stored), 3);
    data.rebuild(samples -> {});
    long before = data.visited();
    int content = 0;
    for (long update = 2; update < 2 + UPDATES; update++) {
      for (int i = 0; i < BATCH; i++) {
        Sample sample = new Sample("", new double[] {1}, new int[0], 1);
        data.arrive(sample, new ContentHash(-7, ++content), new byte[10], 1);
      }
      Selection selection = data.select(update, BATCH);
      TrainingSession training = data.begin(selection);
      assertThat(data.upcoming(update + 1)).hasSize(BUDGET);
      List<Contribution> contributions = new ArrayList<>();
      for (long id : selection.trainedIds()) {
        contributions.add(new Contribution(id, 1, 0.5f));
      }
      training.accept(contributions, 1);
    }
    assertThat(data.usage().evicted()).isPositive();
    // Evictions come in slices, so a few updates are looked at together.
    return (double) (data.visited() - before) / UPDATES;
  }

  @ParameterizedTest
  @EnumSource(Policy.class)
  void anUpdate_looksAtItsSamples_notAtAllThatAreStored(Policy policy) {
    double few = visitedPerUpdate(policy, 10_000);
    double many = visitedPerUpdate(policy, 100_000);
    assertThat(few).isLessThan(VISITS * (BATCH + BUDGET));
    assertThat(many).isLessThan(VISITS * (BATCH + BUDGET));
  }

  @Test
  void aMillionStored_areNotLookedAt() {
    assertThat(visitedPerUpdate(Policy.FUZZY, 1_000_000)).isLessThan(VISITS * (BATCH + BUDGET));
  }

  @Test
  void evictions_goInSlicesThatDoNotGrowWithTheStore() {
    int[] most = new int[1];
    DataController data =
        new DataController(
            settings(Policy.FUZZY, 200_000),
            new FakeStore(200_000) {
              @Override
              public void remove(long[] ascendingIds) {
                most[0] = Math.max(most[0], ascendingIds.length);
              }
            },
            3);
    data.rebuild(samples -> {});
    Sample sample = new Sample("", new double[] {1}, new int[0], 1);
    for (int i = 1; i <= 3_000; i++) {
      data.arrive(sample, new ContentHash(-7, i), new byte[10], 1);
    }
    assertThat(most[0]).isEqualTo(1_024);
    assertThat(data.usage().evicted()).isEqualTo(3 * 1_024);
  }
}
