package io.idlalayer.modelloader.onnx;

import io.idlalayer.modelloader.onnx.file.OnnxDataFiles;
import io.idlalayer.modelloader.onnx.file.OnnxFile;
import io.idlalayer.modelloader.onnx.file.OnnxFileReader;
import io.idlalayer.modelloader.onnx.file.OnnxTensor;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Writes ONNX models into a repository that Triton and the runtimes of KServe can read:
 *
 * <pre>
 * FOLDER/MODEL/config.pbtxt
 * FOLDER/MODEL/VERSION/model.onnx
 * </pre>
 *
 * A version appears as a whole, and never changes. {@code config.pbtxt} describes the version that
 * was added last; its version policy makes a server serve only this version. For one writer at a
 * time.
 */
public final class OnnxRepository {
  private static final String CONFIG = "config.pbtxt";

  /** Prefix of unfinished folders; readers of a repository ignore names that are no numbers. */
  private static final String STAGING = ".staging-";

  private final Path folder;

  /**
   * @param folder folder of all models; the first version creates it
   */
  public OnnxRepository(Path folder) {
    this.folder = folder;
  }

  /**
   * Adds a version of a model, and makes it the version that serves.
   *
   * @param model letters, digits, dot, dash and underscore
   * @param origin text in the configuration that says to which application and partition the model
   *     belongs
   * @param version above 0
   * @return whether the version is new; false if the repository already has this version with the
   *     same content
   * @throws IOException if the repository has this version with other content, if its model has
   *     another origin, or if the folder cannot be written
   */
  public boolean add(String model, String origin, long version, byte[] onnx) throws IOException {
    Path of = folder.resolve(model);
    String config = config(model, origin, version, onnx);
    requireOrigin(of.resolve(CONFIG), origin);
    Path target = of.resolve(Long.toString(version)).resolve(OnnxModel.FILE);
    if (Files.exists(target)) {
      if (!Arrays.equals(Files.readAllBytes(target), onnx)) {
        throw new IOException(
            target + " is another model; name another repository, or delete the version there");
      }
      configure(of, config);
      return false;
    }
    Files.createDirectories(of);
    Path staged = of.resolve(STAGING + UUID.randomUUID());
    try {
      Files.createDirectory(staged);
      Files.write(staged.resolve(OnnxModel.FILE), onnx);
      Files.move(staged, of.resolve(Long.toString(version)), StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(staged.resolve(OnnxModel.FILE));
      Files.deleteIfExists(staged);
    }
    // Until this rename the previous version serves.
    configure(of, config);
    return true;
  }

  private static void requireOrigin(Path config, String origin) throws IOException {
    if (Files.exists(config) && !Files.readString(config).contains(origin(origin))) {
      throw new IOException(
          config + " is not that of " + origin + "; name another repository for it");
    }
  }

  private static String origin(String origin) {
    return "parameters { key: \"idlalayer\" value: { string_value: " + quoted(origin) + " } }";
  }

  private static void configure(Path of, String config) throws IOException {
    Path staged = of.resolve(STAGING + UUID.randomUUID());
    try {
      Files.writeString(staged, config);
      Files.move(
          staged,
          of.resolve(CONFIG),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(staged);
    }
  }

  /**
   * Returns the configuration of a model: names, types and dimensions of its tensors.
   *
   * @throws IOException if the bytes are no ONNX model
   */
  private static String config(String model, String origin, long version, byte[] onnx)
      throws IOException {
    OnnxFile read;
    try {
      read = OnnxFileReader.read(onnx, new OnnxDataFiles(null, 0));
    } catch (MalformedModelException broken) {
      throw new IOException("the model is no ONNX file: " + broken.getMessage(), broken);
    }
    // The tensors themselves have a first dimension for the rows, so no batch size is named.
    return String.format(
        Locale.ROOT,
        """
        name: %s
        platform: "onnxruntime_onnx"
        backend: "onnxruntime"
        max_batch_size: 0
        input [%s]
        output [%s]
        version_policy: { specific: { versions: [ %d ] } }
        %s
        """,
        quoted(model),
        tensors(read.inputs()),
        tensors(read.outputs()),
        version,
        origin(origin));
  }

  private static String tensors(List<OnnxFile.Value> values) throws IOException {
    StringBuilder text = new StringBuilder();
    for (OnnxFile.Value value : values) {
      long[] shape = value.shape() == null ? new long[0] : value.shape();
      text.append(text.isEmpty() ? "\n" : ",\n")
          .append("  { name: ")
          .append(quoted(value.name()))
          .append(", data_type: ")
          .append(type(value.name(), value.type()))
          .append(", dims: [ ")
          .append(Arrays.stream(shape).mapToObj(Long::toString).collect(Collectors.joining(", ")))
          .append(" ] }");
    }
    return text.append('\n').toString();
  }

  private static String type(String tensor, int type) throws IOException {
    return switch (type) {
      case OnnxTensor.DOUBLE -> "TYPE_FP64";
      case OnnxTensor.FLOAT -> "TYPE_FP32";
      case OnnxTensor.INT64 -> "TYPE_INT64";
      default ->
          throw new IOException(
              String.format(
                  Locale.ROOT,
                  "tensor '%s' has the type %d of ONNX, which is not known here",
                  tensor,
                  type));
    };
  }

  /** Returns a text as a string of the protobuf text format. */
  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
      boolean plain = each >= ' ' && each < 0x7f && each != '"' && each != '\\';
      quoted.append(
          plain ? String.valueOf((char) each) : String.format(Locale.ROOT, "\\%03o", each & 0xFF));
    }
    return quoted.append('"').toString();
  }
}
