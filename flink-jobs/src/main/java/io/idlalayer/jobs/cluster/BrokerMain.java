package io.idlalayer.jobs.cluster;

import io.idlalayer.jobs.embedded.EmbeddedBroker;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * A broker as a process of its own: {@code BrokerMain FOLDER PORT [HOST]}. Ends when it is asked
 * to.
 */
public final class BrokerMain {
  private BrokerMain() {}

  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]);
    int port = Integer.parseInt(args[1]);
    EmbeddedBroker broker =
        args.length > 2
            ? EmbeddedBroker.start(folder, port, args[2])
            : EmbeddedBroker.start(folder, port);
    CountDownLatch stopped = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  broker.close();
                  stopped.countDown();
                },
                "stop"));
    stopped.await();
  }
}
