package io.idlalayer.modelloader.onnx;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import onnx.Onnx;
import org.nd4j.shade.protobuf.ByteString;

/** An ONNX graph under construction, to which nodes are added one by one. Not thread-safe. */
final class OnnxGraph {
  private final Onnx.GraphProto.Builder graph = Onnx.GraphProto.newBuilder().setName("network");
  private int named;

  /** Returns an attribute of a node that is an integer. */
  static Onnx.AttributeProto integer(String name, long value) {
    return Onnx.AttributeProto.newBuilder()
        .setName(name)
        .setType(Onnx.AttributeProto.AttributeType.INT)
        .setI(value)
        .build();
  }

  static Onnx.AttributeProto integers(String name, long... values) {
    Onnx.AttributeProto.Builder attribute =
        Onnx.AttributeProto.newBuilder()
            .setName(name)
            .setType(Onnx.AttributeProto.AttributeType.INTS);
    for (long value : values) {
      attribute.addInts(value);
    }
    return attribute.build();
  }

  static Onnx.AttributeProto number(String name, double value) {
    return Onnx.AttributeProto.newBuilder()
        .setName(name)
        .setType(Onnx.AttributeProto.AttributeType.FLOAT)
        .setF((float) value)
        .build();
  }

  static Onnx.AttributeProto texts(String name, List<String> values) {
    Onnx.AttributeProto.Builder attribute =
        Onnx.AttributeProto.newBuilder()
            .setName(name)
            .setType(Onnx.AttributeProto.AttributeType.STRINGS);
    values.forEach(value -> attribute.addStrings(ByteString.copyFromUtf8(value)));
    return attribute.build();
  }

  /**
   * Adds a node with one output.
   *
   * @return the name of the output
   */
  String node(String operator, List<String> inputs, Onnx.AttributeProto... attributes) {
    String output = next(operator);
    node(operator, inputs, output, attributes);
    return output;
  }

  /** Adds a node with an output of this name. */
  void node(
      String operator, List<String> inputs, String output, Onnx.AttributeProto... attributes) {
    graph.addNode(
        Onnx.NodeProto.newBuilder()
            .setName(output)
            .setOpType(operator)
            .addAllInput(inputs)
            .addOutput(output)
            .addAllAttribute(List.of(attributes)));
  }

  private String next(String what) {
    named++;
    return what + "_" + named;
  }

  /** Adds a constant array of numbers, as many as its shape has, and returns its name. */
  String floats(float[] values, long... shape) {
    ByteBuffer bytes = buffer(values.length * (long) Float.BYTES);
    bytes.asFloatBuffer().put(values);
    return constant(Onnx.TensorProto.DataType.FLOAT, bytes, shape);
  }

  String doubles(double[] values, long... shape) {
    ByteBuffer bytes = buffer(values.length * (long) Double.BYTES);
    bytes.asDoubleBuffer().put(values);
    return constant(Onnx.TensorProto.DataType.DOUBLE, bytes, shape);
  }

  /** Adds a constant vector and returns its name. */
  String longs(long... values) {
    ByteBuffer bytes = buffer(values.length * (long) Long.BYTES);
    bytes.asLongBuffer().put(values);
    return constant(Onnx.TensorProto.DataType.INT64, bytes, values.length);
  }

  /** Adds a constant without dimensions and returns its name. */
  String scalar(long value) {
    return constant(Onnx.TensorProto.DataType.INT64, buffer(Long.BYTES).putLong(value).rewind());
  }

  String scalar(double value) {
    return doubles(new double[] {value});
  }

  private static ByteBuffer buffer(long bytes) {
    return ByteBuffer.allocate(Math.toIntExact(bytes)).order(ByteOrder.LITTLE_ENDIAN);
  }

  private String constant(Onnx.TensorProto.DataType type, ByteBuffer bytes, long... shape) {
    String name = next("constant");
    Onnx.TensorProto.Builder tensor =
        Onnx.TensorProto.newBuilder()
            .setName(name)
            .setDataType(type.getNumber())
            .setRawData(ByteString.copyFrom(bytes));
    for (long size : shape) {
      tensor.addDims(size);
    }
    graph.addInitializer(tensor);
    return name;
  }

  /** Declares an input of any number of rows. */
  void input(String name, Onnx.TensorProto.DataType type, long... shapeOfRow) {
    graph.addInput(value(name, type, shapeOfRow));
  }

  /** Declares the output of a node as an output of the graph. */
  void output(String name, Onnx.TensorProto.DataType type, long... shapeOfRow) {
    graph.addOutput(value(name, type, shapeOfRow));
  }

  private static Onnx.ValueInfoProto value(
      String name, Onnx.TensorProto.DataType type, long... shapeOfRow) {
    Onnx.TensorShapeProto.Builder shape = Onnx.TensorShapeProto.newBuilder();
    shape.addDim(Onnx.TensorShapeProto.Dimension.newBuilder().setDimParam("rows"));
    for (long size : shapeOfRow) {
      shape.addDim(Onnx.TensorShapeProto.Dimension.newBuilder().setDimValue(size));
    }
    return Onnx.ValueInfoProto.newBuilder()
        .setName(name)
        .setType(
            Onnx.TypeProto.newBuilder()
                .setTensorType(
                    Onnx.TypeProto.Tensor.newBuilder()
                        .setElemType(type.getNumber())
                        .setShape(shape)))
        .build();
  }

  Onnx.GraphProto build() {
    return graph.build();
  }
}
