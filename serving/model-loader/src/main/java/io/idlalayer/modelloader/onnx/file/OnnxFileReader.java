package io.idlalayer.modelloader.onnx.file;

import io.idlalayer.modelruntime.artifact.MalformedModelException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;

/**
 * Reads an ONNX file. It allocates no more than a small multiple of the file's bytes, whatever
 * sizes the file names: the numbers of arrays stay in the file's bytes until their first use. Parts
 * that predictions do not need, such as descriptions, are skipped.
 */
public final class OnnxFileReader {
  /** Most operators, arrays, inputs or outputs; a file with more cannot be imported. */
  private static final int MOST_PARTS = 100_000;

  private static final int MOST_DIMENSIONS = 8;
  private static final int EXTERNAL = 1;

  /** Oldest known operator set. Earlier sets broadcast arrays by attributes of nodes. */
  private static final long OLDEST_OPERATORS = 7;

  private final Map<String, String> metadata = new HashMap<>();
  private final List<OnnxFile.Node> nodes = new ArrayList<>();
  private final Map<String, OnnxTensor> constants = new HashMap<>();
  private final List<OnnxFile.Value> inputs = new ArrayList<>();
  private final List<OnnxFile.Value> outputs = new ArrayList<>();
  private String producer = "";

  /** Version of the ONNX operator set; 1 for a file that names none. */
  private long operators = 1;

  private final OnnxDataFiles dataFiles;
  private int parts;

  private OnnxFileReader(OnnxDataFiles dataFiles) {
    this.dataFiles = dataFiles;
  }

  /**
   * Reads a file.
   *
   * @param dataFiles the files that may have its arrays
   * @throws MalformedModelException if the file is damaged; the message names the byte
   * @throws IOException if a file with its arrays cannot be read
   */
  public static OnnxFile read(byte[] file, OnnxDataFiles dataFiles) throws IOException {
    if (file.length == 0) {
      throw new MalformedModelException("it is empty");
    }
    return new OnnxFileReader(dataFiles).model(new WireReader(file));
  }

  private OnnxFile model(WireReader in) throws IOException {
    boolean graph = false;
    boolean functions = false;
    while (in.next()) {
      switch (in.field()) {
        case 2 -> producer = in.text();
        case 7 -> {
          graph(in.message());
          graph = true;
        }
        case 8 -> operators(in.message());
        case 14 -> metadata(in.message());
        case 25 -> {
          functions = true;
          in.skip();
        }
        default -> in.skip();
      }
    }
    if (!graph) {
      throw in.damaged("it has no graph");
    }
    if (operators < OLDEST_OPERATORS) {
      throw new MalformedModelException(
          String.format(
              Locale.ROOT,
              "it has ONNX's operators of set %d; known are those of set %d and newer: write it with a newer exporter, or convert it (onnx.version_converter)",
              operators,
              OLDEST_OPERATORS));
    }
    if (functions) {
      throw new MalformedModelException(
          "it has functions of its own; write it with ONNX's operators only");
    }
    List<OnnxFile.Value> given =
        inputs.stream().filter(each -> !constants.containsKey(each.name())).toList();
    return new OnnxFile(producer, metadata, nodes, constants, given, outputs);
  }

  private void count(WireReader in) throws MalformedModelException {
    parts++;
    if (parts > MOST_PARTS) {
      throw in.damaged(
          String.format(
              Locale.ROOT, "it has more than %d operators, arrays and their parts", MOST_PARTS));
    }
  }

  private void operators(WireReader in) throws MalformedModelException {
    count(in);
    String domain = "";
    long version = 0;
    while (in.next()) {
      switch (in.field()) {
        case 1 -> domain = in.text();
        case 2 -> version = in.varint();
        default -> in.skip();
      }
    }
    if (domain.isEmpty() || domain.equals("ai.onnx")) {
      operators = version;
    }
  }

  private void metadata(WireReader in) throws MalformedModelException {
    count(in);
    String key = "";
    String value = "";
    while (in.next()) {
      switch (in.field()) {
        case 1 -> key = in.text();
        case 2 -> value = in.text();
        default -> in.skip();
      }
    }
    metadata.put(key, value);
  }

  private void graph(WireReader in) throws IOException {
    while (in.next()) {
      switch (in.field()) {
        case 1 -> nodes.add(node(in.message()));
        case 5 -> {
          OnnxTensor array = tensor(in.message());
          constants.put(array.name(), array);
        }
        case 11 -> inputs.add(value(in.message()));
        case 12 -> outputs.add(value(in.message()));
        case 15 ->
            throw new MalformedModelException(
                "it has a sparse array; write it with arrays of all numbers");
        default -> in.skip();
      }
    }
  }

