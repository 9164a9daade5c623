package io.idlalayer.benchmarks.quality;

import io.idlalayer.datacontroller.api.StageCounts;
import io.idlalayer.datacontroller.store.InMemorySampleStore;
import io.idlalayer.datacontroller.store.MetadataBatch;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A store that knows the stage of every sample and remembers how the metadata of every so-many-th
 * one changed.
 */
final class TracedStore implements SampleStore {
  static final String HEADER =
      "event,sample,stage,score,contribution,loss,frequency,evaluations,trainings";

  private final SampleStore store = new InMemorySampleStore();
  private final long every;
  private final List<String> lines = new ArrayList<>();
  private final Map<Long, LifeStage> stages = new HashMap<>();
  private final Map<Long, Integer> events = new HashMap<>();
  private int event;
  private long newest;

  /**
   * @param every which ids to watch: the multiples of this
   */
  TracedStore(long every) {
    this.every = every;
  }

  /** The event that what follows belongs to. */
  void at(int event) {
    this.event = event;
  }

  /** One CSV line for each change of a watched sample, in order; see {@link #HEADER}. */
  List<String> lines() {
    return lines;
  }

  /** The event that a sample was stored with. */
  int eventOf(long id) {
    Integer known = events.get(id);
    if (known == null) {
      throw new IllegalArgumentException("sample " + id + " was never stored");
    }
    return known;
  }

  /** The sample that was stored last, 0 for none. */
  long newest() {
    return newest;
  }

  /** How many samples are in each stage. */
  StageCounts stages() {
    Map<LifeStage, Integer> counts = new EnumMap<>(LifeStage.class);
    stages.values().forEach(stage -> counts.merge(stage, 1, Integer::sum));
    return new StageCounts(
        counts.getOrDefault(LifeStage.NEWBORN, 0),
        counts.getOrDefault(LifeStage.MATURE, 0),
        counts.getOrDefault(LifeStage.PRESERVE, 0),
        counts.getOrDefault(LifeStage.DISCARD, 0));
  }

  /** Random samples, ascending by id; fewer if there are fewer. */
  long[] draw(Contender.Draw from, int count, SplittableRandom random) {
    long oldest = newest - from.newest();
    long[] ids =
        stages.entrySet().stream()
            .filter(each -> each.getKey() > oldest && from.stages().contains(each.getValue()))
            .mapToLong(Map.Entry::getKey)
            .sorted()
            .toArray();
    int taken = Math.min(count, ids.length);
    for (int i = 0; i < taken; i++) {
      int other = i + random.nextInt(ids.length - i);
      long held = ids[i];
      ids[i] = ids[other];
      ids[other] = held;
    }
    long[] drawn = Arrays.copyOf(ids, taken);
    Arrays.sort(drawn);
    return drawn;
  }

  private void trace(long id, SampleMetadata sample) {
    stages.put(id, sample.stage());
    if (id % every == 0) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%d,%d,%s,%.4f,%.6f,%.5f,%d,%d,%d",
              event,
              id,
              sample.stage(),
              sample.measures().score(),
              sample.measures().contribution(),
              sample.measures().loss(),
              sample.lifecycle().frequency(),
              sample.lifecycle().evaluations(),
              sample.lifecycle().trainings()));
    }
  }

  @Override
  public void put(long sampleId, byte[] payload, SampleMetadata metadata) {
    trace(sampleId, metadata);
    events.putIfAbsent(sampleId, event);
    newest = Math.max(newest, sampleId);
    store.put(sampleId, payload, metadata);
  }

  @Override
  public void updateMetadata(MetadataBatch changed) {
    for (int i = 0; i < changed.size(); i++) {
      trace(changed.id(i), changed.metadata(i));
    }
    store.updateMetadata(changed);
  }

  @Override
  public List<byte[]> payloads(long[] ascendingIds) {
    return store.payloads(ascendingIds);
  }

  @Override
  public void remove(long[] ascendingIds) {
    for (long id : ascendingIds) {
      stages.remove(id);
    }
    store.remove(ascendingIds);
  }

  @Override
  public void forEachMetadata(MetadataVisitor visitor) {
    store.forEachMetadata(visitor);
  }
}
