package io.idlalayer.modelstore.s3;

import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.models.store.PublisherIdentity;
import io.idlalayer.testkit.ObjectStoreServer;
import io.idlalayer.testkit.TestCredentials;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.regions.Region;

/** Servers of folders, and what reads and writes there; below a prefix of two names. */
final class ServedStores implements AutoCloseable {
  private static final String PREFIX = "/some/where";

  private final int pageKeys;
  private final Map<Path, ObjectStoreServer> servers = new HashMap<>();
  private final List<ModelStore> stores = new ArrayList<>();

  /**
   * @param pageKeys number of keys in one page of a listing
   */
  ServedStores(int pageKeys) {
    this.pageKeys = pageKeys;
  }

  ObjectStoreServer server(Path folder) throws IOException {
    TestCredentials.set();
    ObjectStoreServer server = servers.get(folder);
    if (server == null) {
      server = ObjectStoreServer.start(folder);
      server.pageKeys(pageKeys);
      servers.put(folder, server);
    }
    return server;
  }

  /** What a client needs to know, but credentials. */
  static S3Settings settings(ObjectStoreServer server) {
    return S3Settings.of(server.endpoint(), Region.of("test-1"));
  }

  ModelStore open(Path folder, String run) throws IOException {
    ModelStore store =
        new ModelStore(
            S3Bucket.open(address(), ServedStores.settings(server(folder))),
            InstantSource.system(),
            new PublisherIdentity(run, "here"));
    stores.add(store);
    return store;
  }

  String address() {
    return "s3://" + ObjectStoreServer.BUCKET + PREFIX;
  }

  Path file(Path folder, String address) {
    return folder.resolve(address.substring(("s3://" + ObjectStoreServer.BUCKET + "/").length()));
  }

  @Override
  public void close() {
    stores.forEach(ModelStore::close);
    servers.values().forEach(ObjectStoreServer::close);
  }
}
