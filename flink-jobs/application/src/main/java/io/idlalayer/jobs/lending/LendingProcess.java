package io.idlalayer.jobs.lending;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;

/** The name of this process among those that lend and borrow memory. */
final class LendingProcess {
  private LendingProcess() {}

  /** Returns the name: host, process id and start time, so that no other process has it. */
  static String name() {
    ProcessHandle process = ProcessHandle.current();
    Instant start = process.info().startInstant().orElse(Instant.EPOCH);
    return host() + "/" + process.pid() + "/" + start.toEpochMilli();
  }

  /** Returns whether two processes run on the same machine, by their names. */
  static boolean onOneHost(String process, String other) {
    return process
        .substring(0, Math.max(0, process.indexOf('/')))
        .equals(other.substring(0, Math.max(0, other.indexOf('/'))));
  }

  /** Returns the name under which other machines reach this one, as far as it knows. */
  static String host() {
    try {
      return InetAddress.getLocalHost().getCanonicalHostName();
    } catch (UnknownHostException unknown) {
      return "localhost";
    }
  }
}
