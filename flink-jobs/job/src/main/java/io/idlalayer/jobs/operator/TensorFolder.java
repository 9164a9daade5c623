package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.memory.device.DeviceFailureException;
import io.idlalayer.modelcontroller.engine.memory.TensorDevices;
import io.idlalayer.modelcontroller.engine.memory.TensorPlacement;
import io.idlalayer.modelcontroller.engine.memory.TensorSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The folder of an application's slow tensors, and what one of its trainings may have. */
record TensorFolder(TensorSettings settings) implements TensorPlacement {
  /** Less is of no use: not even the arguments of small kernels find room. */
  static final long LEAST_FAST_BYTES = 1 << 16;

  /**
   * @param trainings most that run at a time in this process, at least 1
   * @throws IllegalArgumentException if they would have too little each
   */
  static TensorFolder of(ApplicationSettings application, String defaultDirectory, int trainings) {
    ApplicationSettings.Tensors tensors = application.memory().tensors();
    String named = tensors.slowDirectory();
    Path directory = Path.of(named == null ? defaultDirectory : named).toAbsolutePath();
    TensorSettings all =
        new TensorSettings(tensors.fastBytes(), directory, tensors.slowBytes(), tensors.policy());
    return new TensorFolder(all.part(trainings, LEAST_FAST_BYTES));
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
