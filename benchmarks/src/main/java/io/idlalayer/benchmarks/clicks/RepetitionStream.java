package io.idlalayer.benchmarks.clicks;

import io.idlalayer.middleware.sample.SampleSchema;
import java.util.List;

/** Click logs with some of their columns: the fewer there are, the more events have one content. */
enum RepetitionStream {
  /** What a page knows before it knows its visitor. */
  AVAZU_FEW(
      ClickLog.AVAZU,
      List.of(
          "C1", "banner_pos", "site_category", "app_category", "device_type", "device_conn_type"),
      100),
  /** Without what names a device. */
  AVAZU_MANY(
      ClickLog.AVAZU,
      List.of(
          "C1",
          "banner_pos",
          "site_id",
          "site_category",
          "app_id",
          "app_category",
          "device_type",
          "device_conn_type",
          "C14",
          "C17",
          "C21"),
      100),
  AVAZU_ALL(ClickLog.AVAZU, ClickLog.AVAZU.categories(), 100),
  /** The film only. */
  MOVIELENS_ITEMS(ClickLog.MOVIELENS, List.of("item"), 2_000),
  /** Hardly any content comes twice. */
  CRITEO(ClickLog.CRITEO, ClickLog.CRITEO.categories(), 100);

  private final ClickLog log;
  private final List<String> columns;
  private final int buckets;

  RepetitionStream(ClickLog log, List<String> columns, int buckets) {
    this.log = log;
    this.columns = columns;
    this.buckets = buckets;
  }

  ClickLog log() {
    return log;
  }

  SampleSchema schema() {
    return log.schema(columns, buckets);
  }
}
