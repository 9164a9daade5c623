package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.storage.ModelSource;
import io.idlalayer.middleware.models.storage.object.ObjectBucket;
import io.idlalayer.testkit.FolderObjects;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** An object store in a folder, with a file for each object, which tests can damage. */
final class FolderBucket implements ObjectBucket {
  private final FolderObjects objects;

  FolderBucket(Path root) {
    objects = new FolderObjects(root);
  }

  /** The file of what has this address. */
  Path file(String address) {
    return objects.file(address.substring(address().length() + 1));
  }

  @Override
  public String address() {
    return "s3://bucket/models";
  }

  @Override
  public List<Listed> list(String prefix) throws IOException {
    return objects.list(prefix).stream()
        .map(each -> new Listed(each.key(), each.bytes(), each.tag()))
        .toList();
  }

  @Override
  public List<String> folders(String prefix) throws IOException {
    TreeSet<String> names = new TreeSet<>();
    for (FolderObjects.Entry each : objects.list(prefix)) {
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
    FolderObjects.Reading object;
    try {
      object = objects.read(key);
    } catch (NoSuchFileException missing) {
      return Optional.empty();
    }
    if (object.bytes() > ModelSource.LARGEST_TEXT_BYTES) {
      throw new CorruptModelException(address(key) + " is too large");
    }
    try (InputStream content = object.content()) {
      return Optional.of(
          known != null && known.tag().equals(object.tag())
              ? known
              : new StoredObject(object.tag(), content.readAllBytes()));
    }
  }

  @Override
  public InputStream open(String key, long from) throws IOException {
    FolderObjects.Reading object;
    try {
      object = objects.read(key);
    } catch (NoSuchFileException missing) {
      throw new NoSuchFileException(address(key));
    }
    object.content().skipNBytes(Math.min(from, object.bytes()));
    return object.content();
  }

  @Override
  public Optional<String> put(String key, byte[] content, Condition condition) throws IOException {
    return objects.put(
        key,
        content,
        tag ->
            condition instanceof Condition.Absent
                ? tag.isEmpty()
                : !(condition instanceof Condition.Matches matches)
                    || tag.equals(Optional.of(matches.tag())));
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
    objects.delete(key);
  }

  @Override
  public void abandonUploads(String prefix, Predicate<String> keys) {
    // Nothing is written in parts.
  }

  @Override
  public void close() {}
}
