package io.idlalayer.benchmarks.campaign.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Listening TCP sockets of a process, as Linux shows them. */
public final class Sockets {
  private static final String LISTEN = "0A";

  private Sockets() {}

  /** Addresses and ports, in hexadecimal as in {@code /proc/net}, that other hosts can reach. */
  public static List<String> openToOthers(long pid) throws IOException {
    Set<String> own = inodes(Path.of("/proc", Long.toString(pid), "fd"));
    List<String> open = new ArrayList<>();
    for (String table : List.of("tcp", "tcp6")) {
      Path file = Path.of("/proc", Long.toString(pid), "net", table);
      if (!Files.exists(file)) {
        continue;
      }
      for (String line : Files.readAllLines(file)) {
        String[] fields = line.trim().split("\\s+", -1);
        if (fields.length > 9
            && fields[3].equals(LISTEN)
            && own.contains("socket:[" + fields[9] + "]")
            && !loopback(fields[1])) {
          open.add(table + " " + fields[1]);
        }
      }
    }
    return open;
  }

  /** 127.x.y.z, ::1, or the former mapped into IPv6; 32-bit groups are little-endian. */
  public static boolean loopback(String address) {
    String host = address.substring(0, address.indexOf(':'));
    return host.length() == 8
        ? host.endsWith("7F")
        : host.equals("00000000000000000000000001000000")
            || (host.startsWith("0000000000000000FFFF0000") && host.endsWith("7F"));
  }

  private static Set<String> inodes(Path descriptors) throws IOException {
    Set<String> found = new HashSet<>();
    if (!Files.isDirectory(descriptors)) {
      return found;
    }
    try (Stream<Path> entries = Files.list(descriptors)) {
      for (Path entry : entries.toList()) {
        try {
          found.add(Files.readSymbolicLink(entry).toString());
        } catch (IOException closedMeanwhile) {
          // It is not a socket of interest any more.
        }
      }
    }
    return found;
  }
}
