package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.storage.object.ObjectBucket;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Another bucket, to be changed in one point. */
class DelegatingBucket implements ObjectBucket {
  private final ObjectBucket real;

  DelegatingBucket(ObjectBucket real) {
    this.real = real;
  }

  @Override
  public String address() {
    return real.address();
  }

  @Override
  public List<Listed> list(String prefix) throws IOException {
    return real.list(prefix);
  }

  @Override
  public List<String> folders(String prefix) throws IOException {
    return real.folders(prefix);
  }

  @Override
  public Optional<StoredObject> get(String key, @Nullable StoredObject known) throws IOException {
    return real.get(key, known);
  }

  @Override
  public InputStream open(String key, long from) throws IOException {
    return real.open(key, from);
  }

  @Override
  public Optional<String> put(String key, byte[] content, Condition condition) throws IOException {
    return real.put(key, content, condition);
  }

  @Override
  public long upload(String key, Path file, MessageDigest digest) throws IOException {
    return real.upload(key, file, digest);
  }

  @Override
  public void delete(String key) throws IOException {
    real.delete(key);
  }

  @Override
  public void abandonUploads(String prefix, Predicate<String> keys) throws IOException {
    real.abandonUploads(prefix, keys);
  }

  @Override
  public void close() {
    real.close();
  }
}
