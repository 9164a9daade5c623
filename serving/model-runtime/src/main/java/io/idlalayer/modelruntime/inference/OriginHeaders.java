package io.idlalayer.modelruntime.inference;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The headers of a prediction that say where the model comes from: the version, the version from
 * which it was trained, how far the input was read, and what the release gate found. Proxies and
 * logs see the headers without reading the body. Without state; safe from any thread.
 */
public final class OriginHeaders {
  /** Number of the version that predicted. */
  static final String VERSION = "Idla-Model-Version";

  /** SHA-256 of the version's manifest. */
  static final String DIGEST = "Idla-Model-Digest";

  /** Number of the version from which it was trained, or {@link #NONE}. */
  static final String PARENT = "Idla-Model-Parent";

  /** Next offset to read of each partition of the input, or {@link #NONE}. */
  static final String OFFSETS = "Idla-Model-Offsets";

  /** What the release gate found before the version was published, or {@link #NONE}. */
  static final String GATE = "Idla-Model-Gate";

  static final String NONE = "none";

  /** Most characters of the offsets: many clients and proxies limit all headers to 8 KiB. */
  static final int MOST_OFFSET_CHARACTERS = 2_048;

  /** What a partition of a Kafka topic can be called. */
  private static final Pattern PARTITION = Pattern.compile("[A-Za-z0-9._-]{1,260}");

  private static final Pattern DIGEST_TEXT = Pattern.compile("[0-9a-f]{64}");

  private OriginHeaders() {}

  /** Returns the headers for a version, by name. */
  public static Map<String, String> of(ModelCheckpoint version) {
    ModelManifest manifest = version.manifest();
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put(VERSION, Long.toString(manifest.version()));
    if (DIGEST_TEXT.matcher(version.digest()).matches()) {
      headers.put(DIGEST, version.digest());
    }
    headers.put(
        PARENT, manifest.parentVersion() < 1 ? NONE : Long.toString(manifest.parentVersion()));
    headers.put(OFFSETS, offsets(manifest));
    headers.put(GATE, gate(manifest));
    return headers;
  }

  private static String offsets(ModelManifest manifest) {
    StringBuilder text = new StringBuilder();
    int left = 0;
    for (Map.Entry<String, Long> each : manifest.inputOffsets().entrySet()) {
      String next = (text.isEmpty() ? "" : ", ") + each.getKey() + "=" + each.getValue();
      // A name that is impossible for a topic could have characters that end the header.
      boolean usable = PARTITION.matcher(each.getKey()).matches();
      if (usable && left == 0 && text.length() + next.length() <= MOST_OFFSET_CHARACTERS) {
        text.append(next);
      } else {
        left++;
      }
    }
    if (left > 0) {
      text.append(String.format(Locale.ROOT, "%s%d more", text.isEmpty() ? "" : ", ", left));
    }
    return text.isEmpty() ? NONE : text.toString();
  }

  private static String gate(ModelManifest manifest) {
    Long with = manifest.counts().get("comparedWith");
    Long samples = manifest.counts().get("comparedSamples");
    Double difference = manifest.metrics().get("comparedDifference");
    return with == null || samples == null || difference == null
        ? NONE
        : String.format(
            Locale.ROOT, "with=%d, samples=%d, difference=%.6f", with, samples, difference);
  }
}
