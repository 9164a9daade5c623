package io.idlalayer.middleware.models.serve;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Notices within this process: what is sent reaches the sources that are open. */
public final class FakeNotices {
  private final List<Source> sources = new CopyOnWriteArrayList<>();

  /** Opens a source for one model. */
  public NoticeSource open(String application, int partition) {
    Source source = new Source(application, partition);
    sources.add(source);
    return source;
  }

  /** Sends a notice of one model. */
  public void send(String application, int partition) {
    for (Source source : sources) {
      if (source.application.equals(application) && source.partition == partition) {
        source.notices.release();
      }
    }
  }

  private final class Source implements NoticeSource {
    private final String application;
    private final int partition;
    private final Semaphore notices = new Semaphore(0);

    Source(String application, int partition) {
      this.application = application;
      this.partition = partition;
    }

    @Override
    public boolean await(Duration longest) throws InterruptedException {
      if (!notices.tryAcquire(longest.toNanos(), TimeUnit.NANOSECONDS)) {
        return false;
      }
      notices.drainPermits();
      return true;
    }

    @Override
    public void close() {
      sources.remove(this);
    }
  }
}
