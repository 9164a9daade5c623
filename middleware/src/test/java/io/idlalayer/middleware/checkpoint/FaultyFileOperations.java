package io.idlalayer.middleware.checkpoint;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The real file system until a chosen step. At that step the machine "dies": the step has no
 * effect, half of it (writes) or all of it, and every later step throws, clean-up included.
 */
final class FaultyFileOperations implements FileOperations {
  enum Fate {
    NOTHING,
    HALF,
    ALL
  }

  private final FileOperations real = FileOperations.system();
  private final int deadlyStep;
  private final Fate fate;
  private int step;

  FaultyFileOperations(int deadlyStep, Fate fate) {
    this.deadlyStep = deadlyStep;
    this.fate = fate;
  }

  boolean died() {
    return step > deadlyStep;
  }

  private interface Step {
    void run() throws IOException;
  }

  private void run(Step whole, Step half) throws IOException {
    int now = step++;
    if (now < deadlyStep) {
      whole.run();
      return;
    }
    if (now == deadlyStep && fate == Fate.ALL) {
      whole.run();
    } else if (now == deadlyStep && fate == Fate.HALF) {
      half.run();
    }
    throw new IOException("No space left on device");
  }

  @Override
  public void write(Path file, byte[] content) throws IOException {
    run(
        () -> real.write(file, content),
        () -> real.write(file, Arrays.copyOf(content, content.length / 2)));
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
