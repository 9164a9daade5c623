package io.idlalayer.modelcontroller.engine;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.modelcontroller.engine.compile.NetworkCompiler;
import io.idlalayer.modelcontroller.engine.compile.NetworkConfiguration;
import io.idlalayer.modelcontroller.engine.compile.UncompilableException;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelcontroller.engine.configuration.ConfigurationJson;
import io.idlalayer.modelcontroller.engine.configuration.LayerTrees;
import io.idlalayer.modelcontroller.engine.kernel.update.Progress;
import io.idlalayer.modelruntime.artifact.BoundedBytes;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.StoredArray;
import io.idlalayer.modelruntime.artifact.ZipEntries;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import java.util.zip.CheckedOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The part of a network's file that all versions share: the plan, and everything in
 * Deeplearning4j's format except the numbers and the count of iterations. As long as the
 * configuration does not change, it is not written and parsed again for each version.
 */
final class NetworkForm {
  private static final String CONFIGURATION = ModelArtifact.CONFIGURATION_ENTRY;
  private static final String COEFFICIENTS = ModelArtifact.COEFFICIENTS_ENTRY;
  private static final String UPDATER_STATE = ModelArtifact.UPDATER_STATE_ENTRY;
  private static final List<String> ENTRIES = List.of(CONFIGURATION, COEFFICIENTS, UPDATER_STATE);

  private static final String COUNT = "iterationCount";

  /**
   * Finds the network's count of iterations, which is the count with the least indentation. The
   * counts of the layers are always 0.
   */
  private static final Pattern ITERATIONS = Pattern.compile("\n  \"iterationCount\" : (-?\\d+)");

  /**
   * Finds the seeds, which determine the first parameters. Two networks of one specification can
   * have different seeds.
   */
  private static final Pattern SEEDS = Pattern.compile("\"seed\" : -?\\d+");

  /**
   * Time of all zip entries. It is constant in all files and time zones, so that equal networks
   * give equal bytes.
   */
  private static final LocalDateTime ENTRY_TIME = LocalDateTime.of(1980, 2, 1, 0, 0);

  /**
   * Number of bytes of a zip file that do not belong to an entry. The next constant is the number
   * of bytes of an entry without its content and without its name, which the zip file contains
   * twice.
   */
  private static final int ZIP_BYTES = 22;

  private static final int ENTRY_BYTES = 30 + 46;

  private static final int PIECE_FLOATS = 16 * 1024;

  private final NetworkPlan plan;
  private final NetworkConfiguration network;
  private final byte[] beforeIterations;
  private final byte[] afterIterations;
  private final byte[] parametersHead;
  private final byte @Nullable [] stateHead;

  /** The parameters, the updater state and the count of iterations of one version. */
  record Values(float[] parameters, float[] state, int iterations) {}

  /**
   * A source of the numbers of an array, in the order of the file, which can be read more than
   * once.
   */
  interface Numbers {
    long length();

    /** Passes the numbers to the taker, one tensor after the other. */
    void read(Taker taker) throws IOException;

    /**
     * Receives the numbers of one tensor, at the beginning of an array that the caller reuses after
     * the call.
     */
    @FunctionalInterface
    interface Taker {
      void take(float[] values, int length) throws IOException;
    }
  }

