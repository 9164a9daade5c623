package io.idlalayer.jobs.stream;

import io.idlalayer.jobs.capacity.TrainingChecks;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.job.OnlineLearningJob;
import io.idlalayer.jobs.operator.BoundedLearningOperator;
import io.idlalayer.jobs.operator.LearningFunction;
import io.idlalayer.jobs.operator.MixOperator;
import io.idlalayer.jobs.run.StartOver;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.source.Arrival;
import io.idlalayer.jobs.source.ArrivalType;
import io.idlalayer.jobs.source.EventDecoder;
import io.idlalayer.jobs.source.LearnerPlacement;
import io.idlalayer.jobs.start.StartAt;
import io.idlalayer.jobs.submission.StreamSubmission;
import io.idlalayer.jobs.terminal.Applications;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.typeutils.RowTypeInfo;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.types.Row;
import org.jspecify.annotations.Nullable;

/**
 * Attaches the learner of an application to any stream of a Flink job:
 *
 * <pre>{@code
 * OnlineLearning.on(clicks)                        // rows, or bytes in the application's format
 *     .models("/srv/models")
 *     .learn(Path.of("clicks.yaml"))
 *     .toLog();
 * }</pre>
 *
 * <p>The checkpoints of the job ensure that each event is learned exactly once. When the stream
 * ends, the learner trains on the samples that wait and publishes the model before the job
 * finishes.
 */
public final class OnlineLearning<T> {
  private final DataStream<T> events;
  private final @Nullable EventFields<T> fields;
  private final @Nullable String models;
  private final StartOver startOver;

  private OnlineLearning(
      DataStream<T> events,
      @Nullable EventFields<T> fields,
      @Nullable String models,
      StartOver startOver) {
    this.events = events;
    this.fields = fields;
    this.models = models;
    this.startOver = startOver;
  }

  /**
   * Learns from rows by the names of their fields, or from byte arrays in the format of the
   * application.
   *
   * @throws IllegalArgumentException if the elements are neither rows nor byte arrays
   */
  public static OnlineLearning<?> on(DataStream<?> events) {
    TypeInformation<?> type = events.getType();
    if (type.getTypeClass() == byte[].class) {
      return new OnlineLearning<>(events, null, null, StartOver.NO);
    }
    if (type.getTypeClass() == Row.class) {
      @SuppressWarnings("unchecked") // The type information says that the elements are rows.
      DataStream<Row> rows = (DataStream<Row>) events;
      List<String> names =
          type instanceof RowTypeInfo named ? List.of(named.getFieldNames()) : List.of();
      return new OnlineLearning<>(rows, new RowFields(names), null, StartOver.NO);
    }
    throw new IllegalArgumentException(
        "elements of the stream are %s: say what their fields are, with on(stream, (element, to) -> to.field(\"price\", element.price()))"
            .formatted(type));
  }

  /** Learns from elements of any class, by a function that writes their fields. */
  public static <T> OnlineLearning<T> on(DataStream<T> events, EventFields<T> fields) {
    return new OnlineLearning<>(events, fields, null, StartOver.NO);
  }

  /**
   * Publishes to a folder that all TaskManagers see, or to an object store, instead of the place
   * that the application file names.
   *
   * @param place the folder, or {@code s3://BUCKET/PREFIX}
   */
  public OnlineLearning<T> models(String place) {
    return new OnlineLearning<>(events, fields, place, startOver);
  }

  /**
   * Lets the learner begin from nothing although models are published. Version numbers continue.
   * Without this choice, such a start is refused.
   *
   * @param word any text, which is noted beside the models. Each word takes effect once, so it can
   *     stay in the program
   * @throws IllegalArgumentException if the word is blank
   */
  public OnlineLearning<T> startOver(String word) {
    if (word.isBlank()) {
      throw new IllegalArgumentException(
          "the word with which a learner starts over is blank: give it one, such as the date");
    }
    return new OnlineLearning<>(events, fields, models, StartOver.once(word));
  }

