package io.idlalayer.jobs.job;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.operator.LearningFunction;
import io.idlalayer.jobs.operator.LearningOperator;
import io.idlalayer.jobs.operator.MixOperator;
import io.idlalayer.jobs.settings.ApplicationSet;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.jobs.source.Arrival;
import io.idlalayer.jobs.source.ArrivalType;
import io.idlalayer.jobs.source.BoundedKafkaSource;
import io.idlalayer.jobs.source.EventDecoder;
import io.idlalayer.jobs.source.InputGate;
import io.idlalayer.jobs.source.LearnerPlacement;
import io.idlalayer.jobs.start.StartPositions;
import io.idlalayer.jobs.topics.KafkaInputTopics;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.KafkaSourceOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Assembles the Flink job: source, decoding, learners and sinks in the order of the data. The
 * source decodes events and requests from Kafka. The input gate checks whether they were read
 * before and whether input was lost. Malformed events go to the dead letters. Flink groups the
 * other events by partition of their application, and the learners learn them. Decisions and
 * notices of the learners go back to Kafka.
 */
public final class OnlineLearningJob {
  /** Stable id of the learners' operator, part of the savepoint format. */
  public static final String LEARNER = "learn";

  /**
   * Stable id of the operator that mixes models. A job that mixes no models does not have this
   * operator.
   */
  static final String MIXER = "mix";

  private OnlineLearningJob() {}

  /**
   * Adds the operators of the job to an environment.
   *
   * @param applications at least one. Their names and input topics differ, and their Kafka client
   *     properties are equal
   * @param starts first offsets of topics for which no state has offsets
   * @throws IllegalArgumentException if the applications do not meet these conditions
   */
  public static void assemble(
      StreamExecutionEnvironment env,
      List<ApplicationSettings> applications,
      JobLocations locations,
      StartPositions starts) {
    ApplicationSet.check(applications);
    env.getConfig().enableObjectReuse();
    env.setMaxParallelism(LearnerPlacement.KEY_GROUPS);

    SingleOutputStreamOperator<Arrival> arrivals =
        env.fromSource(
                source(applications, locations, starts),
                WatermarkStrategy.noWatermarks(),
                "events",
                new ArrivalType())
            .uid("events")
            .transform(
                "input gate",
                new ArrivalType(),
                new InputGate(
                    applications,
                    new KafkaInputTopics(applications.get(0).kafka(), locations.bootstrapServers()),
                    starts))
            .uid("input-gate");

    SingleOutputStreamOperator<DecisionEvent> decisions =
        arrivals
            .keyBy(arrival -> arrival.key, Types.STRING)
            .transform(
                LEARNER,
                TypeInformation.of(DecisionEvent.class),
                new LearningOperator(
                    new LearningFunction(
                        applications,
                        locations.bootstrapServers(),
                        locations.models(),
                        locations.tensors(),
                        locations.predictions(),
                        locations.submission())))
            .uid(LEARNER);

    String servers = locations.bootstrapServers();
    decisions.sinkTo(Sinks.decisions(applications, servers)).name("decisions").uid("decisions");
    DataStream<ModelNotice> notices = decisions.getSideOutput(LearningFunction.NOTICES);
    if (applications.stream().anyMatch(each -> each.mixing().on())) {
      notices =
          notices.union(MixOperator.attach(decisions, applications, locations.models(), MIXER));
    }
    notices.sinkTo(Sinks.notices(applications, servers)).name("model notices").uid("model-notices");
    arrivals
        .getSideOutput(InputGate.DEAD_LETTERS)
        .union(decisions.getSideOutput(LearningFunction.REFUSED))
        .sinkTo(Sinks.deadLetters(applications, servers))
        .name("dead letters")
        .uid("dead-letters");
  }

  /**
   * Returns the best number of subtasks for the learners of a job.
   *
   * @param limit largest number of subtasks, at least 1: the number of cores of the process, or of
   *     slots of the cluster
   */
  public static int parallelism(List<ApplicationSettings> applications, int limit) {
    return LearnerPlacement.parallelism(
        applications.stream()
            .flatMap(app -> LearnerPlacement.keys(app.name(), app.partitions()).stream())
            .toList(),
        limit);
  }

  private static BoundedKafkaSource<Arrival> source(
      List<ApplicationSettings> applications, JobLocations locations, StartPositions starts) {
    String servers = locations.bootstrapServers();
    Properties properties = new Properties();
    properties.putAll(KafkaClients.inputConsumer(applications.get(0).kafka(), servers));
    // Flink's source sets this property itself, and would log a warning if it were set here.
    properties.remove(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG);
    EventDecoder decoder = new EventDecoder(applications);
    KafkaSourceBuilder<Arrival> source =
        KafkaSource.<Arrival>builder()
            .setBootstrapServers(servers)
            .setTopics(
                applications.stream()
                    .flatMap(
                        app ->
                            Stream.concat(
                                app.input().topics().stream(),
                                Stream.of(app.kafka().controlTopic())))
                    .distinct()
                    .toList())
            .setGroupId(locations.consumerGroup())
            .setClientIdPrefix(locations.consumerGroup())
            .setProperties(properties);
    Properties consumer = new Properties();
    consumer.putAll(properties);
    consumer.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    consumer.put(ConsumerConfig.GROUP_ID_CONFIG, locations.consumerGroup());
    consumer.put(KafkaSourceOptions.CLIENT_ID_PREFIX.key(), locations.consumerGroup());
    for (String key :
        List.of(
            ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
            ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG)) {
      consumer.put(key, ByteArrayDeserializer.class.getName());
    }
    return new BoundedKafkaSource<>(source, decoder, consumer, recordBytes(applications), starts);
  }

  /**
   * Returns the size in bytes of the largest record that one of the applications is allowed to
   * take.
   */
  private static int recordBytes(List<ApplicationSettings> applications) {
    long longest = applications.stream().mapToLong(KafkaClients::recordBytes).max().orElseThrow();
    return (int) Math.min(Integer.MAX_VALUE, longest);
  }
}
