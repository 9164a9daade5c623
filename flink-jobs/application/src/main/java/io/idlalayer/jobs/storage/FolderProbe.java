package io.idlalayer.jobs.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Checks whether folders can be written at this moment: writes, syncs and deletes a small file in
 * each folder. So it finds the cause of a failure whose text does not name the cause. Thread-safe.
 */
public final class FolderProbe {
  private static final int BYTES = 1 << 16;

  /** Free bytes below which a folder counts as full although a small file fits. */
  static final long FEW_BYTES = 4L << 20;

  private final Disk disk;

  /** The file system as the probe sees it. */
  interface Disk {
    /** Writes and deletes a small file in a folder. */
    void tryOut(Path folder) throws IOException;

    /** Returns the bytes that this user can still write in a folder. */
    long freeBytes(Path folder) throws IOException;
  }

  public FolderProbe() {
    this(new RealDisk());
  }

  FolderProbe(Disk disk) {
    this.disk = disk;
  }

  /** Returns the first fault of these folders; empty if all of them can be written. */
  public Optional<StorageFault> look(List<Path> folders) {
    for (Path folder : folders) {
      Optional<StorageFault> fault = look(folder);
      if (fault.isPresent()) {
        return fault;
      }
    }
    return Optional.empty();
  }

  private Optional<StorageFault> look(Path folder) {
    try {
      disk.tryOut(folder);
      long free = disk.freeBytes(folder);
      return free >= FEW_BYTES
          ? Optional.empty()
          : Optional.of(new StorageFault(StorageCause.FULL, folder, few(free)));
    } catch (IOException failed) {
      // The message must name the folder, not the file of the probe.
      StorageFault fault = StorageFault.of(failed).orElse(null);
      return fault == null
          ? Optional.of(unnamed(folder, failed))
          : Optional.of(new StorageFault(fault.cause(), folder, fault.detail()));
    }
  }

  /**
   * Returns the fault for a failure whose message is not in English. A full disk is recognised by
   * its free bytes.
   */
  private StorageFault unnamed(Path folder, IOException failed) {
    try {
      long free = disk.freeBytes(folder);
      if (free < FEW_BYTES) {
        return new StorageFault(StorageCause.FULL, folder, few(free));
      }
    } catch (IOException notEvenThat) {
      failed.addSuppressed(notEvenThat);
    }
    return new StorageFault(StorageCause.DEVICE, folder, String.valueOf(failed.getMessage()));
  }

  private static String few(long free) {
    return (free >> 10) + " KiB left";
  }

  private static final class RealDisk implements Disk {
    @Override
    public void tryOut(Path folder) throws IOException {
      Path file = folder.resolve(".probe-" + UUID.randomUUID());
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        ByteBuffer left = ByteBuffer.allocate(BYTES);
        while (left.hasRemaining()) {
          channel.write(left);
        }
        channel.force(true);
      } finally {
        Files.deleteIfExists(file);
      }
    }

    @Override
    public long freeBytes(Path folder) throws IOException {
      return Files.getFileStore(folder).getUsableSpace();
    }
  }
}
