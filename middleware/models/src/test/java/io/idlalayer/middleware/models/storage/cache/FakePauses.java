package io.idlalayer.middleware.models.storage.cache;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that moves in pauses only, and something that happens in each of them. */
final class FakePauses implements Pauses {
  final AtomicInteger pauses = new AtomicInteger();
  private final AtomicLong nanos = new AtomicLong();
  volatile Runnable then = () -> {};

  @Override
  public long nanoTime() {
    return nanos.get();
  }

  @Override
  public void pause(Duration time) {
    nanos.addAndGet(time.toNanos());
    pauses.incrementAndGet();
    then.run();
  }
}
