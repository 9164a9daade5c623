package io.idlalayer.middleware.models.storage.cache;

import io.idlalayer.middleware.models.manifest.ModelManifest.ModelFile;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The identity of a cached file: its digest and length, which are also its name in the folder. So
 * the file is the right one for every version, application and store that names it.
 *
 * @param sha256 lower-case hexadecimal
 * @param bytes length of the content
 */
record CopyName(String sha256, long bytes) {
  /** Name of a complete copy. */
  private static final String COPY = ".copy";

  /** Name of a copy that is being written. */
  private static final String PART = ".part";

  /** Largest number of bytes of a cached file, 1 TiB: its checksums are held in memory. */
  private static final long LARGEST_BYTES = 1L << 40;

  private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");
  private static final Pattern NAME =
      Pattern.compile("([0-9a-f]{64})-(0|[1-9][0-9]{0,12})(\\.copy|\\.part)");

  /**
   * Returns the identity of a file of a version; empty if the file cannot be cached because it is
   * too large or its manifest has no SHA-256.
   */
  static Optional<CopyName> of(ModelFile file) {
    return file.bytes() >= 0
            && file.bytes() <= LARGEST_BYTES
            && DIGEST.matcher(file.sha256()).matches()
        ? Optional.of(new CopyName(file.sha256(), file.bytes()))
        : Optional.empty();
  }

  /** A name in the folder; {@code part} tells whether the copy is still being written. */
  record Parsed(CopyName name, boolean part) {}

  /** Parses a name in the folder; empty if the cache does not make such names. */
  static Optional<Parsed> parsed(String fileName) {
    Matcher matcher = NAME.matcher(fileName);
    return matcher.matches()
        ? Optional.of(
            new Parsed(
                new CopyName(matcher.group(1), Long.parseLong(matcher.group(2))),
                matcher.group(3).equals(PART)))
        : Optional.empty();
  }

  String copy() {
    return sha256 + "-" + bytes + COPY;
  }

  String part() {
    return sha256 + "-" + bytes + PART;
  }
}
