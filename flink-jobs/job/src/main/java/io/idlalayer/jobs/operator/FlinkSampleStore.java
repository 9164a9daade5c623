package io.idlalayer.jobs.operator;

import io.idlalayer.datacontroller.store.MetadataBatch;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.datacontroller.store.SampleMetadataCodec;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.datacontroller.store.SampleStoreException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The stored samples of the learner of the current key, in Flink's keyed map state. Payloads and
 * metadata are separate and written through, so that every Flink checkpoint holds every sample.
 * Works on the current key. Flink's serializer stores ids big endian, so ascending ids are written
 * and read in key order. Writing metadata does not check whether the sample is stored, because that
 * would cost more than the write.
 */
final class FlinkSampleStore implements SampleStore {
  private final KeyedBytes payloads;
  private final KeyedBytes metadata;

  FlinkSampleStore(KeyedBytes payloads, KeyedBytes metadata) {
    this.payloads = payloads;
    this.metadata = metadata;
  }

  @Override
  public void put(long sampleId, byte[] payload, SampleMetadata sample) {
    payloads.put(sampleId, payload);
    metadata.put(sampleId, SampleMetadataCodec.encode(sample));
  }

  @Override
  public void updateMetadata(MetadataBatch changed) {
    // Linked, because RocksDB is faster with the ascending order.
    Map<Long, byte[]> encoded = new LinkedHashMap<>(changed.size() * 2);
    for (int i = 0; i < changed.size(); i++) {
      encoded.put(changed.id(i), SampleMetadataCodec.encode(changed.metadata(i)));
    }
    metadata.putAll(encoded);
  }

  @Override
  public List<byte[]> payloads(long[] ascendingIds) {
    List<byte[]> found = new ArrayList<>(ascendingIds.length);
    for (long id : ascendingIds) {
      byte[] payload = payloads.get(id);
      if (payload == null) {
        throw new SampleStoreException("sample " + id + " is not stored", null);
      }
      found.add(payload);
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
    metadata
        .entries()
        .forEachRemaining(
            entry -> visitor.visit(entry.getKey(), SampleMetadataCodec.decode(entry.getValue())));
  }
}
