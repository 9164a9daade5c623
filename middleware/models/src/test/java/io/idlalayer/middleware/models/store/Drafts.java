package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.manifest.StoreLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Models to publish. */
public final class Drafts {
  private Drafts() {}

  public static ModelDraft of(long minimumVersion, String content) {
    return new ModelDraft(
        "app",
        0,
        minimumVersion,
        minimumVersion - 1,
        "",
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(files(content)));
  }

  /** A version that was trained from another. */
  public static ModelDraft after(ModelCheckpoint parent, String content) {
    return of("app", 0, parent, Map.of(), files(content), Map.of());
  }

  private static Map<String, byte[]> files(String content) {
    return Map.of(
        "model.zip", content.getBytes(StandardCharsets.UTF_8),
        "spec.json", "{}".getBytes(StandardCharsets.UTF_8));
  }

  /** The first version of an application's partition 0. */
  public static ModelDraft of(String application, Map<String, byte[]> files) {
    return of(application, 0, null, Map.of(), files, Map.of());
  }

  /**
   * Returns a draft with rows.
   *
   * @param parent the previous version; null for the first version
   * @param kind kind of the row file, as in the manifest
   * @param rows row file to copy
   */
  public static ModelDraft withRows(@Nullable ModelCheckpoint parent, String kind, Path rows) {
    return of(
        "app",
        0,
        parent,
        Map.of(ModelManifest.ROWS, kind),
        Map.of("model.zip", kind.getBytes(StandardCharsets.UTF_8)),
        Map.of(ModelManifest.ROWS_FILE, rows));
  }

  /**
   * A version without offsets, counts and metrics.
   *
   * @param parent null for a first one
   * @param copied files that are copied while it is published
   */
  public static ModelDraft of(
      String application,
      int partition,
      @Nullable ModelCheckpoint parent,
      Map<String, String> attributes,
      Map<String, byte[]> files,
      Map<String, Path> copied) {
    return new ModelDraft(
        application,
        partition,
        1,
        parent == null ? 0 : parent.manifest().version(),
        parent == null ? "" : parent.digest(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(attributes),
        new TreeMap<>(files),
        new TreeMap<>(copied));
  }

  /** The pointer that a publisher writes. */
  public static Path pointer(Path folder, ModelPublisher publisher) {
    return folder.resolve(StoreLayout.publisher(publisher.epoch())).resolve(StoreLayout.POINTER);
  }

  public static String text(SortedMap<String, byte[]> files) {
    byte[] content = files.get("model.zip");
    return content == null ? "" : new String(content, StandardCharsets.UTF_8);
  }
}
