package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.device.FaultyArena;
import java.util.concurrent.CountDownLatch;

/** Blocks each thread that reaches it until it is opened; for {@link FaultyArena#beforePut}. */
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

  /** Waits until a thread has reached it. */
  public void awaitReached() throws InterruptedException {
    reached.await();
  }

  public void open() {
    opened.countDown();
  }
}
