package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.device.FaultyArena;
import java.util.concurrent.CountDownLatch;

/** Holds up whoever comes to it until it is opened; for {@link FaultyArena#beforePut}. */
public final class Gate implements Runnable {
  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch opened = new CountDownLatch(1);

  @Override
  public void run() {
    reached.countDown();
    try {
      opened.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until somebody has come to it. */
  public void awaitReached() throws InterruptedException {
    reached.await();
  }

  public void open() {
    opened.countDown();
  }
}
