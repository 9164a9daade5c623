package io.idlalayer.middleware.models.http;

import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A server of a model folder, and what reads from it. */
public final class ServedFolder implements AutoCloseable {
  private final ModelServer server;
  private final List<HttpModelSource> sources = new ArrayList<>();

  private ServedFolder(ModelServer server) {
    this.server = server;
  }

  /** On a free port of the loopback address. */
  public static ServedFolder open(Path folder) throws IOException {
    return new ServedFolder(
        ModelServer.start(
            ModelStore.confined(folder),
            ModelServerSettings.of(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), null, false, null)));
  }

  /** Without a slash at its end. */
  public String address() {
    String address = server.address().toString();
    return address.substring(0, address.length() - 1);
  }

  /** A new client. */
  public ModelReader reader() {
    HttpModelSource source = new HttpModelSource(HttpModelSettings.of(URI.create(address()), null));
    sources.add(source);
    return new ModelReader(source);
  }

  @Override
  public void close() {
    sources.forEach(HttpModelSource::close);
    server.close();
  }
}