  private NetworkForm(NetworkConfiguration network, NetworkPlan plan, String configuration) {
    this.network = network;
    this.plan = plan;
    parametersHead = StoredArray.head(plan.parameterLength());
    stateHead = plan.stateLength() == 0 ? null : StoredArray.head(plan.stateLength());
    Matcher count = ITERATIONS.matcher(configuration);
    if (!count.find()) {
      throw new IllegalStateException("the configuration does not count iterations");
    }
    beforeIterations = configuration.substring(0, count.start(1)).getBytes(StandardCharsets.UTF_8);
    afterIterations = configuration.substring(count.end(1)).getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Returns the form of the files of a network.
   *
   * @param configuration configuration of the network, to which this method adds a count of
   *     iterations and the names of the parameters if they are missing
   * @param inputs number of input values of one row
   * @param errorsFrom index of the first input value for which a training returns errors
   * @throws UncompilableException if the engine does not support the network; the message names the
   *     unsupported part
   */
  static NetworkForm of(ObjectNode configuration, int inputs, int errorsFrom)
      throws UncompilableException {
    NetworkConfiguration network = NetworkConfiguration.read(configuration);
    NetworkPlan plan = NetworkCompiler.compile(network, inputs, errorsFrom);
    if (!configuration.path(COUNT).isInt()) {
      configuration.put(COUNT, 0);
    }
    LayerTrees.nameParameters(configuration, plan);
    return new NetworkForm(network, plan, ConfigurationJson.text(configuration));
  }

  /** Returns the numbers of one array, which must not change. */
  static Numbers numbers(float[] values) {
    return new Numbers() {
      @Override
      public long length() {
        return values.length;
      }

      @Override
      public void read(Taker taker) throws IOException {
        if (values.length > 0) {
          taker.take(values, values.length);
        }
      }
    };
  }

  NetworkPlan plan() {
    return plan;
  }

  /** Returns the configuration from which this form was made, with its count of iterations. */
  NetworkConfiguration network() {
    return network;
  }

  Progress progress(int iterations) {
    return new Progress(iterations, network.epochs());
  }

  /**
   * Returns whether a file has this form; the shapes of its arrays are not checked.
   *
   * @param entries entries of the file
   * @throws MalformedModelException if the file has no configuration
   */
  boolean isOf(Map<String, byte[]> entries) throws MalformedModelException {
    return iterations(ZipEntries.required(entries, CONFIGURATION)).isPresent();
  }

  /**
   * Returns the form of a file whose form differs from this one only in its seeds; null if there
   * are other differences.
   *
   * @param entries entries of the file
   * @throws MalformedModelException if the file has no configuration
   */
  @Nullable NetworkForm withSeedsOf(Map<String, byte[]> entries) throws MalformedModelException {
    byte[] configuration = ZipEntries.required(entries, CONFIGURATION);
    String text = new String(configuration, StandardCharsets.UTF_8);
    if (!withoutSeeds(text).equals(withoutSeeds(configuration()))) {
      return null;
    }
    return new NetworkForm(network, plan, text);
  }

  private String configuration() {
    return new String(beforeIterations, StandardCharsets.UTF_8)
        + '0'
        + new String(afterIterations, StandardCharsets.UTF_8);
  }

  private static String withoutSeeds(String configuration) {
    String begun = ITERATIONS.matcher(configuration).replaceFirst("");
    return SEEDS.matcher(begun).replaceAll("");
  }

  /**
   * Returns the parameters, updater state and count of iterations in a file; null if the file has
   * another form.
   *
   * @param entries entries of the file
   * @throws MalformedModelException if the file has no configuration
   */
  @Nullable Values values(Map<String, byte[]> entries) throws MalformedModelException {
    OptionalInt iterations = iterations(ZipEntries.required(entries, CONFIGURATION));
    if (iterations.isEmpty()) {
      return null;
    }
    float[] parameters = values(entries.get(COEFFICIENTS), parametersHead, plan.parameterLength());
    float[] state = values(entries.get(UPDATER_STATE), stateHead, plan.stateLength());
    return parameters == null || state == null
        ? null
        : new Values(parameters, state, iterations.getAsInt());
  }

  /**
   * Returns the parameters in a file; null if the file has another form.
   *
   * @param entries entries of the file
   * @throws MalformedModelException if the file has no configuration
   */
  float @Nullable [] parameters(Map<String, byte[]> entries) throws MalformedModelException {
    return iterations(ZipEntries.required(entries, CONFIGURATION)).isPresent()
        ? values(entries.get(COEFFICIENTS), parametersHead, plan.parameterLength())
        : null;
  }

  /**
   * Returns the entries of a network's zip file by name.
   *
   * @throws MalformedModelException if the file is not a complete zip
   */
  static Map<String, byte[]> entries(byte[] file) throws MalformedModelException {
    return entries(file, ZipEntries.LARGEST_BYTES);
  }

  /**
   * Returns the entries of a network's zip file by name.
   *
   * @param largestBytes largest total size of the unpacked entries, in bytes
   * @throws MalformedModelException if the file is not a complete zip
   */
  static Map<String, byte[]> entries(byte[] file, long largestBytes)
      throws MalformedModelException {
    return ZipEntries.read(file, ENTRIES, largestBytes);
  }

  /**
   * Returns the entries of a network's zip file that predictions need. If the updater state is the
   * last entry, it is left out.
   *
   * @throws MalformedModelException if the part of the file that is read is not a complete zip
   */
  static Map<String, byte[]> parameterEntries(byte[] file) throws MalformedModelException {
    return ZipEntries.read(file, ENTRIES, ZipEntries.LARGEST_BYTES, 2);
  }

  /**
   * Returns the count of iterations in a configuration; empty if the configuration has another
   * form.
   */
  private OptionalInt iterations(byte[] configuration) {
    int from = beforeIterations.length;
    int to = configuration.length - afterIterations.length;
    if (to <= from
        || !Arrays.equals(configuration, 0, from, beforeIterations, 0, from)
        || !Arrays.equals(
            configuration, to, configuration.length, afterIterations, 0, afterIterations.length)) {
      return OptionalInt.empty();
    }
    String count = new String(configuration, from, to - from, StandardCharsets.UTF_8);
    if (!count.matches("-?\\d{1,10}")) {
      return OptionalInt.empty();
    }
    long iterations = Long.parseLong(count);
    return iterations == (int) iterations ? OptionalInt.of((int) iterations) : OptionalInt.empty();
  }

  private static float @Nullable [] values(
      byte @Nullable [] array, byte @Nullable [] head, int count) {
    if (array == null || head == null) {
      return array == null && head == null ? new float[0] : null;
    }
    if (array.length != head.length + count * Float.BYTES
        || !Arrays.equals(array, 0, head.length, head, 0, head.length)) {
      return null;
    }
    float[] values = new float[count];
    ByteBuffer.wrap(array, head.length, count * Float.BYTES).slice().asFloatBuffer().get(values);
    return values;
  }

  /**
   * Returns the file of a version in Deeplearning4j's format. The file is not compressed:
   * compression would hardly make the numbers smaller, and the configuration is small compared with
   * them.
   */
  byte[] encode(int iterationCount, Numbers parameters, Numbers state) throws IOException {
    byte[] iterations = Integer.toString(iterationCount).getBytes(StandardCharsets.UTF_8);
    Map<String, List<Part>> entries = new LinkedHashMap<>();
    entries.put(
        CONFIGURATION,
        List.of(Part.of(beforeIterations), Part.of(iterations), Part.of(afterIterations)));
    entries.put(COEFFICIENTS, List.of(Part.of(parametersHead), Part.of(parameters)));
    if (stateHead != null) {
      entries.put(UPDATER_STATE, List.of(Part.of(stateHead), Part.of(state)));
    }
    BoundedBytes bytes = new BoundedBytes(ModelArtifact.NETWORK_FILE).expecting(length(entries));
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      zip.setMethod(ZipOutputStream.STORED);
      for (Map.Entry<String, List<Part>> entry : entries.entrySet()) {
        write(zip, entry.getKey(), entry.getValue());
      }
    }
    return bytes.toByteArray();
  }

