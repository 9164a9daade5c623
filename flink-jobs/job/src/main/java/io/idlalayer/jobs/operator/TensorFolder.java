package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.lending.LendingSettings;
import io.idlalayer.jobs.settings.memory.Tensors;
import io.idlalayer.middleware.cache.budget.FastUse;
import io.idlalayer.middleware.lending.wire.Secret;
import io.idlalayer.middleware.memory.device.DeviceFailureException;
import io.idlalayer.modelcontroller.engine.memory.TensorDevices;
import io.idlalayer.modelcontroller.engine.memory.TensorLoans;
import io.idlalayer.modelcontroller.engine.memory.TensorPlacement;
import io.idlalayer.modelcontroller.engine.memory.TensorSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The folder of an application's slow tensors, and the memory that one of its trainings is allowed
 * to use.
 */
record TensorFolder(TensorSettings settings) implements TensorPlacement {
  /**
   * Least number of bytes in DRAM for a training; with less, not even the arguments of small
   * kernels fit.
   */
  static final long LEAST_FAST_BYTES = 1 << 16;

  /**
   * Returns the folder and the memory for one of an application's trainings.
   *
   * @param trainings largest number of trainings that run at a time in this process, at least 1
   * @throws IllegalArgumentException if each training would have too little memory
   */
  static TensorFolder of(ApplicationSettings application, String defaultDirectory, int trainings) {
    Tensors tensors = application.memory().tensors();
    String named = tensors.slowDirectory();
    Path directory = Path.of(named == null ? defaultDirectory : named).toAbsolutePath();
    // A budget gives the bytes of one learner. Without a budget, the setting gives the bytes of all
    // trainings together.
    int learners = application.memory().divides(FastUse.TENSORS) ? trainings : 1;
    TensorSettings all =
        new TensorSettings(
            learners * tensors.fastBytes(),
            directory,
            tensors.slowBytes(),
            tensors.policy(),
            tensors.access(),
            loans(application));
    return new TensorFolder(all.part(trainings, LEAST_FAST_BYTES));
  }

  private static @Nullable TensorLoans loans(ApplicationSettings application) {
    LendingSettings lending = application.memory().lending();
    return lending.borrows()
        ? TensorLoans.named(
            lending.borrowBytes(),
            lending.lenders(),
            new Secret(lending.token()),
            lending.tls() ? application.kafka().properties() : null,
            lending.order())
        : null;
  }

  @Override
  public TensorDevices devices() {
    try {
      Files.createDirectories(settings.slowDirectory());
    } catch (IOException refused) {
      throw new DeviceFailureException(
          "the directory %s of memory.tensors cannot be made: %s"
              .formatted(settings.slowDirectory(), refused),
          refused);
    }
    return settings.devices();
  }
}