  private OnnxFile.Node node(WireReader in) throws IOException {
    count(in);
    String name = "";
    String operator = "";
    String domain = "";
    List<String> from = new ArrayList<>();
    List<String> to = new ArrayList<>();
    Map<String, OnnxFile.Attribute> attributes = new HashMap<>();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> from.add(part(in));
        case 2 -> to.add(part(in));
        case 3 -> name = in.text();
        case 4 -> operator = in.text();
        case 5 -> attribute(in.message(), attributes);
        case 7 -> domain = in.text();
        default -> in.skip();
      }
    }
    return new OnnxFile.Node(
        name, operator, domain.equals("ai.onnx") ? "" : domain, from, to, attributes);
  }

  private String part(WireReader in) throws MalformedModelException {
    count(in);
    return in.text();
  }

  private void attribute(WireReader in, Map<String, OnnxFile.Attribute> into) throws IOException {
    count(in);
    String name = "";
    long integer = 0;
    double number = 0;
    String text = "";
    Longs integers = new Longs();
    Doubles numbers = new Doubles();
    List<String> texts = new ArrayList<>();
    OnnxTensor array = null;
    while (in.next()) {
      switch (in.field()) {
        case 1 -> name = in.text();
        case 2 -> number = in.number();
        case 3 -> integer = in.varint();
        case 4 -> text = in.text();
        case 5 -> array = tensor(in.message());
        case 7 -> numbers.addFloats(in);
        case 8 -> integers.add(in);
        case 9 -> texts.add(part(in));
        default -> in.skip();
      }
    }
    into.put(
        name,
        new OnnxFile.Attribute(
            integer, number, text, integers.values(), numbers.values(), texts, array));
  }

  private OnnxTensor tensor(WireReader in) throws IOException {
    count(in);
    Longs shape = new Longs();
    Doubles listed = new Doubles();
    Longs whole = new Longs();
    List<String> texts = new ArrayList<>();
    ByteBuffer raw = null;
    String name = "";
    long type = 0;
    boolean external = false;
    Map<String, String> place = new HashMap<>();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> shape.add(in);
        case 2 -> type = in.varint();
        case 4 -> listed.addFloats(in);
        case 5, 7 -> whole.add(in);
        case 6 -> texts.add(part(in));
        case 8 -> name = in.text();
        case 9 -> raw = in.bytes();
        case 10 -> listed.addDoubles(in);
        case 13 -> entry(in.message(), place);
        case 14 -> external = in.varint() == EXTERNAL;
        default -> in.skip();
      }
    }
    if (external) {
      raw = dataFiles.read(name, place);
    }
    if (shape.length() > MOST_DIMENSIONS) {
      throw in.damaged(
          String.format(Locale.ROOT, "array '%s' has %d dimensions", name, shape.length()));
    }
    double[] numbers = listed.length() > 0 ? listed.values() : doubles(whole.values());
    return new OnnxTensor(
        name, (int) type, shape.values(), raw, raw == null ? numbers : null, List.copyOf(texts));
  }

  private static double[] doubles(long[] values) {
    return Arrays.stream(values).asDoubleStream().toArray();
  }

  private void entry(WireReader in, Map<String, String> into) throws MalformedModelException {
    count(in);
    String key = "";
    String value = "";
    while (in.next()) {
      switch (in.field()) {
        case 1 -> key = in.text();
        case 2 -> value = in.text();
        default -> in.skip();
      }
    }
    into.put(key, value);
  }

  private OnnxFile.Value value(WireReader in) throws MalformedModelException {
    count(in);
    String name = "";
    OnnxFile.Value described = new OnnxFile.Value("", 0, null);
    while (in.next()) {
      switch (in.field()) {
        case 1 -> name = in.text();
        case 2 -> {
          WireReader type = in.message();
          while (type.next()) {
            if (type.field() == 1) {
              described = array(type.message());
            } else {
              type.skip();
            }
          }
        }
        default -> in.skip();
      }
    }
    return new OnnxFile.Value(name, described.type(), described.shape());
  }

  private OnnxFile.Value array(WireReader in) throws MalformedModelException {
    int type = 0;
    long[] shape = null;
    while (in.next()) {
      switch (in.field()) {
        case 1 -> type = (int) in.varint();
        case 2 -> shape = shape(in.message());
        default -> in.skip();
      }
    }
    return new OnnxFile.Value("", type, shape);
  }

  private long[] shape(WireReader in) throws MalformedModelException {
    Longs sizes = new Longs();
    while (in.next()) {
      if (in.field() == 1) {
        count(in);
        WireReader dimension = in.message();
        long size = -1;
        while (dimension.next()) {
          if (dimension.field() == 1) {
            size = dimension.varint();
          } else {
            dimension.skip();
          }
        }
        sizes.append(size);
      } else {
        in.skip();
      }
    }
    return sizes.values();
  }

  /** Whole numbers of a repeated field, packed or not. */
  private static final class Longs {
    private final LongStream.Builder values = LongStream.builder();
    private int length;

    void add(WireReader in) throws MalformedModelException {
      if (!in.packed()) {
        append(in.varint());
        return;
      }
      WireReader list = in.message();
      while (!list.atEnd()) {
        append(list.readVarint());
      }
    }

    void append(long value) {
      values.add(value);
      length++;
    }

    int length() {
      return length;
    }

    /** Returns the numbers, once. */
    long[] values() {
      return values.build().toArray();
    }
  }

  /** Numbers of a repeated field, packed or not. */
  private static final class Doubles {
    private final DoubleStream.Builder values = DoubleStream.builder();
    private int length;

    void addFloats(WireReader in) throws MalformedModelException {
      if (!in.packed()) {
        append(in.number());
        return;
      }
      WireReader list = in.message();
      while (!list.atEnd()) {
        append(list.readFloat());
      }
    }

    void addDoubles(WireReader in) throws MalformedModelException {
      if (!in.packed()) {
        append(in.doubleNumber());
        return;
      }
      WireReader list = in.message();
      while (!list.atEnd()) {
        append(list.readDouble());
      }
    }

    private void append(double value) {
      values.add(value);
      length++;
    }

    int length() {
      return length;
    }

    /** Returns the numbers, once. */
    double[] values() {
      return values.build().toArray();
    }
  }
}
