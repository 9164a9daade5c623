package io.idlalayer.middleware.state;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads one state of a {@link StateFormat}. The header and the bounds of every field are checked
 * when the reader is created, so a damaged state is refused before anything is restored from it.
 * Every getter throws {@link UnreadableStateException} if the field is missing or of another type.
 * Not thread-safe.
 */
public final class StateReader {
  private final StateFormat format;
  private final ByteBuffer state;
  private final int version;

  /** Index of the value of each tag; 0 if the state has no field of this tag. */
  private final int[] valueAt = new int[256];

  private final int[] valueBytes = new int[256];
  private final @Nullable FieldType[] types = new FieldType[256];

  StateReader(StateFormat format, byte[] bytes) {
    this.format = format;
    state = ByteBuffer.wrap(bytes);
    version = header();
    int before = 0;
    while (state.hasRemaining()) {
      before = field(before);
    }
  }

  private int header() {
    require(1, "its name");
    byte[] name = new byte[state.get() & 0xFF];
    require(name.length, "its name");
    state.get(name);
    if (!Arrays.equals(name, format.asciiName())) {
      throw format.unreadable("the bytes are of '%s'".formatted(printable(name)));
    }
    require(1, "its version");
    int found = state.get() & 0xFF;
    if (found < format.oldestReadable() || found > format.version()) {
      throw format.unreadable(
          String.format(
              Locale.ROOT,
              "it has version %d, this program reads %d to %d; use the program that wrote it",
              found,
              format.oldestReadable(),
              format.version()));
    }
    return found;
  }

  private static String printable(byte[] name) {
    return new String(name, StandardCharsets.ISO_8859_1).replaceAll("[^ -~]", "?");
  }

  private int field(int tagBefore) {
    int at = state.position();
    require(2, "a field");
    int tag = state.get() & 0xFF;
    int code = state.get() & 0xFF;
    FieldType type = FieldType.of(code);
    if (tag <= tagBefore || type == null) {
      throw damaged(
          String.format(
              Locale.ROOT,
              "field %d with type %d follows field %d; the type must be known and field numbers must ascend",
              tag,
              code,
              tagBefore),
          at);
    }
    int length = type.fixedBytes;
    if (length == 0) {
      require(Integer.BYTES, "the length of field " + tag);
      length = state.getInt();
    }
    if (length < 0) {
      throw damaged(
          String.format(Locale.ROOT, "field %d has the impossible length of %d bytes", tag, length),
          at);
    }
    require(length, "field " + tag);
    valueAt[tag] = state.position();
    valueBytes[tag] = length;
    types[tag] = type;
    state.position(state.position() + length);
    return tag;
  }

  private void require(int bytes, String what) {
    if (state.remaining() < bytes) {
      throw damaged(
          String.format(
              Locale.ROOT, "%s needs %d bytes, %d are left", what, bytes, state.remaining()),
          state.position());
    }
  }

  private UnreadableStateException damaged(String what, int at) {
    return format.unreadable(
        String.format(
            Locale.ROOT,
            "%s at byte %d of %d; restore from an older checkpoint",
            what,
            at,
            state.capacity()));
  }

  /** Returns the format version in which the state was written. */
  public int version() {
    return version;
  }

  /** Returns whether the state has a field of a tag. */
  public boolean has(int tag) {
    return types[tag] != null;
  }

  public boolean getBoolean(int tag) {
    return state.get(find(tag, FieldType.BOOLEAN, 1)) != 0;
  }

  public int getInt(int tag) {
    return state.getInt(find(tag, FieldType.INT, 1));
  }

  public long getLong(int tag) {
    return state.getLong(find(tag, FieldType.LONG, 1));
  }

  public float getFloat(int tag) {
    return Float.intBitsToFloat(state.getInt(find(tag, FieldType.FLOAT, 1)));
  }

  public double getDouble(int tag) {
    return Double.longBitsToDouble(state.getLong(find(tag, FieldType.DOUBLE, 1)));
  }

