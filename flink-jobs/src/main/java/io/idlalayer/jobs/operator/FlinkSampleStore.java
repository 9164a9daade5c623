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
import org.apache.flink.api.common.state.MapState;

/**
 * Samples in Flink keyed map state: payload and metadata apart, written through, so that every
 * Flink checkpoint holds every sample. Works on the current key; ids are stored big endian by
 * Flink's long serializer, so ascending ids are written and read in key order. Does not look
 * whether a sample is stored whose metadata is written: that would cost more than writing it.
 */
final class FlinkSampleStore implements SampleStore {
  private final MapState<Long, byte[]> payloads;
  private final MapState<Long, byte[]> metadata;

  FlinkSampleStore(MapState<Long, byte[]> payloads, MapState<Long, byte[]> metadata) {
    this.payloads = payloads;
    this.metadata = metadata;
  }

  @Override
  public void put(long sampleId, byte[] payload, SampleMetadata sample) {
    try {
      payloads.put(sampleId, payload);
      metadata.put(sampleId, SampleMetadataCodec.encode(sample));
    } catch (Exception failed) {
      throw new SampleStoreException("cannot store sample " + sampleId, failed);
    }
  }

  @Override
  public void updateMetadata(MetadataBatch changed) {
    // Linked, because RocksDB wants the ascending order kept.
    Map<Long, byte[]> encoded = new LinkedHashMap<>(changed.size() * 2);
    try {
      for (int i = 0; i < changed.size(); i++) {
        encoded.put(changed.id(i), SampleMetadataCodec.encode(changed.metadata(i)));
      }
      metadata.putAll(encoded);
    } catch (Exception failed) {
      throw new SampleStoreException(
          "cannot write metadata of " + changed.size() + " samples", failed);
    }
  }

  @Override
  public List<byte[]> payloads(long[] ascendingIds) {
    List<byte[]> found = new ArrayList<>(ascendingIds.length);
    for (long id : ascendingIds) {
      found.add(payload(id));
    }
    return found;
  }

  private byte[] payload(long id) {
    byte[] payload;
    try {
      payload = payloads.get(id);
    } catch (Exception failed) {
      throw new SampleStoreException("cannot read sample " + id, failed);
    }
    if (payload == null) {
      throw new SampleStoreException("sample " + id + " is not stored", null);
    }
    return payload;
  }

  @Override
  public void remove(long[] ascendingIds) {
    for (long id : ascendingIds) {
      try {
        payloads.remove(id);
        metadata.remove(id);
      } catch (Exception failed) {
        throw new SampleStoreException("cannot remove sample " + id, failed);
      }
    }
  }

  @Override
  public void forEachMetadata(MetadataVisitor visitor) {
    try {
      for (Map.Entry<Long, byte[]> entry : metadata.entries()) {
        visitor.visit(entry.getKey(), SampleMetadataCodec.decode(entry.getValue()));
      }
    } catch (Exception failed) {
      throw new SampleStoreException("cannot read the metadata of the samples", failed);
    }
  }
}
