package io.idlalayer.modelloader.onnx.file;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The parts of an ONNX file that say how it computes predictions.
 *
 * @param producer name of the program that wrote it
 * @param metadata its metadata
 * @param nodes the operators, each after the operators whose outputs it uses
 * @param constants arrays by name
 * @param inputs inputs that are not constants
 */
public record OnnxFile(
    String producer,
    Map<String, String> metadata,
    List<Node> nodes,
    Map<String, OnnxTensor> constants,
    List<Value> inputs,
    List<Value> outputs) {
  public OnnxFile {
    metadata = Map.copyOf(metadata);
    nodes = List.copyOf(nodes);
    constants = Map.copyOf(constants);
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
  }

  /**
   * An input or output.
   *
   * @param type number of the type of its elements; 0 if the value is not an array
   * @param shape sizes of its dimensions, -1 for an unknown size; null if the file gives no shape
   */
  public record Value(String name, int type, long @Nullable [] shape) {}

  /**
   * An operator.
   *
   * @param domain "" for ONNX's own operators
   * @param inputs names of values; "" for an omitted input
   */
  public record Node(
      String name,
      String operator,
      String domain,
      List<String> inputs,
      List<String> outputs,
      Map<String, Attribute> attributes) {
    public Node {
      inputs = List.copyOf(inputs);
      outputs = List.copyOf(outputs);
      attributes = Map.copyOf(attributes);
    }

    /** Returns how messages name the node. */
    public String label() {
      String full = domain.isEmpty() ? operator : domain + "." + operator;
      String known = name.isEmpty() ? outputs.isEmpty() ? "" : outputs.get(0) : name;
      return String.format(Locale.ROOT, "node '%s' (%s)", known, full);
    }

    /** Returns the name of an input; "" if the node omits the input. */
    public String input(int index) {
      return index < inputs.size() ? inputs.get(index) : "";
    }

    public long integer(String attribute, long otherwise) {
      Attribute found = attributes.get(attribute);
      return found == null ? otherwise : found.integer();
    }

    public double number(String attribute, double otherwise) {
      Attribute found = attributes.get(attribute);
      return found == null ? otherwise : found.number();
    }

    public String text(String attribute, String otherwise) {
      Attribute found = attributes.get(attribute);
      return found == null ? otherwise : found.text();
    }

    /** Returns the whole numbers of an attribute; null without the attribute. */
    public long @Nullable [] integers(String attribute) {
      Attribute found = attributes.get(attribute);
      return found == null ? null : found.integers();
    }

    /** Returns the numbers of an attribute; null without the attribute. */
    public double @Nullable [] numbers(String attribute) {
      Attribute found = attributes.get(attribute);
      return found == null ? null : found.numbers();
    }

    /** Returns the texts of an attribute; none without the attribute. */
    public List<String> texts(String attribute) {
      Attribute found = attributes.get(attribute);
      return found == null ? List.of() : found.texts();
    }
  }

  /**
   * An attribute of an operator; values that the attribute does not have are 0 or empty.
   *
   * @param array array that it holds; null for none
   */
  public record Attribute(
      long integer,
      double number,
      String text,
      long[] integers,
      double[] numbers,
      List<String> texts,
      @Nullable OnnxTensor array) {
    public Attribute {
      texts = List.copyOf(texts);
    }
  }
}