  /** Returns the exact length of the zip file, so that its array is allocated once. */
  private static long length(Map<String, List<Part>> entries) {
    long length = ZIP_BYTES;
    for (Map.Entry<String, List<Part>> entry : entries.entrySet()) {
      length += ENTRY_BYTES + 2L * entry.getKey().length() + length(entry.getValue());
    }
    return length;
  }

  private static long length(List<Part> parts) {
    return parts.stream().mapToLong(Part::length).sum();
  }

  private static void write(ZipOutputStream zip, String name, List<Part> parts) throws IOException {
    CRC32 checksum = new CRC32();
    OutputStream checked = new CheckedOutputStream(OutputStream.nullOutputStream(), checksum);
    for (Part part : parts) {
      part.writeTo(checked);
    }
    ZipEntry entry = new ZipEntry(name);
    entry.setTimeLocal(ENTRY_TIME);
    entry.setSize(length(parts));
    entry.setCrc(checksum.getValue());
    zip.putNextEntry(entry);
    for (Part part : parts) {
      part.writeTo(zip);
    }
    zip.closeEntry();
  }

  /**
   * A piece of an entry, which is written twice: first to the checksum, which precedes the content,
   * and then to the file.
   */
  private interface Part {
    long length();

    void writeTo(OutputStream out) throws IOException;

    static Part of(byte[] bytes) {
      return new Part() {
        @Override
        public long length() {
          return bytes.length;
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
          out.write(bytes);
        }
      };
    }

    /**
     * Returns a piece that writes numbers big-endian in small blocks, so that the heap has no
     * second copy of a large network.
     */
    static Part of(Numbers numbers) {
      return new Part() {
        @Override
        public long length() {
          return numbers.length() * Float.BYTES;
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
          int most = (int) Math.min(numbers.length(), PIECE_FLOATS);
          ByteBuffer piece = ByteBuffer.allocate(most * Float.BYTES);
          numbers.read(
              (values, length) -> {
                for (int from = 0; from < length; from += most) {
                  int count = Math.min(length - from, most);
                  piece.asFloatBuffer().put(values, from, count);
                  out.write(piece.array(), 0, count * Float.BYTES);
                }
              });
        }
      };
    }
  }
}
