package io.idlalayer.middleware.models.store;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;

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

  /** The pointer that a publisher writes. */
  public static Path pointer(Path folder, ModelPublisher publisher) {
    return ModelStore.pointer(folder, publisher.epoch());
  }

  public static String text(SortedMap<String, byte[]> files) {
    byte[] content = files.get("model.zip");
    return content == null ? "" : new String(content, StandardCharsets.UTF_8);
  }
}
