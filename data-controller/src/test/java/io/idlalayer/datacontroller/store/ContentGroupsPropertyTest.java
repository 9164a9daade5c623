package io.idlalayer.datacontroller.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * How often a content has arrived is remembered as long as a sample of it is stored, whichever of
 * its samples leave, are corrected, lose their label or are evaluated, and through restarts.
 */
final class ContentGroupsPropertyTest {
  private static final int CONTENTS = 5;

  /** What happened, and the index after it. */
  private static final class History {
    private final InMemorySampleStore store = new InMemorySampleStore();
    private SampleIndex index = new SampleIndex();
    private SampleLibrary library = new SampleLibrary(index, store);
    private final Map<Integer, Integer> arrivals = new HashMap<>();
    private final Map<Long, Integer> contents = new HashMap<>();
    private long nextId = 1;

    /** Contents whose hashes are all in one cell of the table. */
    private static ContentHash hash(int content) {
      return new ContentHash(content, 7);
    }

    private SampleMetadata arrived(int content) {
      int frequency = index.arrivals(hash(content)) + 1;
      arrivals.merge(content, 1, Integer::sum);
      return SampleMetadata.newborn(new SampleIdentity(hash(content), 0, 1, 1f), frequency, nextId);
    }

    private void add(int content) {
      library.add(nextId, new byte[1], arrived(content));
      contents.put(nextId++, content);
    }

    private void left(long id) {
      int content = contents.remove(id);
      if (!contents.containsValue(content)) {
        arrivals.remove(content);
      }
    }

    private void delete(Set<Long> ids) {
      library.delete(ids.stream().mapToLong(Long::longValue).sorted().toArray());
      ids.forEach(this::left);
    }

    private void correct(long id, int content) {
      if (contents.getOrDefault(id, content) == content) {
        return;
      }
      library.replace(id, new byte[1], arrived(content));
      left(id);
      contents.put(id, content);
    }

    private void retract(long id) {
      int slot = index.require(id);
      index.replace(slot, index.metadata(slot).retracted(nextId));
      library.write(id);
      left(id);
      library.delete(id);
    }

    private void evaluate(long id) {
      SampleMetadata before = index.metadata(index.require(id));
      SampleMetadata now = before.arrived(index.arrivals(before.identity().contentHash()));
      MetadataBatch batch = new MetadataBatch(1);
      batch.put(id, now.evaluated(LifeStage.MATURE, now.measures(), 0, 1));
      index.replaceAll(batch);
      library.write(batch);
      assertThat(index.metadata(index.require(id)).lifecycle().frequency())
          .isEqualTo(arrivals.get(contents.get(id)));
    }

    /** Reads the stored samples in any order. */
    private void restart(Random random) {
      List<Long> ids = new ArrayList<>(contents.keySet());
      Collections.shuffle(ids, random);
      Map<Long, SampleMetadata> stored = new HashMap<>();
      store.forEachMetadata(stored::put);
      assertThat(stored.keySet()).isEqualTo(contents.keySet());
      index = new SampleIndex();
      library = new SampleLibrary(index, store);
      ids.forEach(id -> index.load(id, stored.get(id)));
      index.loaded();
    }
  }

  @Property(tries = 200)
  void arrivals_anyHistory_areThoseOfAllEvents(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 300) int steps) {
    Random random = new Random(seed);
    History history = new History();
    for (int step = 0; step < steps; step++) {
      List<Long> ids = new ArrayList<>(history.contents.keySet());
      Collections.sort(ids);
      int dice = ids.isEmpty() ? 0 : random.nextInt(10);
      // The youngest sample is the one that knows the frequency of its content.
      long id = ids.isEmpty() ? 0 : ids.get(Math.max(0, ids.size() - 1 - random.nextInt(6)));
      if (dice < 5) {
        history.add(random.nextInt(CONTENTS));
      } else if (dice == 5) {
        Set<Long> some = new HashSet<>();
        some.add(id);
        some.add(ids.get(random.nextInt(ids.size())));
        history.delete(some);
      } else if (dice == 6) {
        history.correct(id, random.nextInt(CONTENTS));
      } else if (dice == 7) {
        history.retract(id);
      } else if (dice == 8) {
        history.evaluate(id);
      } else {
        history.restart(random);
      }
      for (int content = 0; content < CONTENTS; content++) {
        assertThat(history.index.arrivals(History.hash(content)))
            .as("content %d after step %d", content, step)
            .isEqualTo(history.arrivals.getOrDefault(content, 0));
      }
    }
  }
}
