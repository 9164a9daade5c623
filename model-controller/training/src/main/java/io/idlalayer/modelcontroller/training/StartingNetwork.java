package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.storage.Digests;
import io.idlalayer.middleware.models.store.HeapShare;
import io.idlalayer.modelcontroller.engine.EngineNetworks;
import io.idlalayer.modelcontroller.engine.NetworkImport;
import io.idlalayer.modelcontroller.engine.compile.UncompilableException;
import io.idlalayer.modelloader.imported.ImportedNetwork;
import io.idlalayer.modelloader.imported.ImportedTable;
import io.idlalayer.modelloader.imported.OnnxImport;
import io.idlalayer.modelloader.imported.UnimportableException;
import io.idlalayer.modelloader.onnx.file.OnnxDataFiles;
import io.idlalayer.modelloader.onnx.file.OnnxFileReader;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelFiles;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpecJson;
import io.idlalayer.modelruntime.artifact.ModelStart;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The trained network with which an application's first training begins, read from a file: ONNX, a
 * zip of Deeplearning4j, or {@code model.zip} in the folder of a version that iDlaLayer published.
 *
 * @param artifact the model, which makes the same predictions as the network in the file
 * @param start description of the file
 * @param layers layers of the network in a few words
 * @param tables the first rows of the tables
 */
