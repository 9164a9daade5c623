package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.memory.DeviceFailureException;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.modelcontroller.engine.memory.TensorPlacement;
import io.idlalayer.modelcontroller.engine.memory.TensorSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The folder and the settings of the tensor memory in which an application's trainers work. */
record TensorFolder(ApplicationSettings.Tensors settings, Path directory)
    implements TensorPlacement {

  /** Null if tensors are not placed, but all are in DRAM. */
  static @Nullable TensorPlacement of(
      ApplicationSettings.Tensors settings, String defaultDirectory) {
    String named = settings.slowDirectory();
    Path directory = Path.of(named == null ? defaultDirectory : named).toAbsolutePath();
    return settings.placed() ? new TensorFolder(settings, directory) : null;
  }

  @Override
  public PlacedMemory open() {
    try {
      Files.createDirectories(directory);
    } catch (IOException refused) {
      throw new DeviceFailureException(
          "the directory %s of memory.tensors cannot be made: %s".formatted(directory, refused),
          refused);
    }
    return new TensorSettings(
            settings.fastBytes(), directory, settings.slowBytes(), settings.policy())
        .open();
  }
}
