package io.idlalayer.benchmarks.serving;

import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.storage.ModelSource.StoredPointer;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Makes versions of partition 0 of the application "app" the newest, one after the other. One
 * thread.
 */
abstract class NewestVersion {
  /** Makes versions. */
  @FunctionalInterface
  interface Drafts {
    ModelDraft next(@Nullable ModelCheckpoint parent, int number) throws IOException;
  }

  private NewestVersion() {}

  /** What takes long and need not wait for its time; returns what is left to be done then. */
  abstract Change prepare(int number) throws IOException;

  /** Makes a version the newest. */
  @FunctionalInterface
  interface Change {
    void run() throws IOException;
  }

  /** Publishes each version when it is to be the newest. */
  static NewestVersion published(ModelPublisher publisher, Drafts drafts, ModelCheckpoint first) {
    return new NewestVersion() {
      private ModelCheckpoint last = first;

      @Override
      Change prepare(int number) throws IOException {
        ModelDraft draft = drafts.next(last, number);
        return () -> last = publisher.publish(draft);
      }
    };
  }

  /**
   * Publishes all versions now, as another machine would have; only the pointer changes later. It
   * names the first version again when this returns.
   *
   * @param most versions after the first
   */
  static NewestVersion publishedBefore(
      ModelStore models, ModelPublisher publisher, Drafts drafts, ModelCheckpoint first, int most)
      throws IOException {
    List<StoredPointer> pointers = new ArrayList<>();
    pointers.add(pointer(models));
    ModelCheckpoint last = first;
    for (int number = 2; number <= most + 1; number++) {
      last = publisher.publish(drafts.next(last, number));
      pointers.add(pointer(models));
    }
    replace(pointers.get(0));
    return new NewestVersion() {
      @Override
      Change prepare(int number) {
        return () -> replace(pointers.get(number - 1));
      }
    };
  }

  private static StoredPointer pointer(ModelStore models) throws IOException {
    return models.source().pointer(new ApplicationPartition("app", 0)).orElseThrow();
  }

  private static void replace(StoredPointer pointer) throws IOException {
    Path file = Path.of(pointer.address());
    Path next = Files.write(file.resolveSibling("next"), pointer.content());
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Makes the versions from the second on the newest, one each second. */
  final void changeEverySecond(int most, AtomicBoolean ended) {
    try {
      long begin = System.nanoTime();
      for (int i = 1; i <= most && !ended.get(); i++) {
        Change change = prepare(i + 1);
        long due = begin + TimeUnit.SECONDS.toNanos(i);
        LockSupport.parkNanos(Math.max(0, due - System.nanoTime()));
        if (!ended.get()) {
          change.run();
        }
      }
    } catch (IOException failed) {
      throw new IllegalStateException(failed);
    }
  }
}
