package io.idlalayer.jobs.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.topics.InputTopics;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class BrokerWatchTest {
  private final FakeTopics topics = new FakeTopics();
  private final AtomicLong nanos = new AtomicLong();
  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final BrokerWatch watch =
      new BrokerWatch(topics, Set.of("clicks"), nanos::get, tasks::add, tasks::clear);

  private static final class FakeTopics implements InputTopics {
    private static final long serialVersionUID = 1L;
    @Nullable String failure;
    boolean deleted;

    @Override
    public Map<String, Facts> look(Set<String> names) throws IOException {
      if (failure != null) {
        throw new IOException(failure);
      }
      return deleted ? Map.of() : Map.of("clicks", new Facts("id", new TreeMap<>()));
    }
  }

  /** Returns the news after the next look. */
  private @Nullable String next() {
    nanos.addAndGet(BrokerWatch.PAUSE.toNanos());
    assertThat(watch.news()).isNull();
    assertThat(watch.news()).as("while the look runs").isNull();
    assertThat(tasks).hasSize(1);
    tasks.remove().run();
    return watch.news();
  }

  @Test
  void news_topicThatIsDeletedAndBrokerThatIsGone_areSaidOnce() {
    assertThat(watch.news()).isNull();
    assertThat(tasks).as("before it is time").isEmpty();
    assertThat(next()).isNull();
    topics.deleted = true;
    assertThat(next()).startsWith("warning: there is no topic clicks any more");
    assertThat(next()).isNull();
    topics.failure = "cannot ask localhost:9092";
    assertThat(next())
        .isEqualTo(
            "warning: the broker does not answer, so no events are read until it does: cannot ask"
                + " localhost:9092");
    assertThat(next()).isNull();
    topics.failure = null;
    topics.deleted = false;
    assertThat(next()).isEqualTo("the broker answers again, and has the input topics");
    assertThat(next()).isNull();
    watch.close();
    assertThat(tasks).isEmpty();
  }
}
