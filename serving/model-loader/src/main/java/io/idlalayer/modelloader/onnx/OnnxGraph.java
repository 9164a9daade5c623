package io.idlalayer.modelloader.onnx;

import io.idlalayer.modelloader.onnx.file.OnnxTensor;
import io.idlalayer.modelloader.onnx.file.WireWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * An ONNX graph under construction, to which nodes are added one by one. ONNX's {@code onnx.proto}
 * defines the field numbers. Not thread-safe.
 */
final class OnnxGraph {
  private static final int FLOAT_ATTRIBUTE = 1;
  private static final int INTEGER_ATTRIBUTE = 2;
  private static final int INTEGERS_ATTRIBUTE = 7;
  private static final int TEXTS_ATTRIBUTE = 8;

  private final List<WireWriter> nodes = new ArrayList<>();
  private final List<WireWriter> constants = new ArrayList<>();
  private final List<WireWriter> inputs = new ArrayList<>();
  private final List<WireWriter> outputs = new ArrayList<>();
  private int named;

  /** An attribute of a node, encoded for the file. */
  record Attribute(WireWriter message) {}

  /** Returns an attribute of a node that is an integer. */
  static Attribute integer(String name, long value) {
    return new Attribute(
        new WireWriter().text(1, name).integer(3, value).integer(20, INTEGER_ATTRIBUTE));
  }

  static Attribute integers(String name, long... values) {
    return new Attribute(
        new WireWriter().text(1, name).integers(8, values).integer(20, INTEGERS_ATTRIBUTE));
  }

  static Attribute number(String name, double value) {
    return new Attribute(
        new WireWriter().text(1, name).number(2, (float) value).integer(20, FLOAT_ATTRIBUTE));
  }

  static Attribute texts(String name, List<String> values) {
    WireWriter message = new WireWriter().text(1, name);
    values.forEach(value -> message.element(9, value));
    return new Attribute(message.integer(20, TEXTS_ATTRIBUTE));
  }

  /**
   * Adds a node with one output.
   *
   * @return the name of the output
   */
  String node(String operator, List<String> from, Attribute... attributes) {
    String output = next(operator);
    node(operator, from, output, attributes);
    return output;
  }

  /** Adds a node with an output of this name. */
  void node(String operator, List<String> from, String output, Attribute... attributes) {
    WireWriter node = new WireWriter();
    from.forEach(each -> node.element(1, each));
    node.element(2, output).text(3, output).text(4, operator);
    for (Attribute each : attributes) {
      node.message(5, each.message());
    }
    nodes.add(node);
  }

  private String next(String what) {
    named++;
    return what + "_" + named;
  }

  /** Adds a constant array of numbers, as many as its shape has, and returns its name. */
  String floats(float[] values, long... shape) {
    byte[] bytes = bytes(values.length, Float.BYTES);
    order(bytes).asFloatBuffer().put(values);
    return constant(OnnxTensor.FLOAT, bytes, shape);
  }

  String doubles(double[] values, long... shape) {
    byte[] bytes = bytes(values.length, Double.BYTES);
    order(bytes).asDoubleBuffer().put(values);
    return constant(OnnxTensor.DOUBLE, bytes, shape);
  }

  /** Adds a constant vector and returns its name. */
  String longs(long... values) {
    byte[] bytes = bytes(values.length, Long.BYTES);
    order(bytes).asLongBuffer().put(values);
    return constant(OnnxTensor.INT64, bytes, values.length);
  }

  /** Adds a constant without dimensions and returns its name. */
  String scalar(long value) {
    byte[] bytes = bytes(1, Long.BYTES);
    order(bytes).putLong(value);
    return constant(OnnxTensor.INT64, bytes);
  }

  String scalar(double value) {
    return doubles(new double[] {value});
  }

  private static byte[] bytes(int values, int width) {
    return new byte[Math.multiplyExact(values, width)];
  }

  private static ByteBuffer order(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private String constant(int type, byte[] bytes, long... shape) {
    String name = next("constant");
    constants.add(
        new WireWriter().integers(1, shape).integer(2, type).text(8, name).bytes(9, bytes));
    return name;
  }

  /** Declares an input of any number of rows. */
  void input(String name, int type, long... shapeOfRow) {
    inputs.add(value(name, type, shapeOfRow));
  }

  /** Declares the output of a node as an output of the graph. */
  void output(String name, int type, long... shapeOfRow) {
    outputs.add(value(name, type, shapeOfRow));
  }

  private static WireWriter value(String name, int type, long... shapeOfRow) {
    WireWriter shape = new WireWriter().message(1, new WireWriter().element(2, "rows"));
    for (long size : shapeOfRow) {
      shape.message(1, new WireWriter().chosen(1, size));
    }
    WireWriter array = new WireWriter().integer(1, type).message(2, shape);
    return new WireWriter().text(1, name).message(2, new WireWriter().message(1, array));
  }

  /**
   * Returns the file of a model with this graph.
   *
   * @param format version of the file format
   * @param producer name of the program that writes it
   * @param domain text that says to whom the model belongs
   * @param operators version of ONNX's operator set
   */
  byte[] model(
      int format, String producer, String domain, int operators, Map<String, String> metadata) {
    WireWriter graph = new WireWriter();
    nodes.forEach(each -> graph.message(1, each));
    graph.text(2, "network");
    constants.forEach(each -> graph.message(5, each));
    inputs.forEach(each -> graph.message(11, each));
    outputs.forEach(each -> graph.message(12, each));
    WireWriter model =
        new WireWriter()
            .integer(1, format)
            .text(2, producer)
            .text(4, domain)
            .message(7, graph)
            .message(8, new WireWriter().integer(2, operators));
    metadata.forEach(
        (name, value) -> model.message(14, new WireWriter().text(1, name).text(2, value)));
    return model.toByteArray();
  }
}
