package io.idlalayer.jobs.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.registry.RegistryUnavailableException;
import io.idlalayer.jobs.registry.UnknownSchemaException;
import io.idlalayer.middleware.sample.path.FoundFields;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SchemaCacheTest {
  private final List<Integer> asked = new ArrayList<>();
  private final Set<Integer> unknown = new HashSet<>();
  private boolean down;
  private long nanos = Long.MAX_VALUE - 5;
  private final SchemaCache cache = new SchemaCache(this::read, () -> nanos);

  private RecordFields read(int id) throws UnknownSchemaException {
    asked.add(id);
    if (down) {
      throw new RegistryUnavailableException("down", null);
    }
    if (unknown.contains(id)) {
      throw new UnknownSchemaException("no schema " + id);
    }
    return new RecordFields() {
      @Override
      public void read(byte[] event, int from, FoundFields found) {}

      @Override
      public String described(String field) {
        return "" + id;
      }
    };
  }

  @Test
  void get_sameId_asksOnce() throws Exception {
    assertThat(cache.get(7)).isSameAs(cache.get(7));
    nanos += 100 * SchemaCache.UNKNOWN_NANOS;
    assertThat(cache.get(7).described("")).isEqualTo("7");
    assertThat(asked).containsExactly(7);
  }

  @Test
  void get_unknownId_isAskedForAgainLater() throws Exception {
    unknown.add(7);
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> cache.get(7)).hasMessage("no schema 7");
    }
    // The clock's numbers may overflow.
    nanos += SchemaCache.UNKNOWN_NANOS - 1;
    assertThatThrownBy(() -> cache.get(7)).hasMessage("no schema 7");
    assertThat(asked).containsExactly(7);
    unknown.clear();
    nanos++;
    assertThat(cache.get(7)).isNotNull();
  }

  @Test
  void get_whileTheRegistryIsDown_keepsNothing() throws Exception {
    down = true;
    assertThatThrownBy(() -> cache.get(7)).isInstanceOf(RegistryUnavailableException.class);
    down = false;
    assertThat(cache.get(7)).isNotNull();
  }

  @Test
  void get_manyIds_forgetsThoseNotUsedForLongest() throws Exception {
    for (int id = 0; id < SchemaCache.SCHEMAS_MAX; id++) {
      RecordFields unused = cache.get(id);
    }
    RecordFields first = cache.get(0);
    RecordFields another = cache.get(SchemaCache.SCHEMAS_MAX);
    asked.clear();

    assertThat(cache.get(0)).isSameAs(first);
    assertThat(cache.get(SchemaCache.SCHEMAS_MAX)).isSameAs(another);
    assertThat(asked).isEmpty();
    assertThat(cache.get(1)).isNotNull();
    assertThat(asked).containsExactly(1);
  }
}
