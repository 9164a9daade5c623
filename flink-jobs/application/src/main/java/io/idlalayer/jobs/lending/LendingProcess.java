package io.idlalayer.jobs.lending;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

/**
 * A process that lends or borrows memory.
 *
 * @param machine processes of one machine can reach each other's loopback addresses; two containers
 *     with networks of their own are two machines
 * @param name no two processes of a machine have the same
 */
record LendingProcess(String machine, String name) {
  private static final int MOST_CHARACTERS = 200;
  private static final Path NETWORK = Path.of("/proc/self/ns/net");
  private static final Path PROCESSES = Path.of("/proc/self/ns/pid");
  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

  /** This process. Its name never changes, whatever the name service says later. */
  static final LendingProcess CURRENT = current();

  LendingProcess {
    if (invalid(machine) || invalid(name)) {
      throw new IllegalArgumentException("a process needs a machine and a name without spaces");
    }
  }

  private static boolean invalid(String text) {
    return text.isEmpty()
        || text.length() > MOST_CHARACTERS
        || text.chars().anyMatch(c -> Character.isWhitespace(c) || Character.isISOControl(c));
  }

  private static LendingProcess current() {
    ProcessHandle process = ProcessHandle.current();
    Instant start = process.info().startInstant().orElse(Instant.EPOCH);
    String name = process.pid() + "@" + start.toEpochMilli();
    try {
      return new LendingProcess(
          Files.readString(BOOT).strip() + "/" + Files.readSymbolicLink(NETWORK),
          name + "/" + Files.readSymbolicLink(PROCESSES));
    } catch (IOException | IllegalArgumentException | UnsupportedOperationException noLinux) {
      return new LendingProcess(host(), name);
    }
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException unknown) {
      return "localhost";
    }
  }
}
