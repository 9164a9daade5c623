package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.storage.ModelSource;
import io.idlalayer.middleware.models.storage.object.ObjectBucket;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.commons.codec.digest.DigestUtils;
import org.jspecify.annotations.Nullable;

/**
 * An object store in a folder, with a file for each object, which tests can damage. Tags are those
 * of S3: the MD5 of the content.
 */
public final class FolderBucket implements ObjectBucket {
  /** Writes and readings follow one another, whoever does them. */
  private static final Object ONE_AT_A_TIME = new Object();

  /** What is larger is sent while it is read; models write such objects once. */
  private static final int MOST_BYTES_AT_ONCE = 1 << 20;

  private final Path root;

  /** By key; null if each is taken from what the file has now. */
  private final @Nullable Map<String, String> tags;

  public FolderBucket(Path root) {
    this(root, null);
  }

  private FolderBucket(Path root, @Nullable Map<String, String> tags) {
    this.root = root;
    this.tags = tags;
  }

  /**
   * Remembers tags, as object stores do, so that a list reads no content. For experiments: nobody
   * else may write into the folder or damage a file.
   */
  public static FolderBucket ofSoleWriter(Path root) {
    return new FolderBucket(root, new HashMap<>());
  }

  /** The file of what has this address. */
  public Path file(String address) {
    return root.resolve(address.substring(address().length() + 1));
  }

  @Override
  public String address() {
    return "s3://bucket/models";
  }

  @Override
  public List<Listed> list(String prefix) throws IOException {
    synchronized (ONE_AT_A_TIME) {
      List<Listed> found = new ArrayList<>();
      for (String key : keys()) {
        if (key.startsWith(prefix)) {
          found.add(new Listed(key, Files.size(root.resolve(key)), tag(key)));
        }
      }
      return found;
    }
  }

  private Set<String> keys() throws IOException {
    TreeSet<String> keys = new TreeSet<>();
    try (Stream<Path> files = Files.walk(root)) {
      files
          .filter(Files::isRegularFile)
          .forEach(file -> keys.add(root.relativize(file).toString()));
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
    String tag = tag(Files.readAllBytes(root.resolve(key)));
    remember(key, tag);
    return tag;
  }

  private void remember(String key, String tag) {
    if (tags != null) {
      tags.put(key, tag);
    }
  }

  @Override
  public List<String> folders(String prefix) throws IOException {
    TreeSet<String> names = new TreeSet<>();
    for (Listed each : list(prefix)) {
      String rest = each.key().substring(prefix.length());
      int slash = rest.indexOf('/');
      if (slash > 0) {
        names.add(rest.substring(0, slash));
      }
    }
    return List.copyOf(names);
  }

  @Override
  public Optional<StoredObject> get(String key, @Nullable StoredObject known) throws IOException {
    synchronized (ONE_AT_A_TIME) {
      Path file = root.resolve(key);
      if (!Files.isRegularFile(file)) {
        return Optional.empty();
      }
      if (Files.size(file) > ModelSource.LARGEST_TEXT_BYTES) {
        throw new CorruptModelException(address(key) + " is too large");
      }
      byte[] content = Files.readAllBytes(file);
      return Optional.of(
          known != null && known.tag().equals(tag(content))
              ? known
              : new StoredObject(tag(content), content));
    }
  }

  /** An object as it was at one moment. */
  public record Reading(String tag, long bytes, InputStream content) {}

  /**
   * Reads an object of any size.
   *
   * @throws NoSuchFileException if there is none
   */
  public Reading read(String key) throws IOException {
    synchronized (ONE_AT_A_TIME) {
      Path file = root.resolve(key);
      if (!Files.isRegularFile(file)) {
        throw new NoSuchFileException(address(key));
      }
      long bytes = Files.size(file);
      if (tags != null && bytes > MOST_BYTES_AT_ONCE) {
        return new Reading(tag(key), bytes, Files.newInputStream(file));
      }
      byte[] content = Files.readAllBytes(file);
      return new Reading(tag(content), content.length, new ByteArrayInputStream(content));
    }
  }

  @Override
  public InputStream open(String key, long from) throws IOException {
    Reading reading = read(key);
    reading.content().skipNBytes(Math.min(from, reading.bytes()));
    return reading.content();
  }

  @Override
  public Optional<String> put(String key, byte[] content, Condition condition) throws IOException {
    synchronized (ONE_AT_A_TIME) {
      Path file = root.resolve(key);
      Optional<String> now = Files.isRegularFile(file) ? Optional.of(tag(key)) : Optional.empty();
      boolean holds =
          condition instanceof Condition.Absent
              ? now.isEmpty()
              : !(condition instanceof Condition.Matches matches)
                  || now.equals(Optional.of(matches.tag()));
      if (!holds) {
        return Optional.empty();
      }
      Files.createDirectories(file.getParent());
      Files.write(file, content);
      String tag = tag(content);
      remember(key, tag);
      return Optional.of(tag);
    }
  }

  @Override
  public long upload(String key, Path file, MessageDigest digest) throws IOException {
    byte[] content = Files.readAllBytes(file);
    digest.update(content);
    put(key, content, new Condition.Always());
    return content.length;
  }

  @Override
  public void delete(String key) throws IOException {
    synchronized (ONE_AT_A_TIME) {
      Path file = root.resolve(key);
      Files.deleteIfExists(file);
      if (tags != null) {
        tags.remove(key);
      }
      // An object store has no folders.
      Path above = file.getParent();
      try (Stream<Path> left = Files.isDirectory(above) ? Files.list(above) : Stream.of(above)) {
        if (left.findAny().isEmpty()) {
          Files.delete(above);
        }
      }
    }
  }

  @Override
  public void abandonUploads(String prefix, Predicate<String> keys) {
    // Nothing is written in parts.
  }

  @Override
  public void close() {
    // Nothing is open.
  }
}
