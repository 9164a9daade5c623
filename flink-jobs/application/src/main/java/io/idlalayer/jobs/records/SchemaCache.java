package io.idlalayer.jobs.records;

import io.idlalayer.jobs.registry.UnknownSchemaException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Caches the schemas that were read last; the schema of an id never changes. If a schema is
 * missing, the cache remembers this only for a short time, because the schema can be registered
 * later. Confined to one thread.
 */
final class SchemaCache {
  /** Most schemas that are kept. */
  static final int SCHEMAS_MAX = 500;

  /** Nanoseconds after which the registry is asked again for a schema that it did not have. */
  static final long UNKNOWN_NANOS = 30_000_000_000L;

  private final WriterSchemas reader;
  private final LongSupplier nanos;
  private final Map<Integer, Entry> entries =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Entry> eldest) {
          return size() > SCHEMAS_MAX;
        }
      };

  /** The cached result for an id: a schema, or the reason why there is none. */
  private record Entry(@Nullable RecordFields fields, String unknown, long sinceNanos) {}

  /**
   * @param nanos a monotonic clock, in nanoseconds
   */
  SchemaCache(WriterSchemas reader, LongSupplier nanos) {
    this.reader = reader;
    this.nanos = nanos;
  }

  RecordFields get(int id) throws UnknownSchemaException {
    Entry entry = entries.get(id);
    if (entry == null || expired(entry)) {
      entry = read(id);
      entries.put(id, entry);
    }
    if (entry.fields() == null) {
      throw new UnknownSchemaException(entry.unknown());
    }
    return entry.fields();
  }

  private boolean expired(Entry entry) {
    return entry.fields() == null && nanos.getAsLong() - entry.sinceNanos() >= UNKNOWN_NANOS;
  }

  private Entry read(int id) {
    try {
      return new Entry(reader.byId(id), "", 0);
    } catch (UnknownSchemaException unknown) {
      return new Entry(null, String.valueOf(unknown.getMessage()), nanos.getAsLong());
    }
  }
}
