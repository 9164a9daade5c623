package io.idlalayer.jobs.source;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.jobs.settings.mixing.PartitionedTable;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.Sample;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the partition of a sample. With {@code mixing.partition-by} it is the partition that has
 * the row of the sample's id; a missing id counts as an id of its own. Otherwise the sample's own
 * id or its content decides, see {@link LearnerKey#partitionOf}. Equal samples always get to the
 * same partition.
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
