package io.idlalayer.datacontroller.store;

import io.idlalayer.middleware.cache.shared.PayloadDigest;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.LifeStage;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The 88 bytes that keep a sample's metadata, version 1, big endian; version 2 has the digest of
 * the sample's payload after them:
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
 *  88              104
 *  +---------------+
 *  | digest        |   version 2
 *  +---------------+
 * </pre>
 *
 * Flag 1: labelled. Flag 2: only a label, without features. Flag 4: weight 0. Flag 8: with the
 * default label. Flag 16: its label was taken back.
 */
public final class SampleMetadataCodec {
  /** Number of bytes of encoded metadata without a digest. */
  public static final int BYTES = 88;

  private static final int BYTES_WITH_DIGEST = BYTES + PayloadDigest.BYTES;
  private static final byte VERSION = 1;
  private static final byte VERSION_WITH_DIGEST = 2;
  private static final int LABELED = 1;
  private static final int LABEL_ONLY = 2;
  private static final int WEIGHTLESS = 4;
  private static final int DEFAULTED = 8;
  private static final int WITHDRAWN = 16;
  private static final int NOISE_MAX = 127;

  private SampleMetadataCodec() {}

  /** Encodes metadata without a digest. */
  public static byte[] encode(SampleMetadata metadata) {
    return encode(metadata, null);
  }

  /**
   * Encodes metadata.
   *
   * @param digest digest of the sample's payload, or null
   */
  public static byte[] encode(SampleMetadata metadata, @Nullable PayloadDigest digest) {
    SampleIdentity identity = metadata.identity();
    SampleLifecycle life = metadata.lifecycle();
    Measures measures = metadata.measures();
    ByteBuffer out = ByteBuffer.allocate(digest == null ? BYTES : BYTES_WITH_DIGEST);
    int flags = (identity.labeled() ? LABELED : 0) | (identity.labelOnly() ? LABEL_ONLY : 0);
    flags |= identity.weightless() ? WEIGHTLESS : 0;
    flags |=
        switch (identity.source()) {
          case EVENT -> 0;
          case DEFAULT -> DEFAULTED;
          case WITHDRAWN -> WITHDRAWN;
        };
    out.put(digest == null ? VERSION : VERSION_WITH_DIGEST);
    out.put(life.stage().code()).put((byte) flags);
    out.put((byte) Math.min(NOISE_MAX, life.noiseStreak()));
    out.putInt(life.frequency()).putInt(life.evaluations()).putInt(life.trainings());
    out.putFloat(measures.contribution()).putFloat(measures.score()).putFloat(measures.loss());
    out.putInt(identity.payloadBytes()).putLong(life.arrivedAtMillis());
    out.putLong(identity.contentHash().high()).putLong(identity.contentHash().low());
    out.putLong(identity.idHash());
    out.putFloat(measures.gradientNorm()).putFloat(measures.reducibleLoss());
    out.putFloat(identity.label()).putInt(life.seenInUpdate());
    out.putFloat(measures.contributionRank()).putFloat(measures.lossRank());
    if (digest != null) {
      out.putLong(digest.high()).putLong(digest.low());
    }
    return out.array();
  }

  /** Returns the digest of a payload that was encoded with its sample's metadata; null if none. */
  public static @Nullable PayloadDigest digest(byte[] bytes) {
    if (bytes.length != BYTES_WITH_DIGEST || bytes[0] != VERSION_WITH_DIGEST) {
      return null;
    }
    ByteBuffer in = ByteBuffer.wrap(bytes, BYTES, PayloadDigest.BYTES);
    PayloadDigest digest = new PayloadDigest(in.getLong(), in.getLong());
    return digest.high() == 0 ? null : digest;
  }

  /**
   * Decodes the bytes that {@link #encode} returned.
   *
   * @throws SampleStoreException if the bytes have another length or version
   */
  public static SampleMetadata decode(byte[] bytes) {
    byte version = bytes.length == BYTES_WITH_DIGEST ? VERSION_WITH_DIGEST : VERSION;
    if ((bytes.length != BYTES && bytes.length != BYTES_WITH_DIGEST) || bytes[0] != version) {
      throw new SampleStoreException(
          "sample metadata of %d bytes, version %d; this program reads %d bytes, version %d"
              .formatted(bytes.length, bytes.length == 0 ? 0 : bytes[0], BYTES, VERSION),
          null);
    }
    ByteBuffer in = ByteBuffer.wrap(bytes, 1, bytes.length - 1);
    LifeStage stage = LifeStage.of(in.get());
    int flags = in.get();
    boolean labeled = (flags & LABELED) != 0;
    int noiseStreak = in.get();
    int frequency = in.getInt();
    int evaluations = in.getInt();
    int trainings = in.getInt();
    float contribution = in.getFloat();
    float score = in.getFloat();
    float loss = in.getFloat();
    int payloadBytes = in.getInt();
    long arrivedAtMillis = in.getLong();
    ContentHash hash = new ContentHash(in.getLong(), in.getLong());
    long idHash = in.getLong();
    float gradientNorm = in.getFloat();
    float reducibleLoss = in.getFloat();
    float label = in.getFloat();
    int seenInUpdate = in.getInt();
    float contributionRank = in.getFloat();
    float lossRank = in.getFloat();
    return new SampleMetadata(
        new SampleIdentity(
            hash,
            idHash,
            payloadBytes,
            labeled ? label : Float.NaN,
            (flags & LABEL_ONLY) != 0,
            (flags & WEIGHTLESS) != 0,
            source(flags)),
        new SampleLifecycle(
            stage, frequency, arrivedAtMillis, trainings, evaluations, noiseStreak, seenInUpdate),
        new Measures(
            contribution, score, loss, gradientNorm, reducibleLoss, contributionRank, lossRank));
  }

  private static LabelSource source(int flags) {
    if ((flags & DEFAULTED) != 0) {
      return LabelSource.DEFAULT;
    }
    return (flags & WITHDRAWN) != 0 ? LabelSource.WITHDRAWN : LabelSource.EVENT;
  }
}
