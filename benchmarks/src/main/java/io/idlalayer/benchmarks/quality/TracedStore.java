package io.idlalayer.benchmarks.quality;

import io.idlalayer.datacontroller.store.InMemorySampleStore;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;

/** A store that remembers how the metadata of every so-many-th sample changed. */
final class TracedStore implements SampleStore {
  static final String HEADER =
      "event,sample,stage,score,contribution,loss,frequency,evaluations,trainings";

  private final SampleStore store = new InMemorySampleStore();
  private final long every;
  private final List<String> lines = new ArrayList<>();
  private final Map<Long, LifeStage> stages = new HashMap<>();
  private int event;

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

  /** Stage of a stored sample. */
  LifeStage stage(long id) {
    LifeStage stage = stages.get(id);
    if (stage == null) {
      throw new IllegalArgumentException("sample " + id + " is not stored");
    }
    return stage;
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
              sample.score(),
              sample.contribution(),
              sample.loss(),
              sample.frequency(),
              sample.evaluations(),
              sample.trainings()));
    }
  }

  @Override
  public void put(long sampleId, byte[] payload, SampleMetadata metadata) {
    trace(sampleId, metadata);
    store.put(sampleId, payload, metadata);
  }

  @Override
  public void updateMetadata(SortedMap<Long, SampleMetadata> metadataById) {
    metadataById.forEach(this::trace);
    store.updateMetadata(metadataById);
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
