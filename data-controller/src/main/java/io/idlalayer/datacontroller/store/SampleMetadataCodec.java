package io.idlalayer.datacontroller.store;

import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.LifeStage;
import java.nio.ByteBuffer;

/**
 * The 64 bytes that keep a sample's metadata. Version 1, big endian:
 *
 * <pre>
 *  0        1      2      3       4          8            12         16            20
 *  +--------+------+------+-------+----------+------------+----------+-------------+------+
 *  |version |stage |flags |noise  |frequency |evaluations |trainings |contribution |score |
 *  +--------+------+------+-------+----------+------------+----------+-------------+------+
 *  24      28             32                40             56        64
 *  +-------+--------------+-----------------+--------------+---------+
 *  | loss  | payloadBytes | arrivedAtMillis | content hash | id hash |
 *  +-------+--------------+-----------------+--------------+---------+
 * </pre>
 *
 * Flag 1: labelled.
 */
public final class SampleMetadataCodec {
  /** Encoded size. */
  public static final int BYTES = 64;

  private static final byte VERSION = 1;
  private static final int LABELED = 1;
  private static final int NOISE_MAX = 127;

  private SampleMetadataCodec() {}

  public static byte[] encode(SampleMetadata m) {
    ByteBuffer out = ByteBuffer.allocate(BYTES);
    out.put(VERSION).put(m.stage().code()).put((byte) (m.labeled() ? LABELED : 0));
    out.put((byte) Math.min(NOISE_MAX, m.noiseStreak()));
    out.putInt(m.frequency()).putInt(m.evaluations()).putInt(m.trainings());
    out.putFloat(m.contribution()).putFloat(m.score()).putFloat(m.loss());
    out.putInt(m.payloadBytes()).putLong(m.arrivedAtMillis());
    out.putLong(m.contentHash().high()).putLong(m.contentHash().low()).putLong(m.idHash());
    return out.array();
  }

  /** Reads {@link #encode} back; other sizes or versions are refused. */
  public static SampleMetadata decode(byte[] bytes) {
    if (bytes.length != BYTES || bytes[0] != VERSION) {
      throw new SampleStoreException(
          "sample metadata of %d bytes, version %d; this program reads %d bytes, version %d"
              .formatted(bytes.length, bytes.length == 0 ? 0 : bytes[0], BYTES, VERSION),
          null);
    }
    ByteBuffer in = ByteBuffer.wrap(bytes, 1, BYTES - 1);
    LifeStage stage = LifeStage.of(in.get());
    boolean labeled = (in.get() & LABELED) != 0;
    int noise = in.get();
    int frequency = in.getInt();
    int evaluations = in.getInt();
    int trainings = in.getInt();
    float contribution = in.getFloat();
    float score = in.getFloat();
    float loss = in.getFloat();
    int payloadBytes = in.getInt();
    long arrived = in.getLong();
    ContentHash hash = new ContentHash(in.getLong(), in.getLong());
    return new SampleMetadata(
        hash,
        in.getLong(),
        stage,
        frequency,
        contribution,
        score,
        loss,
        evaluations,
        trainings,
        noise,
        arrived,
        payloadBytes,
        labeled);
  }
}
