package io.idlalayer.jobs.learner.samples;

import io.idlalayer.datacontroller.store.MetadataBatch;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.datacontroller.store.SampleStore;
import java.util.ArrayList;
import java.util.List;

/** A sample store that counts reads and writes of payloads, but not of metadata. */
final class MeteredSampleStore implements SampleStore {
  private final SampleStore store;
  private final StoreMeter meter;

  public MeteredSampleStore(SampleStore store, StoreMeter meter) {
    this.store = store;
    this.meter = meter;
  }

  @Override
  public void put(long sampleId, byte[] payload, SampleMetadata metadata) {
    store.put(sampleId, payload, metadata);
    meter.written(payload);
  }

  @Override
  public void updateMetadata(MetadataBatch changed) {
    store.updateMetadata(changed);
  }

  @Override
  public List<byte[]> payloads(long[] ascendingIds) {
    List<byte[]> found = new ArrayList<>(ascendingIds.length);
    if (ascendingIds.length > 0) {
      meter.waitFor(() -> found.addAll(store.payloads(ascendingIds)));
      found.forEach(meter::read);
    }
    return found;
  }

  @Override
  public void remove(long[] ascendingIds) {
    store.remove(ascendingIds);
  }

  @Override
  public void forEachMetadata(MetadataVisitor visitor) {
    store.forEachMetadata(visitor);
  }
}
