package io.idlalayer.benchmarks.quality;

import io.idlalayer.datacontroller.api.StageCounts;
import io.idlalayer.datacontroller.store.InMemorySampleStore;
import io.idlalayer.datacontroller.store.MetadataBatch;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A sample store that knows the life stage of every sample, and the event with which each sample
 * was stored.
 */
final class ObservedStore implements SampleStore {
  private final SampleStore store = new InMemorySampleStore();
  private final Map<Long, LifeStage> stages = new HashMap<>();
  private final Map<Long, Integer> events = new HashMap<>();
  private int event;
  private long newest;

  /** Sets the event to which the following calls belong. */
  void at(int event) {
    this.event = event;
  }

  /** Returns the event with which a sample was stored. */
  int eventOf(long id) {
    Integer known = events.get(id);
    if (known == null) {
      throw new IllegalArgumentException("sample " + id + " was never stored");
    }
    return known;
  }

  /** Returns the id of the sample that was stored last; 0 if there is none. */
  long newest() {
    return newest;
  }

  /** Returns the number of samples in each stage. */
  StageCounts stages() {
    Map<LifeStage, Integer> counts = new EnumMap<>(LifeStage.class);
    stages.values().forEach(stage -> counts.merge(stage, 1, Integer::sum));
    return new StageCounts(
        counts.getOrDefault(LifeStage.NEWBORN, 0),
        counts.getOrDefault(LifeStage.MATURE, 0),
        counts.getOrDefault(LifeStage.PRESERVE, 0),
        counts.getOrDefault(LifeStage.DISCARD, 0));
  }

  @Override
  public void put(long sampleId, byte[] payload, SampleMetadata metadata) {
    stages.put(sampleId, metadata.stage());
    events.putIfAbsent(sampleId, event);
    newest = Math.max(newest, sampleId);
    store.put(sampleId, payload, metadata);
  }

  @Override
  public void updateMetadata(MetadataBatch changed) {
    for (int i = 0; i < changed.size(); i++) {
      stages.put(changed.id(i), changed.metadata(i).stage());
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
