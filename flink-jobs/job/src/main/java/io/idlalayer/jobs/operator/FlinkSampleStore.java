package io.idlalayer.jobs.operator;

import io.idlalayer.datacontroller.store.MetadataBatch;
import io.idlalayer.datacontroller.store.PayloadDigests;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.datacontroller.store.SampleMetadataCodec;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.datacontroller.store.SampleStoreException;
import io.idlalayer.middleware.cache.shared.PayloadDigest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The stored samples of the learner of the current key, in Flink's keyed map state. Payloads and
 * metadata are in separate map states. Each write goes to Flink's state at once, so that every
 * Flink checkpoint holds every sample. Flink's serializer stores ids big endian, so ascending ids
 * are written and read in the order of RocksDB's keys. {@link #updateMetadata} does not check
 * whether a sample is stored, because the check would cost more than the write.
 */
final class FlinkSampleStore implements SampleStore {
  private final KeyedBytes payloads;
  private final KeyedBytes metadata;
  private final @Nullable PayloadDigests digests;

  FlinkSampleStore(KeyedBytes payloads, KeyedBytes metadata) {
    this(payloads, metadata, null);
  }

  private FlinkSampleStore(
      KeyedBytes payloads, KeyedBytes metadata, @Nullable PayloadDigests digests) {
    this.payloads = payloads;
    this.metadata = metadata;
    this.digests = digests;
  }

  @Override
  public SampleStore withDigests(PayloadDigests known) {
    return new FlinkSampleStore(payloads, metadata, known);
  }

  private byte[] encoded(long sampleId, SampleMetadata sample) {
    return SampleMetadataCodec.encode(sample, digests == null ? null : digests.get(sampleId));
  }

  @Override
  public void put(long sampleId, byte[] payload, SampleMetadata sample) {
    payloads.put(sampleId, payload);
    metadata.put(sampleId, encoded(sampleId, sample));
  }

  @Override
  public void updateMetadata(MetadataBatch changed) {
    // Linked, because RocksDB is faster with the ascending order.
    Map<Long, byte[]> encoded = new LinkedHashMap<>(changed.size() * 2);
    for (int i = 0; i < changed.size(); i++) {
      encoded.put(changed.id(i), encoded(changed.id(i), changed.metadata(i)));
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
            entry -> {
              takeDigest(entry.getKey(), entry.getValue());
              visitor.visit(entry.getKey(), SampleMetadataCodec.decode(entry.getValue()));
            });
  }

  private void takeDigest(long sampleId, byte[] bytes) {
    PayloadDigest digest = digests == null ? null : SampleMetadataCodec.digest(bytes);
    if (digests != null && digest != null) {
      digests.put(sampleId, digest);
    }
  }
}