  public String getText(int tag) {
    return text(tag, slice(find(tag, FieldType.TEXT, 1), valueBytes[tag]));
  }

  public byte[] getBytes(int tag) {
    return slice(find(tag, FieldType.BYTES, 1), valueBytes[tag]);
  }

  public int[] getInts(int tag) {
    int at = find(tag, FieldType.INTS, Integer.BYTES);
    int[] values = new int[valueBytes[tag] / Integer.BYTES];
    for (int i = 0; i < values.length; i++) {
      values[i] = state.getInt(at + i * Integer.BYTES);
    }
    return values;
  }

  public long[] getLongs(int tag) {
    int at = find(tag, FieldType.LONGS, Long.BYTES);
    long[] values = new long[valueBytes[tag] / Long.BYTES];
    for (int i = 0; i < values.length; i++) {
      values[i] = state.getLong(at + i * Long.BYTES);
    }
    return values;
  }

  public float[] getFloats(int tag) {
    int at = find(tag, FieldType.FLOATS, Float.BYTES);
    float[] values = new float[valueBytes[tag] / Float.BYTES];
    for (int i = 0; i < values.length; i++) {
      values[i] = Float.intBitsToFloat(state.getInt(at + i * Float.BYTES));
    }
    return values;
  }

  public double[] getDoubles(int tag) {
    int at = find(tag, FieldType.DOUBLES, Double.BYTES);
    double[] values = new double[valueBytes[tag] / Double.BYTES];
    for (int i = 0; i < values.length; i++) {
      values[i] = Double.longBitsToDouble(state.getLong(at + i * Double.BYTES));
    }
    return values;
  }

  /**
   * Returns the numbers of a field that must have a given count.
   *
   * @throws UnreadableStateException if there are more or fewer
   */
  public double[] getDoubles(int tag, int count) {
    double[] values = getDoubles(tag);
    if (values.length != count) {
      throw damaged(
          String.format(
              Locale.ROOT, "field %d has %d numbers instead of %d", tag, values.length, count),
          valueAt[tag]);
    }
    return values;
  }

  public List<byte[]> getList(int tag) {
    int at = find(tag, FieldType.LIST, 1);
    int end = at + valueBytes[tag];
    List<byte[]> values = new ArrayList<>();
    while (at < end) {
      int length = end - at < Integer.BYTES ? -1 : state.getInt(at);
      at += Integer.BYTES;
      if (length < 0 || length > end - at) {
        throw damaged(String.format(Locale.ROOT, "an element of field %d is cut off", tag), at);
      }
      values.add(slice(at, length));
      at += length;
    }
    return values;
  }

  public List<String> getTexts(int tag) {
    return getList(tag).stream().map(bytes -> text(tag, bytes)).toList();
  }

  /**
   * Returns the exception for a value that could be read but is not valid.
   *
   * @param reason what is wrong with it, such as "field 3: 7 buckets, at most 6 fit"
   */
  public UnreadableStateException refused(String reason) {
    return format.unreadable(reason + "; restore from an older checkpoint");
  }

  private int find(int tag, FieldType type, int unitBytes) {
    FieldType found = types[tag];
    if (found != type) {
      throw format.unreadable(
          found == null
              ? String.format(Locale.ROOT, "version %d has no field %d", version, tag)
              : String.format(Locale.ROOT, "field %d is %s instead of %s", tag, found, type));
    }
    if (valueBytes[tag] % unitBytes != 0) {
      throw damaged(
          String.format(Locale.ROOT, "field %d has %d bytes", tag, valueBytes[tag]), valueAt[tag]);
    }
    return valueAt[tag];
  }

  private byte[] slice(int at, int length) {
    byte[] bytes = new byte[length];
    state.get(at, bytes);
    return bytes;
  }

  private String text(int tag, byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException notText) {
      throw damaged(String.format(Locale.ROOT, "field %d is not UTF-8 text", tag), valueAt[tag]);
    }
  }
}
