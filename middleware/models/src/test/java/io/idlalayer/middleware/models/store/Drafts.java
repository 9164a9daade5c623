package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.manifest.StoreLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Models to publish. */
public final class Drafts {
  private Drafts() {}

  public static ModelDraft of(long minimumVersion, String content) {
    TreeMap<String, byte[]> files = new TreeMap<>();
    files.put("model.zip", content.getBytes(StandardCharsets.UTF_8));
    files.put("spec.json", "{}".getBytes(StandardCharsets.UTF_8));
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
        files);
  }

  /** A version that was trained from another. */
  public static ModelDraft after(ModelCheckpoint parent, String content) {
    TreeMap<String, byte[]> files = new TreeMap<>();
    files.put("model.zip", content.getBytes(StandardCharsets.UTF_8));
    files.put("spec.json", "{}".getBytes(StandardCharsets.UTF_8));
    return new ModelDraft(
        "app",
        0,
        parent.manifest().version() + 1,
        parent.manifest().version(),
        parent.digest(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        files);
  }

  /**
   * Returns a draft with rows.
   *
   * @param parent the previous version; null for the first version
   * @param kind kind of the row file, as in the manifest
   * @param rows row file to copy
   */
  public static ModelDraft withRows(@Nullable ModelCheckpoint parent, String kind, Path rows) {
    TreeMap<String, byte[]> files = new TreeMap<>();
    files.put("model.zip", kind.getBytes(StandardCharsets.UTF_8));
    TreeMap<String, String> attributes = new TreeMap<>();
    attributes.put(ModelManifest.ROWS, kind);
    TreeMap<String, Path> copied = new TreeMap<>();
    copied.put(ModelManifest.ROWS_FILE, rows);
    return new ModelDraft(
        "app",
        0,
        1,
        parent == null ? 0 : parent.manifest().version(),
        parent == null ? "" : parent.digest(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        attributes,
        files,
        copied);
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
