package io.idlalayer.jobs.source;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.jspecify.annotations.Nullable;

/**
 * Serializes arrivals between two operators, much faster than Flink's serializer for POJOs. The
 * serialized bytes have no version, because they are never in aligned checkpoints, which are
 * Flink's default. The fields of {@link Arrival} are written in a fixed order. A text is written as
 * its length in bytes, followed by its UTF-8 bytes. Fields that samples do not use are omitted if
 * they are empty.
 *
 * <p>There are few keys and names of topics, and each is repeated often, so the serializer caches
 * them. Not thread-safe; Flink creates a duplicate for each thread.
 */
final class ArrivalSerializer extends TypeSerializer<Arrival> {
  private static final long serialVersionUID = 1L;
  private static final int HAS_REST = 1;
  private static final int HAS_INPUT = 2;

  private transient @Nullable RepeatedTexts repeated;

  /** A cache of texts that repeat often, with their UTF-8 bytes. */
  private static final class RepeatedTexts {
    /** Number of texts in the cache, a power of two. */
    private static final int PLACES = 64;

    private static final int LENGTH_MAX = 512;

    private final String[] texts = new String[PLACES];
    private final byte[][] encodings = new byte[PLACES][];
    private byte[] read = new byte[LENGTH_MAX];

    RepeatedTexts() {
      Arrays.fill(texts, "");
      Arrays.fill(encodings, new byte[0]);
    }

    void write(String text, DataOutputView out) throws IOException {
      int place = place(text.hashCode());
      if (!texts[place].equals(text)) {
        encodings[place] = text.getBytes(StandardCharsets.UTF_8);
        texts[place] = text;
      }
      out.writeInt(encodings[place].length);
      out.write(encodings[place]);
    }

    String read(DataInputView in) throws IOException {
      int length = in.readInt();
      if (length > LENGTH_MAX) {
        return text(in, length);
      }
      in.readFully(read, 0, length);
      int hash = 0;
      for (int i = 0; i < length; i++) {
        hash = 31 * hash + read[i];
      }
      int place = place(hash);
      byte[] known = encodings[place];
      if (!Arrays.equals(known, 0, known.length, read, 0, length)) {
        encodings[place] = Arrays.copyOf(read, length);
        texts[place] = new String(read, 0, length, StandardCharsets.UTF_8);
      }
      return texts[place];
    }

    private static int place(int hash) {
      return (hash ^ hash >>> 16) & PLACES - 1;
    }
  }

  private RepeatedTexts repeated() {
    RepeatedTexts known = repeated;
    if (known == null) {
      known = new RepeatedTexts();
      repeated = known;
    }
    return known;
  }

  @Override
  public void serialize(Arrival record, DataOutputView out) throws IOException {
    boolean hasRest =
        record.until != 0
            || record.length != 0
            || record.event.length != 0
            || !record.text.isEmpty()
            || !record.origin.isEmpty();
    boolean hasInput = record.input != 0 || record.inputNumber != 0;
    RepeatedTexts texts = repeated();
    out.writeByte((hasRest ? HAS_REST : 0) | (hasInput ? HAS_INPUT : 0));
    texts.write(record.key, out);
    out.writeByte(record.kind);
    texts.write(record.topic, out);
    out.writeInt(record.topicPartition);
    out.writeLong(record.offset);
    out.writeLong(record.createdAtMillis);
    out.writeLong(record.hashHigh);
    out.writeLong(record.hashLow);
    out.writeInt(record.body.length);
    out.write(record.body);
    if (hasRest) {
      out.writeLong(record.until);
      text(record.text, out);
      text(record.origin, out);
      out.writeLong(record.length);
      out.writeInt(record.event.length);
      out.write(record.event);
    }
    if (hasInput) {
      out.writeLong(record.input);
      out.writeLong(record.inputNumber);
    }
  }

  @Override
  public Arrival deserialize(DataInputView in) throws IOException {
    Arrival record = new Arrival();
    RepeatedTexts texts = repeated();
    int flags = in.readByte();
    record.key = texts.read(in);
    record.kind = in.readByte();
    record.topic = texts.read(in);
    record.topicPartition = in.readInt();
    record.offset = in.readLong();
    record.createdAtMillis = in.readLong();
    record.hashHigh = in.readLong();
    record.hashLow = in.readLong();
    record.body = bytes(in, in.readInt());
    if ((flags & HAS_REST) != 0) {
      record.until = in.readLong();
      record.text = text(in, in.readInt());
      record.origin = text(in, in.readInt());
      record.length = in.readLong();
      record.event = bytes(in, in.readInt());
    }
    if ((flags & HAS_INPUT) != 0) {
      record.input = in.readLong();
      record.inputNumber = in.readLong();
    }
    return record;
  }

  private static void text(String text, DataOutputView out) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static String text(DataInputView in, int length) throws IOException {
    return new String(bytes(in, length), StandardCharsets.UTF_8);
  }

  private static byte[] bytes(DataInputView in, int length) throws IOException {
    byte[] bytes = new byte[length];
    in.readFully(bytes);
    return bytes;
  }

  /**
   * Returns a new arrival each time, because the receiver of the last arrival might still use the
   * body of that arrival.
   */
  @Override
  public Arrival deserialize(Arrival reuse, DataInputView in) throws IOException {
    return deserialize(in);
  }

  @Override
  public Arrival copy(Arrival from) {
    Arrival copy = new Arrival();
    copy.key = from.key;
    copy.kind = from.kind;
    copy.topic = from.topic;
    copy.topicPartition = from.topicPartition;
    copy.offset = from.offset;
    copy.until = from.until;
    copy.createdAtMillis = from.createdAtMillis;
    copy.hashHigh = from.hashHigh;
    copy.hashLow = from.hashLow;
    copy.body = from.body.clone();
    copy.event = from.event.clone();
    copy.text = from.text;
    copy.origin = from.origin;
    copy.length = from.length;
    copy.input = from.input;
    copy.inputNumber = from.inputNumber;
    return copy;
  }

  @Override
  public Arrival copy(Arrival from, Arrival reuse) {
    return copy(from);
  }

  @Override
  public void copy(DataInputView source, DataOutputView target) throws IOException {
    serialize(deserialize(source), target);
  }

  @Override
  public boolean isImmutableType() {
    return false;
  }

  @Override
  public TypeSerializer<Arrival> duplicate() {
    return new ArrivalSerializer();
  }

  @Override
  public Arrival createInstance() {
    return new Arrival();
  }

  @Override
  public int getLength() {
    return -1;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ArrivalSerializer;
  }

  @Override
  public int hashCode() {
    return ArrivalSerializer.class.hashCode();
  }

  @Override
  public TypeSerializerSnapshot<Arrival> snapshotConfiguration() {
    return new Snapshot();
  }

  /**
   * The description of this serializer in savepoints. Flink creates it by the name of this class.
   */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<Arrival> {
    public Snapshot() {
      super(ArrivalSerializer::new);
    }
  }
}
