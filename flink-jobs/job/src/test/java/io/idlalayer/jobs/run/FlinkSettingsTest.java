package io.idlalayer.jobs.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.state.rocksdb.RocksDBConfigurableOptions;
import org.apache.flink.state.rocksdb.RocksDBOptions;
import org.apache.flink.state.rocksdb.RocksDBOptionsFactory;
import org.junit.jupiter.api.Test;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.RocksDB;

/** What grew in soaks of two hours, and what searches of keys that are not there took. */
final class FlinkSettingsTest {
  private static Map<String, String> settings() {
    Configuration settings =
        FlinkSettings.configuration(
            new FlinkSettings.Storage("file:/checkpoints", "file:/savepoints", null, null));
    return settings.toMap();
  }

  /** By 47 MiB an hour. */
  @Test
  void configuration_rocksDbLogsErrorsOnly() {
    assertThat(settings()).containsEntry(RocksDBConfigurableOptions.LOG_LEVEL.key(), "ERROR_LEVEL");
  }

  /** By 0.8 MiB an hour, which each of the retained checkpoints held for each subtask. */
  @Test
  void configuration_rocksDbBeginsNewManifests() throws Exception {
    RocksDB.loadLibrary();
    String name = settings().get(RocksDBOptions.OPTIONS_FACTORY.key());
    RocksDBOptionsFactory factory =
        Class.forName(name)
            .asSubclass(RocksDBOptionsFactory.class)
            .getDeclaredConstructor()
            .newInstance();
    List<AutoCloseable> handles = new ArrayList<>();
    try (DBOptions options = new DBOptions()) {
      assertThat(options.maxManifestFileSize()).isGreaterThan(1L << 29);
      assertThat(factory.createDBOptions(options, handles)).isSameAs(options);
      assertThat(options.maxManifestFileSize()).isEqualTo(RocksDbOptions.MANIFEST_BYTES);
    }
    assertThat(handles).isEmpty();
  }

  @Test
  void configuration_rocksDbHasFilters() throws Exception {
    assertThat(settings())
        .containsEntry(RocksDBConfigurableOptions.USE_BLOOM_FILTER.key(), "true")
        .containsEntry(RocksDBOptions.USE_PARTITIONED_INDEX_FILTERS.key(), "true");
    RocksDB.loadLibrary();
    try (ColumnFamilyOptions options = new ColumnFamilyOptions()) {
      assertThat(options.memtablePrefixBloomSizeRatio()).isZero();
      assertThat(new RocksDbOptions().createColumnOptions(options, new ArrayList<>()))
          .isSameAs(options);
      assertThat(options.memtableWholeKeyFiltering()).isTrue();
      assertThat(options.memtablePrefixBloomSizeRatio())
          .isEqualTo(RocksDbOptions.MEMTABLE_BLOOM_SHARE);
    }
  }

  @Test
  void with_settingOfAnother_isAdded() throws Exception {
    Configuration settled = new Configuration();
    settled.setString("state.backend.type", "rocksdb");
    assertThat(FlinkSettings.with(settled, Map.of("metrics.latency.interval", "5 s")).toMap())
        .containsEntry("metrics.latency.interval", "5 s")
        .containsEntry("state.backend.type", "rocksdb");
    assertThat(settled.toMap()).doesNotContainKey("metrics.latency.interval");
  }

  @Test
  void with_otherMemoryOfRocksDb_replacesTheUsualOne() throws Exception {
    String size = TaskManagerOptions.MANAGED_MEMORY_SIZE.key();
    String blocks = RocksDBOptions.USE_PARTITIONED_INDEX_FILTERS.key();
    Configuration embedded =
        FlinkSettings.embedded(
            FlinkSettings.configuration(
                new FlinkSettings.Storage("file:/c", "file:/s", "/r", null)),
            Path.of("temporary"));
    assertThat(embedded.toMap()).containsEntry(size, "256 mb").containsEntry(blocks, "true");
    assertThat(FlinkSettings.with(embedded, Map.of(size, "2g", blocks, "false")).toMap())
        .containsEntry(size, "2g")
        .containsEntry(blocks, "false");
  }

  @Test
  void refuseThoseOfJobs_ofACluster_namesThoseThatFlinkWouldNotHeed() throws Exception {
    String size = TaskManagerOptions.MANAGED_MEMORY_SIZE.key();
    FlinkSettings.refuseThoseOfJobs(Map.of(size, "2g", "metrics.latency.interval", "5 s"));
    String blocks = RocksDBOptions.USE_PARTITIONED_INDEX_FILTERS.key();
    assertThatThrownBy(() -> FlinkSettings.refuseThoseOfJobs(Map.of(size, "2g", blocks, "false")))
        .hasMessageContaining("leave out -D for " + blocks);
  }

  @Test
  void with_settingsThatAreSettled_areRefusedByName() {
    Configuration settled = new Configuration();
    settled.setString("rest.port", "1");
    settled.setString("state.backend.type", "rocksdb");
    Map<String, String> asked =
        Map.of(
            "rest.port", "2", "state.backend.type", "hashmap", "metrics.job.status.enable", "ALL");
    assertThatThrownBy(() -> FlinkSettings.with(settled, asked))
        .hasMessageContaining("leave out -D for rest.port, state.backend.type");
  }
}
