package io.idlalayer.datacontroller.store;

import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.LifeStage;
import java.nio.ByteBuffer;

/**
 * The 88 bytes that keep a sample's metadata. Version 2, big endian:
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
 *  64             68               72      76             80                 84         88
 *  +--------------+----------------+-------+--------------+------------------+----------+
 *  | gradientNorm | reducibleLoss  | label | seenInUpdate | contributionRank | lossRank |
 *  +--------------+----------------+-------+--------------+------------------+----------+
 * </pre>
 *
 * Flag 1: labelled. Version 1 ended at byte 64 and is still read.
 */
public final class SampleMetadataCodec {
  /** Encoded size. */
  public static final int BYTES = 88;

  private static final int BYTES_OF_VERSION_1 = 64;
  private static final byte VERSION = 2;
  private static final int LABELED = 1;
  private static final int NOISE_MAX = 127;
  private static final float MIDDLE = 0.5f;

  private SampleMetadataCodec() {}

  public static byte[] encode(SampleMetadata m) {
    Measures measures = m.measures();
    ByteBuffer out = ByteBuffer.allocate(BYTES);
    out.put(VERSION).put(m.stage().code()).put((byte) (m.labeled() ? LABELED : 0));
    out.put((byte) Math.min(NOISE_MAX, m.noiseStreak()));
    out.putInt(m.frequency()).putInt(m.evaluations()).putInt(m.trainings());
    out.putFloat(measures.contribution()).putFloat(measures.score()).putFloat(measures.loss());
    out.putInt(m.payloadBytes()).putLong(m.arrivedAtMillis());
    out.putLong(m.contentHash().high()).putLong(m.contentHash().low()).putLong(m.idHash());
    out.putFloat(measures.gradientNorm()).putFloat(measures.reducibleLoss());
    out.putFloat(m.label()).putInt(m.seenInUpdate());
    out.putFloat(measures.contributionRank()).putFloat(measures.lossRank());
    return out.array();
  }

  /** Reads {@link #encode} back, or bytes of version 1; others are refused. */
  public static SampleMetadata decode(byte[] bytes) {
    boolean first = bytes.length == BYTES_OF_VERSION_1 && bytes[0] == 1;
    if (!first && (bytes.length != BYTES || bytes[0] != VERSION)) {
      throw new SampleStoreException(
          "sample metadata of %d bytes, version %d; this program reads %d bytes, version %d"
              .formatted(bytes.length, bytes.length == 0 ? 0 : bytes[0], BYTES, VERSION),
          null);
    }
    ByteBuffer in = ByteBuffer.wrap(bytes, 1, bytes.length - 1);
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
    long arrivedAt = in.getLong();
    ContentHash hash = new ContentHash(in.getLong(), in.getLong());
    long idHash = in.getLong();
    float gradientNorm = first ? Float.NaN : in.getFloat();
    float reducibleLoss = first ? Float.NaN : in.getFloat();
    float label = first ? SampleMetadata.LABEL_UNKNOWN : in.getFloat();
    int seenInUpdate = first ? 0 : in.getInt();
    float contributionRank = first ? MIDDLE : in.getFloat();
    float lossRank = first ? MIDDLE : in.getFloat();
    return new SampleMetadata(
        hash,
        idHash,
        stage,
        frequency,
        new Measures(
            contribution, score, loss, gradientNorm, reducibleLoss, contributionRank, lossRank),
        evaluations,
        trainings,
        noise,
        seenInUpdate,
        arrivedAt,
        payloadBytes,
        labeled ? label : Float.NaN);
  }
}
