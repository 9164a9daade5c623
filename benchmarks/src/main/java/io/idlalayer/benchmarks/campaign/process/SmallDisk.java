package io.idlalayer.benchmarks.campaign.process;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file system of its own in a folder, which can be full, read-only or gone. Needs root.
 *
 * @param folder where it is mounted
 */
public record SmallDisk(Path folder, int mebibytes) {
  /** Mounts it, empty; returns false where this process may not. */
  public boolean mount() throws IOException, InterruptedException {
    Files.createDirectories(folder);
    return command(
        "mount",
        "-t",
        "tmpfs",
        "-o",
        "size=" + mebibytes + "m",
        "idla-campaign",
        folder.toString());
  }

  /** Unmounts the disk, even while processes use it; returns false if that is refused. */
  public boolean unmount() throws IOException, InterruptedException {
    return command("umount", "-l", folder.toString());
  }

  /**
   * Makes it read-only or not; returns false if that is refused, as it is while a file is open for
   * writing.
   */
  public boolean readOnly(boolean readOnly) throws IOException, InterruptedException {
    return command("mount", "-o", readOnly ? "remount,ro" : "remount,rw", folder.toString());
  }

  private Path ballast() {
    return folder.resolve("ballast");
  }

  /** Writes a file until there is no room. */
  public void fill() {
    try (OutputStream out = Files.newOutputStream(ballast())) {
      byte[] block = new byte[1 << 16];
      while (true) {
        out.write(block);
      }
    } catch (IOException nowFull) {
      // As it was to be.
      return;
    }
  }

  /** Deletes that file. */
  public void empty() throws IOException {
    Files.deleteIfExists(ballast());
  }

  /** Runs a command of the system; returns false if it fails or is missing. */
  public static boolean command(String... command) throws IOException, InterruptedException {
    try {
      return new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException missing) {
      return false;
    }
  }
}
