package io.idlalayer.jobs.produce;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The progress of sending an input: a record of the compacted inputs topic, keyed by the input's
 * id. Record i of an input goes to partition (i - 1) modulo the number of partitions. Record i is
 * in the topic if i is at most {@code base}, or at most the {@code sent} number of its partition.
 * Later records can be in the topic too, from offset {@code next} on.
 *
 * @param topicId id of the input topic; records sent to another topic do not count
 * @param length number of bytes of the input when it was last sent
 * @param digest SHA-256 of these bytes
 * @param base number up to which all records are in the topic
 * @param sent number, by partition, up to which all records of the partition are in the topic; 0 if
 *     there are none
 * @param next offset, by partition, from which on later records can be found
 * @param open whether the topic possibly contains more records than this object says
 */
record InputProgress(
    int formatVersion,
    String id,
    String application,
    String topic,
    String topicId,
    String name,
    long length,
    String digest,
    long base,
    List<Long> sent,
    List<Long> next,
    boolean open) {
  private static final int FORMAT_VERSION = 1;
  private static final ObjectMapper JSON =
      new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  InputProgress {
    sent = List.copyOf(sent);
    next = List.copyOf(next);
    if (formatVersion != FORMAT_VERSION
        || base < 0
        || sent.size() != next.size()
        || sent.isEmpty()
        || id.isEmpty()) {
      throw new IllegalArgumentException("no progress of an input");
    }
  }

  /**
   * Returns the progress of an input of which nothing is sent: its records will follow the present
   * ends of the partitions.
   */
  static InputProgress none(
      String application, String topic, String topicId, InputSource input, List<Long> ends) {
    return new InputProgress(
        FORMAT_VERSION,
        input.name() + "/" + UUID.randomUUID(),
        application,
        topic,
        topicId,
        input.name(),
        0,
        "",
        0,
        new ArrayList<>(java.util.Collections.nCopies(ends.size(), 0L)),
        ends,
        true);
  }

  int partitions() {
    return sent.size();
  }

  /** Returns the partition to which the record with a number goes. */
  int partition(long number) {
    return (int) ((number - 1) % partitions());
  }

  /** Returns the number of the first record above a given one that goes to a partition. */
  long following(int partition, long number) {
    return number + 1 + Math.floorMod(partition - number, (long) partitions());
  }

  /** Returns this progress for an input with the given length and digest. */
  InputProgress of(InputSource.Print print) {
    return copy(print.length(), print.digest(), base, sent, next, open);
  }

  InputProgress reached(long newBase, long[] newSent, long[] newNext, boolean stillOpen) {
    return copy(
        length,
        digest,
        newBase,
        Arrays.stream(newSent).boxed().toList(),
        Arrays.stream(newNext).boxed().toList(),
        stillOpen);
  }

  private InputProgress copy(
      long newLength,
      String newDigest,
      long newBase,
      List<Long> newSent,
      List<Long> newNext,
      boolean stillOpen) {
    return new InputProgress(
        formatVersion,
        id,
        application,
        topic,
        topicId,
        name,
        newLength,
        newDigest,
        newBase,
        newSent,
        newNext,
        stillOpen);
  }

  byte[] encode() {
    try {
      return JSON.writeValueAsBytes(this);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Returns the progress, or empty if the bytes are not a progress that this program reads. */
  static Optional<InputProgress> decode(byte @Nullable [] bytes) {
    if (bytes == null) {
      return Optional.empty();
    }
    try {
      return Optional.ofNullable(JSON.readValue(bytes, InputProgress.class));
    } catch (IOException | RuntimeException notOurs) {
      return Optional.empty();
    }
  }
}
