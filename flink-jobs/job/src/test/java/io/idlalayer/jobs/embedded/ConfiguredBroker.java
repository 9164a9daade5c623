package io.idlalayer.jobs.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A broker of one's own on the loopback address, with settings of one's own. */
final class ConfiguredBroker {
  private ConfiguredBroker() {}

  /**
   * @param settings beside those that it has anyway
   */
  static EmbeddedBroker start(Path folder, Map<String, String> settings) throws IOException {
    int port;
    int controller;
    try (ServerSocket first = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        ServerSocket second = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = first.getLocalPort();
      controller = second.getLocalPort();
    }
    EmbeddedBroker.Listeners open = EmbeddedBroker.Listeners.open("127.0.0.1", port);
    return EmbeddedBroker.start(
        folder,
        "127.0.0.1:" + port,
        controller,
        new EmbeddedBroker.Listeners(
            open.bound(), open.advertised(), open.protocols(), open.own(), settings, List.of()));
  }
}
