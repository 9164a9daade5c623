package io.idlalayer.datacontroller.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The reference store: two maps on the heap. No job uses it; it ships beside the port so that tests
 * of every module and the benchmarks can run a data controller without an engine.
 */
public final class InMemorySampleStore implements SampleStore {
  private final Map<Long, byte[]> payloads = new HashMap<>();
  private final Map<Long, SampleMetadata> metadata = new HashMap<>();

  @Override
  public void put(long sampleId, byte[] payload, SampleMetadata sample) {
    payloads.put(sampleId, payload.clone());
    metadata.put(sampleId, sample);
  }

  @Override
  public void updateMetadata(MetadataBatch changed) {
    for (int i = 0; i < changed.size(); i++) {
      if (!metadata.containsKey(changed.id(i))) {
        throw new SampleStoreException("sample " + changed.id(i) + " is not stored", null);
      }
    }
    for (int i = 0; i < changed.size(); i++) {
      metadata.put(changed.id(i), changed.metadata(i));
    }
  }

  @Override
  public List<byte[]> payloads(long[] ascendingIds) {
    List<byte[]> found = new ArrayList<>(ascendingIds.length);
    for (long id : ascendingIds) {
      byte[] payload = payloads.get(id);
      if (payload == null) {
        throw new SampleStoreException("sample " + id + " is not stored", null);
      }
      found.add(payload.clone());
    }
    return found;
  }

  @Override
  public void remove(long[] ascendingIds) {
    for (long id : ascendingIds) {
      payloads.remove(id);
      metadata.remove(id);
    }
  }

  @Override
  public void forEachMetadata(MetadataVisitor visitor) {
    metadata.forEach(visitor::visit);
  }
}
