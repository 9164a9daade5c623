package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.manifest.StoreLayout;
import io.idlalayer.middleware.models.storage.folder.FileOperations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The real file system until a chosen step, which has no effect, half of it (writes) or all of it,
 * and throws. Of files that are written together some are there, others in part, others not. Then
 * the machine is "dead", and every later step throws too, or it goes on.
 */
final class FaultyFileOperations implements FileOperations {
  enum Fate {
    NOTHING,
    HALF,
    /** All but the first of the files that are written together; otherwise like {@link #HALF}. */
    ALL_BUT_FIRST,
    /** Only the first of the files that are written together; otherwise like {@link #HALF}. */
    FIRST,
    ALL
  }

  private final FileOperations real = FileOperations.system();
  private int faultyStep;
  private final Fate fate;
  private final boolean deadly;
  private int step;

  FaultyFileOperations(int faultyStep, Fate fate, boolean deadly) {
    this.faultyStep = faultyStep;
    this.fate = fate;
    this.deadly = deadly;
  }

  /** Chooses the step anew, counted from now on. */
  void failAfter(int steps) {
    faultyStep = step + steps;
  }

  /** Whether the step has come. */
  boolean failed() {
    return step > faultyStep;
  }

  private interface Step {
    void run() throws IOException;
  }

  private void run(Step whole, Step half) throws IOException {
    int now = step++;
    if (now < faultyStep || (now > faultyStep && !deadly)) {
      whole.run();
      return;
    }
    if (now == faultyStep && fate == Fate.ALL) {
      whole.run();
    } else if (now == faultyStep && fate != Fate.NOTHING) {
      half.run();
    }
    throw new IOException("No space left on device");
  }

  @Override
  public void createFolder(Path folder) throws IOException {
    run(() -> real.createFolder(folder), () -> {});
  }

  @Override
  public void write(Path file, byte[] content) throws IOException {
    run(
        () -> real.write(file, content),
        () -> real.write(file, Arrays.copyOf(content, content.length / 2)));
  }

  @Override
  public void write(Map<Path, byte[]> files) throws IOException {
    Map<Path, byte[]> some = new LinkedHashMap<>();
    files.forEach(
        (file, content) -> {
          boolean first = file.equals(files.keySet().iterator().next());
          // By half, the manifest is there in part, and the others are not.
          if (fate == Fate.HALF && file.endsWith(StoreLayout.MANIFEST)) {
            some.put(file, Arrays.copyOf(content, content.length / 2));
          } else if (fate == (first ? Fate.FIRST : Fate.ALL_BUT_FIRST)) {
            some.put(file, content);
          }
        });
    run(() -> real.write(files), () -> real.write(some));
  }

  @Override
  public long copy(Path from, Path to, MessageDigest digest) throws IOException {
    long[] bytes = {0};
    byte[] content = Files.readAllBytes(from);
    run(
        () -> bytes[0] = real.copy(from, to, digest),
        () -> real.write(to, Arrays.copyOf(content, content.length / 2)));
    return bytes[0];
  }

  @Override
  public void syncFolder(Path folder) throws IOException {
    run(() -> real.syncFolder(folder), () -> {});
  }

  @Override
  public void move(Path from, Path to) throws IOException {
    run(() -> real.move(from, to), () -> {});
  }

  @Override
  public void delete(Path file) throws IOException {
    run(() -> real.delete(file), () -> {});
  }
}