  /**
   * Attaches the learner of an application file.
   *
   * @throws io.idlalayer.jobs.terminal.UsageException with every problem of the file, or if the job
   *     would begin from nothing although models are published
   * @throws IllegalArgumentException if no place for models is set, the job runs in batch mode, or
   *     the application file names a topic of labels, a start, a pattern of topics or a topic of
   *     lenders, because a stream has no topics
   * @throws IOException if the place of the models cannot be read or written
   */
  public LearnedStreams learn(Path applicationFile) throws IOException {
    return learn(Applications.readToRun(List.of(applicationFile), new TrainingChecks()).get(0));
  }

  /** Attaches the learner of an application, as {@link #learn(Path)}. */
  public LearnedStreams learn(ApplicationSettings read) throws IOException {
    StreamExecutionEnvironment env = events.getExecutionEnvironment();
    if (env.getConfiguration().get(ExecutionOptions.RUNTIME_MODE)
        != RuntimeExecutionMode.STREAMING) {
      throw new IllegalArgumentException(
          "a learner needs 'execution.runtime-mode: streaming', in which a stream that ends is"
              + " learned to its end too");
    }
    if (read.input().labels() != null) {
      throw new IllegalArgumentException(
          "input.labels of application %s is a topic, which a stream does not read: leave it out, and join the labels by id in the query or stream"
              .formatted(read.name()));
    }
    if (!read.input().start().equals(StartAt.EARLIEST)) {
      throw new IllegalArgumentException(
          "input.start of application %s is %s, and a stream begins where its own source does: leave it out, and tell the source"
              .formatted(read.name(), read.input().start().text()));
    }
    if (read.input().topicPattern() != null) {
      throw new IllegalArgumentException(
          "input.topic-pattern of application %s is %s, and a stream has no topics: leave it out, and tell the source"
              .formatted(read.name(), read.input().topicPattern()));
    }
    String lending = read.memory().lending().topic();
    if (!lending.isEmpty()) {
      throw new IllegalArgumentException(
          "memory.lending.topic of application %s is %s, and a stream has no Kafka servers: leave it out, and name lenders in memory.tensors.lenders"
              .formatted(read.name(), lending));
    }
    ApplicationSettings published = models == null ? read : read.publishingTo(place(models));
    if (published.publishing().directory() == null) {
      throw new IllegalArgumentException(
          "it is not said where models are published: set models, or publishing.directory in the"
              + " application file");
    }
    return attach(
        StreamSubmission.note(published, env.getConfiguration(), startOver),
        Math.max(env.getParallelism(), events.getParallelism()));
  }

  private static String place(String models) {
    if (ModelStore.isAddress(models)) {
      ModelStore.checkAddress(models);
      return models;
    }
    return Path.of(models).toAbsolutePath().normalize().toString();
  }

  private LearnedStreams attach(StreamSubmission submission, int parallelism) {
    ApplicationSettings application = submission.application();
    List<ApplicationSettings> only = List.of(application);
    String name = application.name();
    SingleOutputStreamOperator<Arrival> arrivals =
        events
            .transform(name + "-intake", new ArrivalType(), new StreamIntake<>(application, fields))
            .uid(name + "-intake")
            // With another parallelism, Flink would not keep the order of updates.
            .setParallelism(events.getParallelism());
    SingleOutputStreamOperator<DecisionEvent> decisions =
        arrivals
            .keyBy(arrival -> arrival.key, Types.STRING)
            .transform(
                name + "-learn",
                TypeInformation.of(DecisionEvent.class),
                new BoundedLearningOperator(
                    new LearningFunction(only, null, null, null, null, submission.id()),
                    EventDecoder.keys(application)))
            .uid(name + "-learn")
            .setMaxParallelism(LearnerPlacement.KEY_GROUPS)
            .setParallelism(OnlineLearningJob.parallelism(only, parallelism));
    DataStream<ModelNotice> notices = decisions.getSideOutput(LearningFunction.NOTICES);
    if (application.mixing().on()) {
      notices = notices.union(MixOperator.attach(decisions, only, null, name + "-mix"));
    }
    return new LearnedStreams(application, arrivals, decisions, notices);
  }
}
