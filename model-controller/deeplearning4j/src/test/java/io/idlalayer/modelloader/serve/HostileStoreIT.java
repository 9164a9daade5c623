package io.idlalayer.modelloader.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelloader.network.SmallModels;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.serve.PlainModel;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process with a heap of 128 MiB, which ends at the first error of memory, reads what a store may
 * hold: files that are small and say that they are large, or large and say nothing.
 */
@Tag("natives")
final class HostileStoreIT {
  private static final int BOMB_BYTES = 300_000_000;
  private static final int PART_BYTES = 1 << 20;
  private static final int LIST_BYTES = 10 << 20;

  @TempDir Path folder;

  private static SortedMap<String, byte[]> good() throws IOException {
    return SmallModels.files("x", List.of("no", "yes"));
  }

  private static SortedMap<String, byte[]> with(String name, byte[] content) throws IOException {
    SortedMap<String, byte[]> files = new TreeMap<>(good());
    files.put(name, content);
    return files;
  }

  /** Returns the good network with an entry that is followed by zeros. */
  private static byte[] bomb(String entry) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipInputStream in =
            new ZipInputStream(new ByteArrayInputStream(good().get(ModelArtifact.NETWORK_FILE)));
        ZipOutputStream out = new ZipOutputStream(bytes)) {
      for (ZipEntry each = in.getNextEntry(); each != null; each = in.getNextEntry()) {
        out.putNextEntry(new ZipEntry(each.getName()));
        in.transferTo(out);
        if (each.getName().equals(entry)) {
          byte[] zeros = new byte[PART_BYTES];
          for (int left = BOMB_BYTES; left > 0; left -= zeros.length) {
            out.write(zeros, 0, Math.min(left, zeros.length));
          }
        }
      }
    }
    return bytes.toByteArray();
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the begin of a JSON text whose list does not end for megabytes. */
  private static byte[] endless(String begin, String element) {
    return text(begin + element.repeat(LIST_BYTES / element.length()));
  }

  private static byte[] spec(String from, String to) throws IOException {
    String spec = new String(good().get(ModelArtifact.SPEC_FILE), StandardCharsets.UTF_8);
    assertThat(spec).contains(from);
    return text(spec.replace(from, to));
  }

  private static Map<String, SortedMap<String, byte[]>> hostile() throws IOException {
    Map<String, SortedMap<String, byte[]>> all = new TreeMap<>();
    String network = ModelArtifact.NETWORK_FILE;
    for (String entry :
        List.of(
            ModelArtifact.CONFIGURATION_ENTRY,
            ModelArtifact.COEFFICIENTS_ENTRY,
            ModelArtifact.UPDATER_STATE_ENTRY)) {
      all.put("bomb " + entry, with(network, bomb(entry)));
    }
    byte[] large = new byte[40 << 20];
    all.put("large network", with(network, large));
    all.put("large file that nobody reads", with("notes.bin", large));
    all.put(
        "list spec",
        with(
            ModelArtifact.SPEC_FILE,
            endless("{\"formatVersion\":1,\"spec\":{\"schema\":{\"columns\":[", "\"\",")));
    all.put(
        "list scaler",
        with(ModelArtifact.SCALER_FILE, endless("{\"formatVersion\":1,\"columns\":[", "{},")));
    all.put(
        "wide feature", with(ModelArtifact.SPEC_FILE, spec("\"width\":1", "\"width\":2000000000")));
    all.put(
        "wider feature", with(ModelArtifact.SPEC_FILE, spec("\"width\":1", "\"width\":300000")));
    all.put("x the newest, whole and large", with("notes.bin", large));
    return all;
  }

  /** The process with the small heap: prints what becomes of each version. */
  static final class Reader {
    private Reader() {}

    public static void main(String[] args) throws IOException {
      try (ModelStore store = new ModelStore(Path.of(args[0]), InstantSource.system())) {
        PlainModelLoader loader = new PlainModelLoader();
        PlainModel serving = null;
        for (ModelCheckpoint checkpoint : store.list("app", 0)) {
          try {
            serving = loader.load(store, checkpoint);
            System.out.println(checkpoint.version() + " loaded");
          } catch (CorruptModelException refused) {
            System.out.println(checkpoint.version() + " refused: " + refused.getMessage());
          }
        }
        double[] answer = serving.predict(Sample.of(new double[] {1}, Sample.NO_LABEL));
        System.out.println("serves " + answer.length);
        // A publisher with a small heap does not move the pointer away from a large version.
        store.claim("app", 0);
        System.out.println("points to " + store.current("app", 0).orElseThrow().version());
      }
    }
  }

  @Test
  void load_whateverAStoreHolds_isRefusedInASmallHeap() throws Exception {
    List<String> names = new ArrayList<>();
    try (ModelStore store = new ModelStore(folder, InstantSource.system())) {
      ModelPublisher publisher = store.claim("app", 0);
      publisher.publish(Drafts.of("app", good()));
      for (Map.Entry<String, SortedMap<String, byte[]>> each : hostile().entrySet()) {
        names.add(each.getKey());
        publisher.publish(Drafts.of("app", each.getValue()));
      }
    }
    Process reader =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                Reader.class.getName(),
                folder.toString())
            .redirectErrorStream(true)
            .start();
    List<String> lines = reader.inputReader().lines().filter(line -> !line.isBlank()).toList();
    assertThat(reader.waitFor(1, TimeUnit.MINUTES)).isTrue();
    String said = String.join("\n", lines);
    assertThat(reader.exitValue()).as(said).isZero();
    assertThat(said).contains("1 loaded").contains("serves 2\n");
    assertThat(said).endsWith("points to " + (names.size() + 1));
    for (int i = 0; i < names.size(); i++) {
      assertThat(said).as(names.get(i)).contains("\n" + (i + 2) + " refused: ");
    }
    assertThat(said)
        .contains("give the process a larger heap (-Xmx)")
        .contains("the entries of model.zip are larger than")
        .contains("spec.json has 2000000000 numbers");
  }
}
