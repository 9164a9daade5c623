package io.idlalayer.testkit;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.commons.codec.digest.DigestUtils;
import org.jspecify.annotations.Nullable;

/**
 * The objects of an object store in a folder, with a file for each, which tests can damage. Tags
 * are those of S3: the MD5 of the content. Safe for several threads.
 */
public final class FolderObjects {
  /** Reads and writes of all folders follow one another. */
  private static final Object ONE_AT_A_TIME = new Object();

  /** A sole writer sends larger objects while it reads them; models write such objects once. */
  private static final int MOST_BYTES_AT_ONCE = 1 << 20;

  /** File of an object whose key ends with a slash. */
  private static final String FOLDER = "%folder";

  private final Path root;

  /** Tags by key; null if each tag is computed from the current content of the file. */
  private final @Nullable Map<String, String> tags;

  public FolderObjects(Path root) {
    this(root, null);
  }

  private FolderObjects(Path root, @Nullable Map<String, String> tags) {
    this.root = root;
    this.tags = tags;
  }

  /**
   * Remembers tags, as object stores do, so that a list reads no content. For experiments: nothing
   * else may write into the folder or damage a file.
   */
  public static FolderObjects ofSoleWriter(Path root) {
    return new FolderObjects(root, new HashMap<>());
  }

  /** An entry of a list. */
  public record Entry(String key, long bytes, String tag) {}

  /** An object as it was at one moment. */
  public record Reading(String tag, long bytes, InputStream content) {}

  /** The file of an object. */
  public Path file(String key) {
    // Some clients write empty objects in place of folders.
    return root.resolve(key.endsWith("/") ? key + FOLDER : key);
  }

  private String key(Path file) {
    String path = root.relativize(file).toString();
    return path.endsWith("/" + FOLDER) ? path.substring(0, path.length() - FOLDER.length()) : path;
  }

  /** Every object whose key begins with a prefix, in the order of keys. */
  public List<Entry> list(String prefix) throws IOException {
    synchronized (ONE_AT_A_TIME) {
      List<Entry> found = new ArrayList<>();
      for (String key : keys()) {
        if (key.startsWith(prefix)) {
          found.add(new Entry(key, Files.size(file(key)), tag(key)));
        }
      }
      return found;
    }
  }

  private Set<String> keys() throws IOException {
    Set<String> keys = new TreeSet<>();
    try (Stream<Path> files = Files.walk(root)) {
      files.filter(Files::isRegularFile).forEach(file -> keys.add(key(file)));
    }
    return keys;
  }

  private static String tag(byte[] content) {
    return "\"" + DigestUtils.md5Hex(content) + "\"";
  }

  private String tag(String key) throws IOException {
    String known = tags == null ? null : tags.get(key);
    if (known != null) {
      return known;
    }
    String tag = tag(Files.readAllBytes(file(key)));
    remember(key, tag);
    return tag;
  }

  private void remember(String key, String tag) {
    if (tags != null) {
      tags.put(key, tag);
    }
  }

  /**
   * Reads an object of any size.
   *
   * @throws NoSuchFileException if there is none
   */
  public Reading read(String key) throws IOException {
    synchronized (ONE_AT_A_TIME) {
      Path file = file(key);
      if (!Files.isRegularFile(file)) {
        throw new NoSuchFileException(key);
      }
      long bytes = Files.size(file);
      if (tags != null && bytes > MOST_BYTES_AT_ONCE) {
        return new Reading(tag(key), bytes, Files.newInputStream(file));
      }
      byte[] content = Files.readAllBytes(file);
      return new Reading(tag(content), content.length, new ByteArrayInputStream(content));
    }
  }

  /**
   * Writes an object.
   *
   * @param condition condition on the current tag, which is empty if there is no such object
   * @return its new tag; empty if the condition does not hold, so that nothing is written
   */
  public Optional<String> put(String key, byte[] content, Predicate<Optional<String>> condition)
      throws IOException {
    synchronized (ONE_AT_A_TIME) {
      Path file = file(key);
      Optional<String> now = Files.isRegularFile(file) ? Optional.of(tag(key)) : Optional.empty();
      if (!condition.test(now)) {
        return Optional.empty();
      }
      Files.createDirectories(Objects.requireNonNull(file.getParent()));
      Files.write(file, content);
      String tag = tag(content);
      remember(key, tag);
      return Optional.of(tag);
    }
  }

  /** Deletes an object, if it is there. */
  public void delete(String key) throws IOException {
    synchronized (ONE_AT_A_TIME) {
      Path file = file(key);
      Files.deleteIfExists(file);
      if (tags != null) {
        tags.remove(key);
      }
      deleteEmpty(Objects.requireNonNull(file.getParent()));
    }
  }

  /** An object store has no folders, so those without files go. */
  private void deleteEmpty(Path folder) throws IOException {
    Path each = folder;
    while (!each.equals(root) && Files.isDirectory(each)) {
      try (Stream<Path> left = Files.list(each)) {
        if (left.findAny().isPresent()) {
          return;
        }
      }
      Files.delete(each);
      each = Objects.requireNonNull(each.getParent());
    }
  }
}
