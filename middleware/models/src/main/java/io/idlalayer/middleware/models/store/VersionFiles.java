package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.manifest.ModelManifest.ModelFile;
import io.idlalayer.middleware.models.manifest.StoreLayout;
import io.idlalayer.middleware.models.storage.ModelSource;
import io.idlalayer.middleware.models.storage.VerifiedStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Reads the files of versions and compares them with their manifests: names, lengths and SHA-256.
 * May be shared between threads.
 */
final class VersionFiles {
  /** Largest number of bytes allocated for a file before any of its bytes has arrived. */
  private static final int FIRST_BYTES = 64 << 20;

  private final ModelSource source;
  private final HeapShare share;

  VersionFiles(ModelSource source, HeapShare share) {
    this.source = source;
    this.share = share;
  }

  /** Reads and verifies the files of a version, see {@link ModelReader#load}. */
  SortedMap<String, byte[]> load(ModelCheckpoint checkpoint) throws IOException {
    SortedMap<String, Long> lengths = checkLengths(checkpoint);
    checkSum(checkpoint);
    SortedMap<String, byte[]> contents = new TreeMap<>();
    for (ModelFile file : checkpoint.manifest().files()) {
      if (!file.name().equals(ModelManifest.ROWS_FILE)) {
        contents.put(file.name(), content(checkpoint, file));
      }
    }
    refuseUnlisted(checkpoint, lengths);
    return contents;
  }

  /**
   * Reads the files of a version to their end, which verifies them, and keeps none in memory. So
   * this method can verify a version that is too large for this process's heap.
   */
  void verify(ModelCheckpoint checkpoint) throws IOException {
    SortedMap<String, Long> lengths = checkLengths(checkpoint);
    for (ModelFile file : checkpoint.manifest().files()) {
      if (!file.name().equals(ModelManifest.ROWS_FILE)) {
        verify(checkpoint, file);
      }
    }
    refuseUnlisted(checkpoint, lengths);
  }

  private void verify(ModelCheckpoint checkpoint, ModelFile file) throws IOException {
    try (InputStream in = open(checkpoint, file)) {
      in.transferTo(OutputStream.nullOutputStream());
    }
  }

  /**
   * Refuses a version whose files would not leave room for the model in service.
   *
   * @throws CorruptModelException if so; the message has the size and the limit
   */
  private void checkSum(ModelCheckpoint checkpoint) throws IOException {
    long sum = 0;
    for (ModelFile file : checkpoint.manifest().files()) {
      if (!file.name().equals(ModelManifest.ROWS_FILE)) {
        StoreLayout.checkLoadable(checkpoint.file(file.name()), file.bytes());
        sum = file.bytes() > Long.MAX_VALUE - sum ? Long.MAX_VALUE : sum + file.bytes();
      }
    }
    if (sum > share.filesBytes()) {
      throw new CorruptModelException(
          String.format(
              Locale.ROOT,
              "%s has %d bytes, but with a heap of %d MiB a version has at most %d bytes; give the process a"
                  + " larger heap (-Xmx), or publish a smaller model",
              checkpoint.location(),
              sum,
              share.heapBytes() >> 20,
              share.filesBytes()));
    }
  }

  /**
   * Compares the names and lengths of a version's files with its manifest; reads no content.
   *
   * @throws CorruptModelException naming the first file that is missing, has another length or is
   *     not in the manifest
   */
  void checkNamesAndLengths(ModelCheckpoint checkpoint) throws IOException {
    refuseUnlisted(checkpoint, checkLengths(checkpoint));
  }

  /** Compares the length of the file of embedding rows with the manifest. */
  void checkRowsLength(ModelCheckpoint checkpoint) throws IOException {
    checkLength(checkpoint, lengths(checkpoint), rowsFile(checkpoint));
  }

  /** Opens the file of embedding rows of a version, see {@link ModelReader#open}. */
  InputStream openRows(ModelCheckpoint checkpoint) throws IOException {
    return open(checkpoint, rowsFile(checkpoint));
  }

  /** Reads the embedding rows of a version to their end, which verifies them. */
  void verifyRows(ModelCheckpoint checkpoint) throws IOException {
    verify(checkpoint, rowsFile(checkpoint));
  }

  /**
   * Compares the lengths of all files with the manifest, and returns them in the order of the
   * manifest.
   */
  private SortedMap<String, Long> checkLengths(ModelCheckpoint checkpoint) throws IOException {
    SortedMap<String, Long> lengths = lengths(checkpoint);
    for (ModelFile file : checkpoint.manifest().files()) {
      checkLength(checkpoint, lengths, file);
    }
    return lengths;
  }

  private SortedMap<String, Long> lengths(ModelCheckpoint checkpoint) throws IOException {
    return source.files(checkpoint.applicationPartition(), checkpoint.version());
  }

  private static void checkLength(
      ModelCheckpoint checkpoint, SortedMap<String, Long> lengths, ModelFile file)
      throws CorruptModelException {
    Long bytes = lengths.get(file.name());
    String path = checkpoint.file(file.name());
    if (bytes == null) {
      throw new CorruptModelException(path + " is missing");
    }
    if (bytes != file.bytes()) {
      throw new CorruptModelException(
          String.format(
              Locale.ROOT, "%s has %d bytes, its manifest says %d", path, bytes, file.bytes()));
    }
  }

  private static void refuseUnlisted(ModelCheckpoint checkpoint, SortedMap<String, Long> found)
      throws CorruptModelException {
    Set<String> unlisted = new TreeSet<>(found.keySet());
    unlisted.remove(ModelSource.MANIFEST);
    checkpoint.manifest().files().forEach(file -> unlisted.remove(file.name()));
    if (!unlisted.isEmpty()) {
      throw new CorruptModelException(
          checkpoint.file(unlisted.iterator().next()) + " is not in its manifest");
    }
  }

  private byte[] content(ModelCheckpoint checkpoint, ModelFile file) throws IOException {
    try (InputStream in = open(checkpoint, file)) {
      byte[] content = new byte[(int) Math.min(file.bytes(), FIRST_BYTES)];
      int filled = in.readNBytes(content, 0, content.length);
      while (filled == content.length && filled < file.bytes()) {
        // Memory for the claimed length is not allocated before half of the bytes have arrived.
        content = Arrays.copyOf(content, (int) Math.min(file.bytes(), 2L * filled));
        filled += in.readNBytes(content, filled, content.length - filled);
      }
      // Reading the end of the stream verifies the file.
      in.transferTo(OutputStream.nullOutputStream());
      return content;
    }
  }

  private InputStream open(ModelCheckpoint checkpoint, ModelFile file) throws IOException {
    String path = checkpoint.file(file.name());
    try {
      return new VerifiedStream(
          source.open(checkpoint.applicationPartition(), checkpoint.version(), file, 0),
          path,
          file);
    } catch (NoSuchFileException missing) {
      throw new CorruptModelException(path + " is missing");
    }
  }

  private static ModelFile rowsFile(ModelCheckpoint checkpoint) throws CorruptModelException {
    return checkpoint
        .manifest()
        .file(ModelManifest.ROWS_FILE)
        .orElseThrow(
            () ->
                new CorruptModelException(
                    "%s has no %s".formatted(checkpoint.location(), ModelManifest.ROWS_FILE)));
  }
}
