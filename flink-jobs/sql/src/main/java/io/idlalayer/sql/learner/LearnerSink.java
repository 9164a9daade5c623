package io.idlalayer.sql.learner;

import io.idlalayer.jobs.capacity.TrainingChecks;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.stream.LearnedStreams;
import io.idlalayer.jobs.stream.OnlineLearning;
import io.idlalayer.jobs.terminal.Applications;
import io.idlalayer.jobs.terminal.UsageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.sink.DataStreamSinkProvider;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.jspecify.annotations.Nullable;

/**
 * The sink of a table whose rows an application learns.
 *
 * @param models where models are published; null to use the place in the application file
 * @param startOver word that confirms a start without state although models are published; null if
 *     there is none
 * @param servers Kafka servers for the messages of the learners; null to log the messages
 * @param keyed whether the table has the id of the events as its primary key
 */
record LearnerSink(
    ApplicationSettings application,
    RowDataFields fields,
    @Nullable String models,
    @Nullable String startOver,
    @Nullable String servers,
    boolean keyed)
    implements DynamicTableSink {

  /**
   * Reads the application of a table, and compares the table with it.
   *
   * @throws ValidationException with every problem of the file, or of the table
   */
  static LearnerSink of(ReadableConfig options, DataType type, @Nullable UniqueConstraint key) {
    Path file = Path.of(options.get(IdlaTableFactory.APPLICATION));
    ApplicationSettings application;
    try {
      application = Applications.readToRun(List.of(file), new TrainingChecks()).get(0);
    } catch (UsageException refused) {
      throw new ValidationException("'application': " + refused.getMessage(), refused);
    }
    RowType columns = (RowType) type.getLogicalType();
    LearnerColumns.check(application, columns, key);
    return new LearnerSink(
        application,
        RowDataFields.of(columns),
        options.getOptional(IdlaTableFactory.MODELS).orElse(null),
        options.getOptional(IdlaTableFactory.START_OVER).orElse(null),
        options.getOptional(IdlaTableFactory.SERVERS).orElse(null),
        key != null);
  }

  /**
   * Returns which changes the learner accepts. With an id, the learner knows which event a row
   * changes; without an id, each row is a separate event. If the id is the primary key, the new row
   * of an update is enough, and the old row is not needed.
   */
  @Override
  public ChangelogMode getChangelogMode(ChangelogMode requested) {
    if (application.input().schema().id() == null) {
      return ChangelogMode.insertOnly();
    }
    if (!keyed) {
      return ChangelogMode.all();
    }
    return ChangelogMode.newBuilder()
        .addContainedKind(RowKind.INSERT)
        .addContainedKind(RowKind.UPDATE_AFTER)
        .addContainedKind(RowKind.DELETE)
        .keyOnlyDeletes(true)
        .build();
  }

  @Override
  public SinkRuntimeProvider getSinkRuntimeProvider(Context context) {
    return new DataStreamSinkProvider() {
      @Override
      public DataStreamSink<?> consumeDataStream(
          ProviderContext provider, DataStream<RowData> rows) {
        return attach(rows);
      }
    };
  }

  private DataStreamSink<?> attach(DataStream<RowData> rows) {
    OnlineLearning<RowData> learning = OnlineLearning.on(rows, fields);
    if (models != null) {
      learning = learning.models(models);
    }
    if (startOver != null) {
      learning = learning.startOver(startOver);
    }
    LearnedStreams learned;
    try {
      learned = learning.learn(application);
    } catch (IllegalArgumentException | UsageException refused) {
      throw new ValidationException(
          "connector 'idla': " + String.valueOf(refused.getMessage()), refused);
    } catch (IOException unusable) {
      throw new ValidationException(
          "connector 'idla' cannot read or write where models are published: "
              + unusable.getMessage(),
          unusable);
    }
    return servers == null ? learned.toLog() : toKafka(learned, servers);
  }

  private static DataStreamSink<?> toKafka(LearnedStreams learned, String servers) {
    try {
      return learned.toKafka(servers);
    } catch (IOException refused) {
      throw new ValidationException("'bootstrap-servers': " + refused.getMessage(), refused);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new ValidationException("interrupted while topics were created", stopped);
    }
  }

  @Override
  public DynamicTableSink copy() {
    return this;
  }

  @Override
  public String asSummaryString() {
    return "idla learner of " + application.name();
  }
}
