package io.idlalayer.sql.learner;

import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.FactoryUtil;

/**
 * The factory through which Flink finds the connector {@code idla}: an application learns the rows
 * that are inserted into a table with this connector. The connector needs the jars of the learner;
 * queries that only predict do not need them.
 */
public final class IdlaTableFactory implements DynamicTableSinkFactory {
  /** The value of the option {@code 'connector'} that selects this factory. */
  public static final String IDENTIFIER = "idla";

  static final ConfigOption<String> APPLICATION =
      ConfigOptions.key("application")
          .stringType()
          .noDefaultValue()
          .withDescription("Application file, on the machine that plans the queries.");
  static final ConfigOption<String> MODELS =
      ConfigOptions.key("models")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "Where models are published, instead of publishing.directory of the application.");
  static final ConfigOption<String> START_OVER =
      ConfigOptions.key("start-over")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "A word of your choice. With a new word, the learner begins from nothing although models were published. Each word takes effect once.");
  static final ConfigOption<String> SERVERS =
      ConfigOptions.key("bootstrap-servers")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "Kafka servers for decisions, notices and dead letters: by default they are logged.");

  @Override
  public String factoryIdentifier() {
    return IDENTIFIER;
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return Set.of(APPLICATION);
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    return Set.of(MODELS, START_OVER, SERVERS);
  }

  /**
   * Returns the sink of a table.
   *
   * @throws ValidationException if an option is unknown, the application file is refused, or the
   *     table's columns are not the fields of the application; the message names all problems
   */
  @Override
  public DynamicTableSink createDynamicTableSink(Context context) {
    FactoryUtil.TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
    helper.validate();
    try {
      return LearnerSink.of(
          helper.getOptions(),
          context.getPhysicalRowDataType(),
          context.getCatalogTable().getResolvedSchema().getPrimaryKey().orElse(null));
    } catch (NoClassDefFoundError missing) {
      throw new ValidationException(
          "connector 'idla' needs the jars of the learner in Flink's lib folder: idlalayer-job, and what flink-jobs/cli/target/lib has beside Flink's own (%s is missing)"
              .formatted(missing.getMessage()),
          missing);
    }
  }
}
