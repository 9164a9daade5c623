package io.idlalayer.testkit.flink;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.runtime.rpc.AddressResolution;
import org.apache.flink.runtime.rpc.RpcSystem;
import org.apache.flink.runtime.rpc.RpcSystemLoader;
import org.jspecify.annotations.Nullable;

/**
 * Flink's system of remote calls, once for all clusters that Flink embeds in a JVM of tests. Each
 * of them unpacks a jar of 24 MB, and reads Pekko and Scala from it with a class loader of its own.
 * Tests start many clusters in one process. Flink finds this class as a service, before its own
 * one.
 */
public final class SharedRpcSystem implements RpcSystemLoader {
  private static final String EMBEDDED = "org.apache.flink.runtime.minicluster.MiniCluster";

  /**
   * Commands that tests start have a main class of the project. They may be killed, and load as the
   * product does, with files where their next start looks for them.
   */
  private static final boolean COMMAND =
      System.getProperty("sun.java.command", "").startsWith("io.idlalayer.");

  @Override
  public int getLoadPriority() {
    // The least number is asked first; Flink's own is 0.
    return -1;
  }

  @Override
  public RpcSystem loadRpcSystem(Configuration settings) {
    boolean embedded =
        StackWalker.getInstance()
            .walk(frames -> frames.anyMatch(frame -> frame.getClassName().equals(EMBEDDED)));
    return embedded && !COMMAND ? new Borrowed(Shared.SYSTEM) : flink(settings);
  }

  private static RpcSystem flink(Configuration settings) {
    return ServiceLoader.load(RpcSystemLoader.class).stream()
        .filter(each -> each.type() != SharedRpcSystem.class)
        .map(ServiceLoader.Provider::get)
        .min(Comparator.comparingInt(RpcSystemLoader::getLoadPriority))
        .orElseThrow()
        .loadRpcSystem(settings);
  }

  private static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException failed) {
      throw new UncheckedIOException("the shared RPC system leaves " + folder, failed);
    }
  }

  /** Loads the shared system when the first cluster needs it. */
  private static final class Shared {
    static final RpcSystem SYSTEM = load();

    private static RpcSystem load() {
      try {
        Path folder = Files.createTempDirectory("rpc-system");
        // Clusters that are still ending need its classes, which are open, but no file.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder), "rpc-system-end"));
        return flink(new Configuration().set(CoreOptions.TMP_DIRS, folder.toString()));
      } catch (IOException failed) {
        throw new UncheckedIOException(failed);
      }
    }
  }

  /** The shared system for one cluster, whose end does not end it. */
  private record Borrowed(RpcSystem system) implements RpcSystem {
    @Override
    public RpcServiceBuilder localServiceBuilder(Configuration settings) {
      return system.localServiceBuilder(settings);
    }

    @Override
    public RpcServiceBuilder remoteServiceBuilder(
        Configuration settings, @Nullable String address, String ports) {
      return system.remoteServiceBuilder(settings, address, ports);
    }

    @Override
    public String getRpcUrl(
        String host,
        int port,
        String endpoint,
        AddressResolution resolution,
        Configuration settings)
        throws UnknownHostException {
      return system.getRpcUrl(host, port, endpoint, resolution, settings);
    }

    @Override
    public InetSocketAddress getInetSocketAddressFromRpcUrl(String url) throws Exception {
      return system.getInetSocketAddressFromRpcUrl(url);
    }

    @Override
    public long getMaximumMessageSizeInBytes(Configuration settings) {
      return system.getMaximumMessageSizeInBytes(settings);
    }
  }
}
