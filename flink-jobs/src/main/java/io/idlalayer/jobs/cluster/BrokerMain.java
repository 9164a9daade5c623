package io.idlalayer.jobs.cluster;

import io.idlalayer.jobs.embedded.EmbeddedBroker;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** A broker as a process of its own: {@code BrokerMain FOLDER PORT}. Ends when it is asked to. */
public final class BrokerMain {
  private BrokerMain() {}

  public static void main(String[] args) throws Exception {
    EmbeddedBroker broker = EmbeddedBroker.start(Path.of(args[0]), Integer.parseInt(args[1]));
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
