package io.idlalayer.libfolder;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipArchiveOutputStream;
import org.apache.commons.compress.archivers.zip.ZipFile;

/**
 * A jar of a lib folder, from which entries are left out. The compressed bytes of all others are
 * copied, so the result has the same bytes on every machine. Its manifest says what was left out.
 */
final class SmallerJar {
  /** The attribute of the manifest with the platform that the jar was made smaller for. */
  static final String PLATFORM = "Idlalayer-Platform";

  /** The attribute of the manifest with the parts and the native libraries that were left out. */
  static final String REMOVED = "Idlalayer-Removed";

  private static final String SIGNATURE = "META-INF/[^/]*\\.SF";

  private final Path jar;
  private final Platform platform;

  SmallerJar(Path jar, Platform platform) {
    this.jar = jar;
    this.platform = platform;
  }

  /** Returns what was left out of a jar before, if something was. */
  static Optional<String> removed(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      return Optional.ofNullable(file.getManifest())
          .map(manifest -> manifest.getMainAttributes().getValue(REMOVED));
    }
  }

  /**
   * Replaces the jar, if the platform does not need all of it. A jar that was made smaller before
   * stays as it is.
   *
   * @throws IOException if the jar cannot be read or written, is signed, was made smaller for
   *     another platform, or would have no native library left
   */
  void write() throws IOException {
    Path partial = jar.resolveSibling(jar.getFileName() + ".partial");
    try {
      if (writeTo(partial)) {
        Files.move(partial, jar, StandardCopyOption.REPLACE_EXISTING);
      }
    } finally {
      Files.deleteIfExists(partial);
    }
  }

  private boolean writeTo(Path target) throws IOException {
    try (ZipFile file = ZipFile.builder().setPath(jar).get()) {
      Manifest manifest = manifest(file);
      Attributes attributes = manifest.getMainAttributes();
      String before = attributes.getValue(PLATFORM);
      if (before != null && !before.equals(platform.title())) {
        throw new IOException(
            jar + " was made smaller for " + before + ": delete the folder and build again");
      }
      Set<String> left = new TreeSet<>();
      List<ZipArchiveEntry> kept = kept(file, left);
      if (left.isEmpty()) {
        return false;
      }
      attributes.putValue(PLATFORM, platform.title());
      attributes.putValue(REMOVED, String.join(", ", left));
      try (ZipArchiveOutputStream out = new ZipArchiveOutputStream(target)) {
        putManifest(out, manifest, kept);
        for (ZipArchiveEntry entry : kept) {
          try (InputStream raw = file.getRawInputStream(entry)) {
            out.addRawArchiveEntry(entry, raw);
          }
        }
      }
      return true;
    }
  }

  private static Manifest manifest(ZipFile file) throws IOException {
    ZipArchiveEntry entry = file.getEntry(JarFile.MANIFEST_NAME);
    if (entry == null) {
      Manifest manifest = new Manifest();
      manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
      return manifest;
    }
    try (InputStream in = file.getInputStream(entry)) {
      return new Manifest(in);
    }
  }

  /** Writes the manifest as the first entry, without compression, whose bytes could differ. */
  private static void putManifest(
      ZipArchiveOutputStream out, Manifest manifest, List<ZipArchiveEntry> others)
      throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    manifest.write(bytes);
    CRC32 sum = new CRC32();
    sum.update(bytes.toByteArray());
    ZipArchiveEntry entry = new ZipArchiveEntry(JarFile.MANIFEST_NAME);
    entry.setMethod(ZipEntry.STORED);
    entry.setSize(bytes.size());
    entry.setCrc(sum.getValue());
    entry.setTime(others.isEmpty() ? 0 : others.get(0).getTime());
    out.putArchiveEntry(entry);
    out.write(bytes.toByteArray());
    out.closeArchiveEntry();
  }

  /**
   * Returns the entries that stay, without the manifest.
   *
   * @param left receives the names of parts and of native libraries that go
   */
  private List<ZipArchiveEntry> kept(ZipFile file, Set<String> left) throws IOException {
    String name = jar.getFileName().toString();
    List<ZipArchiveEntry> kept = new ArrayList<>();
    boolean signed = false;
    int natives = 0;
    for (ZipArchiveEntry entry : Collections.list(file.getEntriesInPhysicalOrder())) {
      String path = entry.getName();
      signed |= path.matches(SIGNATURE);
      Optional<OptionalPart> part = OptionalPart.of(name, path);
      if (part.isPresent()) {
        left.add(part.get().title());
      } else if (Platform.isNative(path) && !platform.uses(path)) {
        left.add(path);
      } else if (!path.equals(JarFile.MANIFEST_NAME)) {
        natives += Platform.isNative(path) ? 1 : 0;
        kept.add(entry);
      }
    }
    if (signed && !left.isEmpty()) {
      throw new IOException(jar + " is signed, so nothing can be left out: " + left);
    }
    if (natives == 0 && left.stream().anyMatch(Platform::isNative)) {
      throw new IOException(
          jar + " has native libraries, but none for " + platform.title() + ": " + left);
    }
    return kept;
  }
}
