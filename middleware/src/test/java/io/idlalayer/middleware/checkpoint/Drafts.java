package io.idlalayer.middleware.checkpoint;

import java.nio.charset.StandardCharsets;
import java.util.SortedMap;
import java.util.TreeMap;

/** Models to publish. */
final class Drafts {
  private Drafts() {}

  static ModelDraft of(long minimumVersion, String content) {
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

  static String text(SortedMap<String, byte[]> files) {
    byte[] content = files.get("model.zip");
    return content == null ? "" : new String(content, StandardCharsets.UTF_8);
  }
}
