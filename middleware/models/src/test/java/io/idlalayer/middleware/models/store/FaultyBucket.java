package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.storage.object.ObjectBucket;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A bucket until a chosen request, which has no effect, its whole effect but no answer, or its
 * effect only some requests later. Then the caller is "dead", and every later request fails too, or
 * it goes on.
 */
public final class FaultyBucket implements ObjectBucket {
  /** What becomes of the request. */
  public enum Fate {
    NOTHING,
    ALL,
    LATE
  }

  /**
   * Number of requests before which a delayed request takes effect; at the latest it does at the
   * end.
   */
  private static final int DELAY = 3;

  private final ObjectBucket real;
  private final int faulty;
  private final Fate fate;
  private final boolean deadly;
  private int requests;
  private int lateAt = Integer.MAX_VALUE;
  private final Deque<Request<?>> late = new ArrayDeque<>();

  /** Told what is about to be done, as "put", and to which key. */
  BiConsumer<String, String> before = (what, key) -> {};

  public FaultyBucket(ObjectBucket real, int faulty, Fate fate, boolean deadly) {
    this.real = real;
    this.faulty = faulty;
    this.fate = fate;
    this.deadly = deadly;
  }

  /** One that never fails. */
  static FaultyBucket never(ObjectBucket real) {
    return new FaultyBucket(real, Integer.MAX_VALUE, Fate.NOTHING, false);
  }

  /** Whether the request has come. */
  public boolean failed() {
    return requests > faulty;
  }

  /** Lets a request that is still on its way arrive. */
  public void arrive() throws IOException {
    while (!late.isEmpty()) {
      late.remove().run();
    }
  }

  private interface Request<T> {
    T run() throws IOException;
  }

  private <T> T run(String what, String key, Request<T> request) throws IOException {
    before.accept(what, key);
    int now = requests++;
    if (now >= lateAt) {
      arrive();
    }
    if (now < faulty || (now > faulty && !deadly)) {
      return request.run();
    }
    if (now == faulty && fate == Fate.ALL) {
      request.run();
    } else if (now == faulty && fate == Fate.LATE) {
      late.add(request);
      lateAt = now + DELAY;
    }
    throw new IOException("no answer to " + what + " of " + key);
  }

  @Override
  public String address() {
    return real.address();
  }

  @Override
  public List<Listed> list(String prefix) throws IOException {
    return run("list", prefix, () -> real.list(prefix));
  }

  @Override
  public List<String> folders(String prefix) throws IOException {
    return run("list", prefix, () -> real.folders(prefix));
  }

  @Override
  public Optional<StoredObject> get(String key, @Nullable StoredObject known) throws IOException {
    return run("get", key, () -> real.get(key, known));
  }

  @Override
  public InputStream open(String key, long from) throws IOException {
    return run("get", key, () -> real.open(key, from));
  }

  @Override
  public Optional<String> put(String key, byte[] content, Condition condition) throws IOException {
    return run("put", key, () -> real.put(key, content, condition));
  }

  @Override
  public long upload(String key, Path file, MessageDigest digest) throws IOException {
    byte[] content = java.nio.file.Files.readAllBytes(file);
    digest.update(content);
    run("put", key, () -> real.put(key, content, new Condition.Always()));
    return content.length;
  }

  @Override
  public void delete(String key) throws IOException {
    run(
        "delete",
        key,
        () -> {
          real.delete(key);
          return key;
        });
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
