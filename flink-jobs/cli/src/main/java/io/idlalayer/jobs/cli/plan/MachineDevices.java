package io.idlalayer.jobs.cli.plan;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.memory.device.Arena;
import io.idlalayer.middleware.memory.device.DeviceFailureException;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceProbe;
import io.idlalayer.middleware.memory.device.DeviceProfile;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.device.DirectArena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/** Measures the fast and the slow memory of this machine. */
final class MachineDevices {
  private static final long PROBED_BYTES = 64L << 20;
  private static final int REPEATS = 3;
  private static final DeviceSpeed UNKNOWN = DeviceSpeed.symmetric(1, 0);

  private MachineDevices() {}

  /** Measures the fast memory. */
  static DeviceProfile fast(LongSupplier nanoTime) {
    DeviceSpec spec = new DeviceSpec("dram", DeviceKind.FAST, PROBED_BYTES, UNKNOWN);
    try (Arena arena = new DirectArena(spec)) {
      return DeviceProfile.measure(spec, arena, probe(nanoTime));
    }
  }

  /**
   * Measures the slow device of an application with an unnamed file of 64 MiB: in the application's
   * folder for tensors, else in the folder for temporary files.
   *
   * @throws UsageException if there is no such folder on this machine, or no space in it
   */
  static DeviceProfile slow(ApplicationSettings settings, LongSupplier nanoTime) {
    String named = settings.memory().tensors().slowDirectory();
    Path folder = Path.of(named == null ? System.getProperty("java.io.tmpdir") : named);
    String where = named == null ? "folder for temporary files" : "memory.tensors.slow-directory";
    if (!Files.isDirectory(folder) || !Files.isWritable(folder)) {
      throw new UsageException(
          "%s %s is no folder of this machine that can be written: give the device with --device"
              .formatted(where, folder));
    }
    DeviceSpec spec = new DeviceSpec("slow", DeviceKind.SLOW, PROBED_BYTES, UNKNOWN);
    try (Arena arena = settings.memory().tensors().access().open(spec, folder)) {
      return DeviceProfile.measure(spec, arena, probe(nanoTime));
    } catch (DeviceFailureException failed) {
      throw new UsageException(
          "%s %s cannot be measured: %s; give the device with --device"
              .formatted(where, folder, failed.getMessage()));
    }
  }

  private static DeviceProbe probe(LongSupplier nanoTime) {
    return new DeviceProbe(PROBED_BYTES, REPEATS, nanoTime);
  }
}