public record StartingNetwork(
    ModelArtifact artifact, ModelStart start, String layers, List<ImportedTable> tables) {
  public StartingNetwork {
    tables = List.copyOf(tables);
  }

  /** Largest size of the file in bytes; the free heap can limit the size further. */
  private static final long LARGEST_BYTES = 1L << 30;

  private static final int PIECE_BYTES = 64 << 10;

  private static final byte[] ZIP = {'P', 'K', 3, 4};

  /**
   * Reads a network.
   *
   * @param spec specification of the application's network
   * @throws IOException if the file cannot be read, is damaged, or has another network than the
   *     specification; the message names the file and the reason
   */
  public static StartingNetwork read(Path file, ModelSpec spec) throws IOException {
    try {
      return of(file, content(file), spec);
    } catch (OutOfMemoryError full) {
      throw new IOException(
          "%s needs more memory than the heap has (%s); raise IDLA_HEAP"
              .formatted(file, full.getMessage()),
          full);
    }
  }

  private static StartingNetwork of(Path file, byte[] content, ModelSpec spec) throws IOException {
    try {
      boolean zip = begins(content, ZIP);
      Path folder = file.toAbsolutePath().getParent();
      boolean version =
          zip
              && folder != null
              && Files.isRegularFile(folder.resolve(ModelArtifact.SPEC_FILE))
              && Files.isRegularFile(folder.resolve(ModelArtifact.SCALER_FILE));
      String name = String.valueOf(file.getFileName());
      if (folder != null && version) {
        ModelStart start = new ModelStart(name, Digests.sha256(content), content.length, true);
        return published(folder, content, spec, start);
      }
      Optional<String> foreign = ForeignNetwork.described(file, content);
      if (foreign.isPresent()) {
        throw new UnimportableException(foreign.get());
      }
      checkNetwork(spec);
      OnnxDataFiles dataFiles = new OnnxDataFiles(folder, largestBytes() - content.length);
      Imported imported = imported(content, dataFiles, zip, spec);
      ModelStart start = start(name, content, dataFiles);
      SortedMap<String, byte[]> files = new TreeMap<>();
      files.put(ModelArtifact.NETWORK_FILE, imported.network().file());
      files.put(ModelArtifact.SCALER_FILE, FeatureScaler.empty(spec).encode());
      files.put(ModelArtifact.SPEC_FILE, ModelSpecJson.encode(spec));
      files.put(ModelArtifact.START_FILE, start.encode());
      return new StartingNetwork(
          new ModelArtifact(files),
          start,
          imported.network().layers() + described(imported.tables(), spec),
          imported.tables());
    } catch (IOException refused) {
      throw new IOException(file + ": " + refused.getMessage(), refused);
    } catch (IllegalArgumentException refused) {
      throw new IOException(file + ": " + refused.getMessage(), refused);
    }
  }

  /** Returns the digest and the size of a file and of the files with its arrays, by their names. */
  private static ModelStart start(String name, byte[] content, OnnxDataFiles dataFiles) {
    MessageDigest digest = Digests.sha256();
    digest.update(content);
    long bytes = content.length;
    for (byte[] each : dataFiles.files().values()) {
      digest.update(each);
      bytes += each.length;
    }
    return new ModelStart(name, Digests.text(digest), bytes, false);
  }

  private record Imported(NetworkImport.Imported network, List<ImportedTable> tables) {}

  /** Returns the tables in a few words; "" if there are none. */
  private static String described(List<ImportedTable> tables, ModelSpec spec) {
    StringBuilder all = new StringBuilder();
    for (ImportedTable each : tables) {
      String name = spec.embeddings().tables().get(each.table()).name();
      all.append(String.format(Locale.ROOT, ", table %s with %d rows", name, each.keys().length));
    }
    return all.toString();
  }

  private static Imported imported(
      byte[] content, OnnxDataFiles dataFiles, boolean zip, ModelSpec spec) throws IOException {
    if (zip && !spec.schema().ids().isEmpty()) {
      throw new UnimportableException(
          "a network with tables ('input.ids') begins with an ONNX file only: a zip of Deeplearning4j has no rows");
    } else if (zip) {
      return new Imported(NetworkImport.of(content, spec, LARGEST_BYTES), List.of());
    }
    ImportedNetwork network = OnnxImport.read(content, dataFiles, spec);
    return new Imported(NetworkImport.of(network, spec), network.tables());
  }

  /** Refuses specifications whose network cannot come from a file of another program. */
  private static void checkNetwork(ModelSpec spec) throws UnimportableException {
    if (spec.members() > 1) {
      throw new UnimportableException(
          "several members ('model.members', 'history') begin only with model.zip of a published"
              + " version, beside its spec.json and scaler.json; another file is one network, so say"
              + " 'members: 1' and no 'history'");
    }
    if (spec.network() instanceof ModelSpec.Network.SameDiffGraph) {
      throw new UnimportableException(
          "a SameDiff graph has its first values in its own file ('model.file')");
    }
  }

  // ---- a published version --------------------------------------------------------------------

  private static StartingNetwork published(
      Path folder, byte[] network, ModelSpec spec, ModelStart start) throws IOException {
    SortedMap<String, byte[]> files = new TreeMap<>();
    files.put(ModelArtifact.NETWORK_FILE, network);
    for (String name : new String[] {ModelArtifact.SPEC_FILE, ModelArtifact.SCALER_FILE}) {
      files.put(name, content(folder.resolve(name)));
    }
    ModelArtifact given = new ModelArtifact(files);
    ModelSpec before = ModelSpecJson.decode(given.file(ModelArtifact.SPEC_FILE));
    if (!spec.schema().ids().isEmpty() || !before.schema().ids().isEmpty()) {
      throw new UnimportableException(
          "a network with tables ('input.ids') begins with an ONNX file only ('idla models export' writes one): the rows of a version (%s) are not read"
              .formatted(ModelManifest.ROWS_FILE));
    }
    if (!before.network().equals(spec.network())
        || !before.loss().equals(spec.loss())
        || before.standardize() != spec.standardize()) {
      throw new UnimportableException(
          "the version has %s, and the application asks for %s"
              .formatted(describe(before), describe(spec)));
    }
    if (before.schema().label().task() != spec.schema().label().task()) {
      throw new UnimportableException("the version has another task: classes or a target");
    }
    ModelArtifact fitting = new ModelChange(spec).fitting(given);
    SortedMap<String, byte[]> all = new TreeMap<>(fitting.files());
    all.put(ModelArtifact.SPEC_FILE, ModelSpecJson.encode(spec));
    all.put(ModelArtifact.START_FILE, start.encode());
    ModelArtifact artifact = new ModelArtifact(all);
    ModelFiles read = ModelFiles.read(artifact, LARGEST_BYTES);
    if (!finite(spec, read.network())) {
      throw new MalformedModelException("a weight is not a finite number");
    }
    return new StartingNetwork(artifact, start, describe(spec), List.of());
  }

  private static boolean finite(ModelSpec spec, byte[] network) throws MalformedModelException {
    try {
      return EngineNetworks.finite(spec, network, LARGEST_BYTES);
    } catch (UncompilableException unknown) {
      try (TrainingEngine library = NetworkLibrary.onClassPath().engine(spec);
          TrainableNetwork decoded = library.decode(network)) {
        return decoded.finite();
      }
    }
  }

  private static String describe(ModelSpec spec) {
    return "%s with the loss %s, 'standardize: %s'"
        .formatted(spec.network(), spec.loss().kind(), spec.standardize());
  }

  // ---- files ----------------------------------------------------------------------------------

  /** Returns the content of a file. Refuses a file that is too large for the heap. */
  private static byte[] content(Path file) throws IOException {
    ForeignNetwork.requireFile(file);
    if (!Files.exists(file)) {
      throw new IOException(file + " does not exist");
    }
    long largest = largestBytes();
    byte[] content;
    try (InputStream in = Files.newInputStream(file)) {
      content = in.readNBytes((int) largest + 1);
    } catch (IOException unreadable) {
      throw new IOException("%s cannot be read: %s".formatted(file, unreadable), unreadable);
    }
    if (content.length > largest) {
      throw new IOException(
          "%s has more than %,d bytes, an eighth of the heap and at most 1 GiB; raise IDLA_HEAP"
              .formatted(file, largest));
    } else if (content.length == 0) {
      throw new IOException(file + " is empty");
    }
    return content;
  }

  private static long largestBytes() {
    return Math.min(LARGEST_BYTES, HeapShare.ofThisProcess().networkBytes());
  }

  private static boolean begins(byte[] content, byte[] with) {
    return content.length > with.length
        && Arrays.equals(content, 0, with.length, with, 0, with.length);
  }

  /**
   * Returns whether a file has changed since a lineage began with it; false if the file is gone.
   *
   * @throws IOException if the file exists and cannot be read
   */
  public static boolean changed(Path file, ModelStart began) throws IOException {
    if (!Files.isRegularFile(file)) {
      return false;
    }
    long bytes = Files.size(file);
    if (bytes < began.bytes()) {
      return !withDataFiles(file).sha256().equals(began.sha256());
    } else if (bytes > began.bytes()) {
      return true;
    }
    MessageDigest digest = Digests.sha256();
    byte[] piece = new byte[PIECE_BYTES];
    try (InputStream in = Files.newInputStream(file)) {
      for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
        digest.update(piece, 0, read);
      }
    }
    return !Digests.text(digest).equals(began.sha256());
  }

  /**
   * Returns the description of a file and of the files with its arrays. Only ONNX files can have
   * such further files.
   */
  private static ModelStart withDataFiles(Path file) throws IOException {
    byte[] content = content(file);
    Path folder = file.toAbsolutePath().getParent();
    OnnxDataFiles dataFiles = new OnnxDataFiles(folder, largestBytes() - content.length);
    String name = String.valueOf(file.getFileName());
    try {
      OnnxFileReader.read(content, dataFiles);
    } catch (MalformedModelException other) {
      return new ModelStart(name, Digests.sha256(content), content.length, false);
    }
    return start(name, content, dataFiles);
  }
}
