package io.idlalayer.modelruntime.inference;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The elements of a tensor in binary form, as the protocol's extension for binary tensor data says:
 * one after the other in row-major order, little-endian. A BYTES element is its length in 4 bytes
 * and its bytes, which are text in UTF-8 here.
 */
public final class BinaryElements {
  private BinaryElements() {}

  /**
   * Reads the elements of a tensor.
   *
   * @param count number of elements, from the shape of the tensor
   * @param bytes number of bytes that the request announces for them
   * @throws InferenceException if the bytes are not that number of elements of that type
   * @throws IOException if reading from the client fails
   */
  public static Elements read(InputStream body, String input, Datatype type, int count, int bytes)
      throws IOException, InferenceException {
    if (type.number() && bytes != (long) count * type.bytes()) {
      throw InferenceException.wrong(
          String.format(
              Locale.ROOT,
              "input '%s': its shape (%d) and %s make %d bytes, and its binary_data_size is %d",
              input,
              count,
              type,
              (long) count * type.bytes(),
              bytes));
    }
    byte[] read = body.readNBytes(bytes);
    if (read.length < bytes) {
      throw InferenceException.wrong(
          String.format(
              Locale.ROOT,
              "input '%s': the body ends after %d of its %d bytes",
              input,
              read.length,
              bytes));
    }
    ByteBuffer data = littleEndian(read);
    Elements elements = new Elements(type == Datatype.FP32 || type == Datatype.FP64);
    for (int i = 0; i < count; i++) {
      switch (type) {
        case FP32 -> elements.add(data.getFloat());
        case FP64 -> elements.add(data.getDouble());
        case INT32 -> elements.addNumber(Integer.toString(data.getInt()), true);
        case INT64 -> elements.addNumber(Long.toString(data.getLong()), true);
        case BYTES -> elements.addString(text(data, input, i));
      }
    }
    if (data.hasRemaining()) {
      throw InferenceException.wrong(
          String.format(
              Locale.ROOT,
              "input '%s': the elements of its shape (%d) end after %d bytes, and its binary_data_size is %d",
              input,
              count,
              data.position(),
              bytes));
    }
    return elements;
  }

  private static String text(ByteBuffer data, String input, int element) throws InferenceException {
    int length = data.remaining() < Integer.BYTES ? -1 : data.getInt();
    if (length < 0 || length > data.remaining()) {
      throw InferenceException.wrong(
          String.format(
              Locale.ROOT,
              "input '%s': element %d goes beyond the %d bytes of its binary_data_size",
              input,
              element,
              data.capacity()));
    }
    ByteBuffer bytes = data.slice(data.position(), length);
    data.position(data.position() + length);
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT)
          .decode(bytes)
          .toString();
    } catch (CharacterCodingException wrong) {
      throw InferenceException.wrong(
          String.format(Locale.ROOT, "input '%s': element %d is not UTF-8", input, element));
    }
  }

  /** Returns texts in binary form. */
  static byte[] ofTexts(Iterable<String> texts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    byte[] length = new byte[Integer.BYTES];
    for (String each : texts) {
      byte[] text = each.getBytes(StandardCharsets.UTF_8);
      littleEndian(length).putInt(text.length);
      all.writeBytes(length);
      all.writeBytes(text);
    }
    return all.toByteArray();
  }

  /** Returns numbers in binary form, as FP32 or FP64. */
  static byte[] ofNumbers(double[] numbers, Datatype type) {
    byte[] all = new byte[numbers.length * type.bytes()];
    ByteBuffer into = littleEndian(all);
    for (double each : numbers) {
      if (type == Datatype.FP32) {
        into.putFloat((float) each);
      } else {
        into.putDouble(each);
      }
    }
    return all;
  }

  private static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
