package io.idlalayer.modelcontroller.training;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Writes ONNX files byte by byte, as other programs write them, without the product's code. */
final class OnnxBuilder {
  static final int FLOAT = 1;
  static final int STRING = 8;
  static final int INT64 = 7;
  static final int FLOAT16 = 10;
  static final int DOUBLE = 11;
  static final String LEARNING = "ai.onnx.ml";

  private final ByteArrayOutputStream graph = new ByteArrayOutputStream();
  private long operators = 13;

  private static void varint(ByteArrayOutputStream out, long value) {
    long left = value;
    while ((left & ~0x7FL) != 0) {
      out.write((int) ((left & 0x7F) | 0x80));
      left >>>= 7;
    }
    out.write((int) left);
  }

  private static void number(ByteArrayOutputStream out, int field, long value) {
    varint(out, (long) field << 3);
    varint(out, value);
  }

  private static void bytes(ByteArrayOutputStream out, int field, byte[] content) {
    varint(out, ((long) field << 3) | 2);
    varint(out, content.length);
    out.writeBytes(content);
  }

  private static void text(ByteArrayOutputStream out, int field, String text) {
    bytes(out, field, text.getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] ofFloat(float value) {
    return ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putFloat(value).array();
  }

  OnnxBuilder operators(long version) {
    operators = version;
    return this;
  }

  /** A size of -1 has a name in place of a number. */
  private static byte[] value(String name, int type, long... shape) {
    ByteArrayOutputStream sizes = new ByteArrayOutputStream();
    for (long size : shape) {
      ByteArrayOutputStream dimension = new ByteArrayOutputStream();
      if (size < 0) {
        text(dimension, 2, "batch");
      } else {
        number(dimension, 1, size);
      }
      bytes(sizes, 1, dimension.toByteArray());
    }
    ByteArrayOutputStream array = new ByteArrayOutputStream();
    number(array, 1, type);
    bytes(array, 2, sizes.toByteArray());
    ByteArrayOutputStream kind = new ByteArrayOutputStream();
    bytes(kind, 1, array.toByteArray());
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    text(out, 1, name);
    bytes(out, 2, kind.toByteArray());
    return out.toByteArray();
  }

  OnnxBuilder input(String name, int type, long... shape) {
    bytes(graph, 11, value(name, type, shape));
    return this;
  }

  OnnxBuilder output(String name, int type, long... shape) {
    bytes(graph, 12, value(name, type, shape));
    return this;
  }

  /** An output of a list of maps from text to number, as ZipMap gives it. */
  OnnxBuilder mapOutput(String name) {
    ByteArrayOutputStream number = new ByteArrayOutputStream();
    number(number, 1, FLOAT);
    ByteArrayOutputStream tensor = new ByteArrayOutputStream();
    bytes(tensor, 1, number.toByteArray());
    ByteArrayOutputStream map = new ByteArrayOutputStream();
    number(map, 1, STRING);
    bytes(map, 2, tensor.toByteArray());
    ByteArrayOutputStream mapType = new ByteArrayOutputStream();
    bytes(mapType, 5, map.toByteArray());
    ByteArrayOutputStream sequence = new ByteArrayOutputStream();
    bytes(sequence, 1, mapType.toByteArray());
    ByteArrayOutputStream type = new ByteArrayOutputStream();
    bytes(type, 4, sequence.toByteArray());
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    text(out, 1, name);
    bytes(out, 2, type.toByteArray());
    bytes(graph, 12, out.toByteArray());
    return this;
  }

  private OnnxBuilder constant(String name, int type, long[] shape, int field, byte[] content) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (long size : shape) {
      number(out, 1, size);
    }
    number(out, 2, type);
    text(out, 8, name);
    bytes(out, field, content);
    bytes(graph, 5, out.toByteArray());
    return this;
  }

  OnnxBuilder floats(String name, long[] shape, double... values) {
    ByteBuffer raw = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    for (double value : values) {
      raw.putFloat((float) value);
    }
    return constant(name, FLOAT, shape, 9, raw.array());
  }

  /** Numbers in Protobuf's list, in place of raw bytes. */
  OnnxBuilder listedFloats(String name, long[] shape, double... values) {
    ByteBuffer raw = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    for (double value : values) {
      raw.putFloat((float) value);
    }
    return constant(name, FLOAT, shape, 4, raw.array());
  }

