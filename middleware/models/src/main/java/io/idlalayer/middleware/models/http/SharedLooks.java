package io.idlalayer.middleware.models.http;

import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.storage.ForwardingSource;
import io.idlalayer.middleware.models.storage.ModelSource;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A model source for expensive reads, such as those of an object store, in a server with many
 * clients: all callers that read one pointer, pin, aliases, manifest or list of files within a
 * short time share one read. Their answer is never older than that time. Failures are not kept.
 * Lists of applications and versions, and contents of files, are passed on one by one.
 */
public final class SharedLooks extends ForwardingSource {
  /**
   * Usual maximum age of a shared answer. It is short compared with the time between two looks of a
   * subscriber at an object store.
   */
  public static final Duration USUAL_AGE = Duration.ofMillis(250);

  private static final int MOST_KEPT = 256;
  private static final int LARGEST_KEPT_BYTES = 64 << 10;
  private static final int MOST_KEPT_NAMES = 1_000;

  private final SharedAnswers<Beside, Optional<StoredPointer>> besides;
  private final SharedAnswers<Version, byte[]> manifests;
  private final SharedAnswers<Version, SortedMap<String, Long>> files;

  /** Key of a small file beside the versions. */
  private record Beside(ApplicationPartition of, String name) {}

  /**
   * @param digest digest that the version's manifest is expected to have, null for none
   */
  private record Version(ApplicationPartition of, long number, @Nullable String digest) {}

  /**
   * @param source the models; the caller closes it
   * @param mostAge maximum age of an answer, counted from the start of the read
   * @param nanoClock a monotonic clock, such as {@link System#nanoTime}
   */
  public SharedLooks(ModelSource source, Duration mostAge, LongSupplier nanoClock) {
    super(source);
    long nanos = mostAge.toNanos();
    besides =
        new SharedAnswers<>(
            nanos,
            MOST_KEPT,
            found -> found.isEmpty() || found.get().content().length <= LARGEST_KEPT_BYTES,
            nanoClock);
    manifests =
        new SharedAnswers<>(
            nanos, MOST_KEPT, found -> found.length <= LARGEST_KEPT_BYTES, nanoClock);
    files =
        new SharedAnswers<>(nanos, MOST_KEPT, found -> found.size() <= MOST_KEPT_NAMES, nanoClock);
  }

  @Override
  public Optional<StoredPointer> pointer(ApplicationPartition of) throws IOException {
    return besides.answer(new Beside(of, POINTER), () -> source.pointer(of));
  }

  @Override
  public Optional<StoredPointer> pin(ApplicationPartition of) throws IOException {
    return besides.answer(new Beside(of, PIN), () -> source.pin(of));
  }

  @Override
  public Optional<StoredPointer> aliases(ApplicationPartition of) throws IOException {
    return besides.answer(new Beside(of, ALIASES), () -> source.aliases(of));
  }

  @Override
  public byte[] manifest(ApplicationPartition of, long version, @Nullable String digest)
      throws IOException {
    return manifests
        .answer(new Version(of, version, digest), () -> source.manifest(of, version, digest))
        .clone();
  }

  @Override
  public SortedMap<String, Long> files(ApplicationPartition of, long version) throws IOException {
    return files.answer(
        new Version(of, version, null),
        () -> Collections.unmodifiableSortedMap(source.files(of, version)));
  }
}
