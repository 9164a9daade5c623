package io.idlalayer.modelloader.onnx.file;

import io.idlalayer.modelruntime.artifact.MalformedModelException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The files beside an ONNX file that hold its arrays, as PyTorch writes them by default. Each file
 * is read once, at its first use. Only files in the folder of the ONNX file, or below it, are read.
 */
public final class OnnxDataFiles {
  private final @Nullable Path folder;
  private final SortedMap<String, byte[]> files = new TreeMap<>();
  private long left;

  /**
   * @param folder folder of the ONNX file; null if it has none
   * @param largestBytes limit of all files together
   */
  public OnnxDataFiles(@Nullable Path folder, long largestBytes) {
    this.folder = folder;
    left = largestBytes;
  }

  /** Returns the contents of the files that were read, by their names in the ONNX file. */
  public SortedMap<String, byte[]> files() {
    return files;
  }

  /**
   * Returns the numbers of an array.
   *
   * @param place {@code location}, and {@code offset} and {@code length} in bytes
   * @throws MalformedModelException if the ONNX file names another place than a part of a file in
   *     its folder
   */
  ByteBuffer read(String array, Map<String, String> place) throws IOException {
    String location = place.getOrDefault("location", "");
    byte[] content = files.get(location);
    if (content == null) {
      content = content(array, location);
      files.put(location, content);
    }
    long offset = number(array, place.getOrDefault("offset", "0"));
    long length =
        number(array, place.getOrDefault("length", Long.toString(content.length - offset)));
    if (offset > content.length || length > content.length - offset) {
      throw new MalformedModelException(
          String.format(
              Locale.ROOT,
              "array '%s' is %d bytes from byte %d on of the file '%s', which has %d",
              array,
              length,
              offset,
              location,
              content.length));
    }
    return ByteBuffer.wrap(content, (int) offset, (int) length)
        .slice()
        .order(ByteOrder.LITTLE_ENDIAN);
  }

  private static long number(String array, String text) throws MalformedModelException {
    try {
      long number = Long.parseLong(text);
      if (number >= 0) {
        return number;
      }
    } catch (NumberFormatException none) {
      // The exception below tells it.
    }
    throw new MalformedModelException(
        "array '%s' is in another file, at '%s', which is no place".formatted(array, text));
  }

  private byte[] content(String array, String location) throws IOException {
    Path file = resolved(array, location);
    if (!Files.isRegularFile(file)) {
      throw new MalformedModelException(
          "array '%s' is in the file '%s', which is not beside it; put it there, or write everything into one file: torch.onnx.export(..., external_data=False)"
              .formatted(array, location));
    }
    byte[] content;
    try (InputStream in = Files.newInputStream(file)) {
      content = in.readNBytes((int) Math.min(Integer.MAX_VALUE - 8, left + 1));
    }
    left -= content.length;
    if (left < 0) {
      throw new MalformedModelException(
          "it and the file '%s' are larger than an eighth of the heap; raise IDLA_HEAP"
              .formatted(location));
    }
    return content;
  }

  private Path resolved(String array, String location) throws MalformedModelException {
    try {
      Path parent = folder;
      if (parent != null && !location.isEmpty()) {
        Path file = parent.resolve(location).normalize();
        if (!Path.of(location).isAbsolute() && file.startsWith(parent.normalize())) {
          return file;
        }
      }
    } catch (InvalidPathException invalid) {
      throw new MalformedModelException(
          "array '%s' is in the file '%s', which is no name of a file".formatted(array, location),
          invalid);
    }
    throw new MalformedModelException(
        "array '%s' is in the file '%s'; it must be in the folder of the ONNX file"
            .formatted(array, location));
  }
}