  OnnxBuilder doubles(String name, long[] shape, double... values) {
    ByteBuffer raw = ByteBuffer.allocate(8 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    for (double value : values) {
      raw.putDouble(value);
    }
    return constant(name, DOUBLE, shape, 9, raw.array());
  }

  /** Numbers of 16 bits, given by their bits. */
  OnnxBuilder halves(String name, long[] shape, int... bits) {
    ByteBuffer raw = ByteBuffer.allocate(2 * bits.length).order(ByteOrder.LITTLE_ENDIAN);
    for (int each : bits) {
      raw.putShort((short) each);
    }
    return constant(name, FLOAT16, shape, 9, raw.array());
  }

  OnnxBuilder longs(String name, long... values) {
    ByteBuffer raw = ByteBuffer.allocate(8 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    for (long value : values) {
      raw.putLong(value);
    }
    return constant(name, INT64, new long[] {values.length}, 9, raw.array());
  }

  /** A whole number without dimensions. */
  OnnxBuilder scalar(String name, long value) {
    ByteBuffer raw = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(value);
    return constant(name, INT64, new long[0], 9, raw.array());
  }

  OnnxBuilder strings(String name, String... values) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    number(out, 1, values.length);
    number(out, 2, STRING);
    for (String value : values) {
      text(out, 6, value);
    }
    text(out, 8, name);
    bytes(graph, 5, out.toByteArray());
    return this;
  }

  /** An array whose numbers are in another file. */
  OnnxBuilder external(String name, String file, long... shape) {
    ByteArrayOutputStream place = new ByteArrayOutputStream();
    text(place, 1, "location");
    text(place, 2, file);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (long size : shape) {
      number(out, 1, size);
    }
    number(out, 2, FLOAT);
    text(out, 8, name);
    bytes(out, 13, place.toByteArray());
    number(out, 14, 1);
    bytes(graph, 5, out.toByteArray());
    return this;
  }

  OnnxBuilder node(String operator, List<String> inputs, String output, byte[]... attributes) {
    return node("", operator, inputs, List.of(output), attributes);
  }

  OnnxBuilder node(
      String domain,
      String operator,
      List<String> inputs,
      List<String> outputs,
      byte[]... attributes) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    inputs.forEach(each -> text(out, 1, each));
    outputs.forEach(each -> text(out, 2, each));
    text(out, 3, "/" + operator + "/" + outputs.get(0));
    text(out, 4, operator);
    for (byte[] attribute : attributes) {
      bytes(out, 5, attribute);
    }
    text(out, 7, domain);
    bytes(graph, 1, out.toByteArray());
    return this;
  }

  private static ByteArrayOutputStream attribute(String name, int type) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    text(out, 1, name);
    number(out, 20, type);
    return out;
  }

  static byte[] integer(String name, long value) {
    ByteArrayOutputStream out = attribute(name, 2);
    number(out, 3, value);
    return out.toByteArray();
  }

  static byte[] number(String name, double value) {
    ByteArrayOutputStream out = attribute(name, 1);
    out.write((2 << 3) | 5);
    out.writeBytes(ofFloat((float) value));
    return out.toByteArray();
  }

  static byte[] text(String name, String value) {
    ByteArrayOutputStream out = attribute(name, 3);
    text(out, 4, value);
    return out.toByteArray();
  }

  static byte[] integers(String name, long... values) {
    ByteArrayOutputStream out = attribute(name, 7);
    for (long value : values) {
      number(out, 8, value);
    }
    return out.toByteArray();
  }

  static byte[] numbers(String name, double... values) {
    ByteArrayOutputStream out = attribute(name, 6);
    for (double value : values) {
      out.write((7 << 3) | 5);
      out.writeBytes(ofFloat((float) value));
    }
    return out.toByteArray();
  }

  static byte[] texts(String name, String... values) {
    ByteArrayOutputStream out = attribute(name, 8);
    for (String value : values) {
      text(out, 9, value);
    }
    return out.toByteArray();
  }

  byte[] build(String producer) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    number(out, 1, 7);
    text(out, 2, producer);
    for (String domain : List.of("", LEARNING)) {
      ByteArrayOutputStream set = new ByteArrayOutputStream();
      text(set, 1, domain);
      number(set, 2, domain.isEmpty() ? operators : 2);
      bytes(out, 8, set.toByteArray());
    }
    text(graph, 2, "graph");
    bytes(out, 7, graph.toByteArray());
    return out.toByteArray();
  }
}
