package io.idlalayer.jobs.source;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.jobs.settings.mixing.PartitionedTable;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.Sample;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the partition of a sample. If the key {@code mixing.partition-by} names an id feature,
 * the sample goes to the partition that has the table's row for the sample's value of this feature.
 * A missing value is treated as one more id. Without the key, the id of the sample or its content
 * decides, see {@link LearnerKey#partitionOf}. Equal samples always go to the same partition.
 */
final class SamplePartitions {
  private final int partitions;
  private final @Nullable PartitionedTable table;

  SamplePartitions(ApplicationSettings settings) {
    partitions = settings.partitions();
    table =
        PartitionedTable.of(settings.mixing(), settings.model(), settings.partitions())
            .orElse(null);
  }

  /**
   * Returns the partition of a sample.
   *
   * @param hash hash of its content
   */
  int of(Sample sample, ContentHash hash) {
    PartitionedTable by = table;
    if (by == null) {
      return LearnerKey.partitionOf(sample.id(), hash, partitions);
    }
    IdLists ids = sample.ids();
    return by.ranges().of(ids.key(ids.from(by.feature())));
  }
}
