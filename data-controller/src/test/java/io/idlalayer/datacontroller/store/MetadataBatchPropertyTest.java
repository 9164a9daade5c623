package io.idlalayer.datacontroller.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.sample.ContentHash;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

final class MetadataBatchPropertyTest {
  private static SampleMetadata metadata(int step) {
    return SampleMetadata.newborn(
        new SampleIdentity(new ContentHash(step, step), 0, 1, 1), 1, step);
  }

  @Property(tries = 300)
  void anyOrder_isReadAsFromASortedMap(
      @ForAll @Size(max = 60) List<@IntRange(max = 25) Integer> ids,
      @ForAll @IntRange(max = 60) int readAfter) {
    MetadataBatch batch = new MetadataBatch(0);
    TreeMap<Long, SampleMetadata> model = new TreeMap<>();
    for (int step = 0; step < ids.size(); step++) {
      long id = ids.get(step);
      batch.put(id, metadata(step));
      model.put(id, metadata(step));
      if (step == readAfter) {
        assertThat(batch.size()).isEqualTo(model.size());
      }
    }
    assertThat(batch.size()).isEqualTo(model.size());
    int place = 0;
    for (Map.Entry<Long, SampleMetadata> entry : model.entrySet()) {
      assertThat(batch.id(place)).isEqualTo(entry.getKey());
      assertThat(batch.metadata(place)).isEqualTo(entry.getValue());
      place++;
    }
  }
}
