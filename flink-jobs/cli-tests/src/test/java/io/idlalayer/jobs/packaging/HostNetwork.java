package io.idlalayer.jobs.packaging;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Hosts on this machine: network namespaces of Linux that a bridge joins. This process is one of
 * them, by the address of the bridge. What is sent between two hosts that are cut off from each
 * other vanishes without an answer, as in a network that is down. Needs root and the command {@code
 * ip}.
 */
final class HostNetwork implements AutoCloseable {
  private static final Path IP = Path.of("/usr/sbin/ip");
  private static final long SECONDS = 20;
  private static final int NUMBERS = 200;

  /** An address that no host has: the bridge finds nowhere to bring its packets. */
  private static final String NOWHERE = "02:00:00:00:00:fe";

  private final String name;
  private final String net;
  private final List<Host> hosts = new ArrayList<>();
  private final List<String> cables = new ArrayList<>();

  /**
   * A host.
   *
   * @param address its address in the network
   * @param space its network namespace; "" for that of this process
   * @param device its network device
   */
  record Host(String address, String space, String device) {
    /** The host that a process is on that no namespace was made for. */
    static final Host LOCAL = new Host("127.0.0.1", "", "lo");

    /** Returns the beginning of a command that runs on this host. */
    List<String> command() {
      return space.isEmpty() ? List.of() : List.of(IP.toString(), "netns", "exec", space);
    }
  }

  /** Creates a network with this process as its only host. */
  HostNetwork() throws IOException {
    long number = ProcessHandle.current().pid() % NUMBERS;
    name = "idla" + number;
    net = "10.213." + number + ".";
    ip("link", "add", name, "type", "bridge");
    hosts.add(new Host(net + 1, "", name));
    try {
      ip("addr", "add", net + "1/24", "dev", name);
      ip("link", "set", name, "up");
    } catch (IOException failed) {
      close();
      throw failed;
    }
  }

  /** Returns why there can be no such network here; "" if there can. */
  static String obstacle() {
    if (!Files.isExecutable(IP)) {
      return "there is no " + IP;
    }
    try (HostNetwork network = new HostNetwork()) {
      Host unused = network.add();
      return "";
    } catch (IOException refused) {
      return "network namespaces are not permitted here: " + refused.getMessage();
    }
  }

  /** Returns the host that this process is. */
  Host self() {
    return hosts.get(0);
  }

  /** Adds a host. */
  Host add() throws IOException {
    int number = hosts.size() + 1;
    Host host = new Host(net + number, name + "-" + number, "eth0");
    String outer = name + "v" + number;
    ip("netns", "add", host.space());
    hosts.add(host);
    ip("link", "add", outer, "type", "veth", "peer", "name", "eth0", "netns", host.space());
    cables.add(outer);
    ip("link", "set", outer, "master", name, "up");
    ip("-n", host.space(), "addr", "add", host.address() + "/24", "dev", "eth0");
    ip("-n", host.space(), "link", "set", "eth0", "up");
    ip("-n", host.space(), "link", "set", "lo", "up");
    return host;
  }

  /** Lets everything vanish that two hosts send to each other. */
  void cut(Host one, Host other) throws IOException {
    divert(one, other);
    divert(other, one);
  }

  private static void divert(Host from, Host to) throws IOException {
    ip(
        at(
            from,
            "neigh",
            "replace",
            to.address(),
            "lladdr",
            NOWHERE,
            "nud",
            "permanent",
            "dev",
            from.device()));
  }

  /** Joins two hosts again that were cut off from each other. */
  void join(Host one, Host other) throws IOException {
    ip(at(one, "neigh", "del", other.address(), "dev", one.device()));
    ip(at(other, "neigh", "del", one.address(), "dev", other.device()));
  }

  private static String[] at(Host host, String... arguments) {
    List<String> all = new ArrayList<>();
    if (!host.space().isEmpty()) {
      all.addAll(List.of("-n", host.space()));
    }
    all.addAll(List.of(arguments));
    return all.toArray(new String[0]);
  }

  private static void ip(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(IP.toString()));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (!process.waitFor(SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
        process.destroyForcibly();
        throw new IOException(String.join(" ", command) + ": " + said.strip());
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IOException(stopped);
    }
  }

  /** Removes the network; its processes have ended. */
  @Override
  public void close() throws IOException {
    for (String each : cables) {
      ip("link", "del", each);
    }
    for (Host each : hosts) {
      if (!each.space().isEmpty()) {
        ip("netns", "del", each.space());
      }
    }
    ip("link", "del", name);
  }
}
