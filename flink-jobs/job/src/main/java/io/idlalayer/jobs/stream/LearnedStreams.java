package io.idlalayer.jobs.stream;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.job.Sinks;
import io.idlalayer.jobs.operator.LearningFunction;
import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.source.Arrival;
import io.idlalayer.jobs.source.InputGate;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import java.io.IOException;
import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/** The output streams of a learner that was attached to a stream. */
public final class LearnedStreams {
  private final ApplicationSettings application;
  private final SingleOutputStreamOperator<Arrival> arrivals;
  private final SingleOutputStreamOperator<DecisionEvent> decisions;
  private final DataStream<ModelNotice> notices;

  LearnedStreams(
      ApplicationSettings application,
      SingleOutputStreamOperator<Arrival> arrivals,
      SingleOutputStreamOperator<DecisionEvent> decisions,
      DataStream<ModelNotice> notices) {
    this.application = application;
    this.arrivals = arrivals;
    this.decisions = decisions;
    this.notices = notices;
  }

  /** Returns the decisions and statuses of the learners. */
  public DataStream<DecisionEvent> decisions() {
    return decisions;
  }

  /** Returns the notices of published models. */
  public DataStream<ModelNotice> notices() {
    return notices;
  }

  /** Returns the events that could not be decoded and the events that a learner has refused. */
  public DataStream<DeadLetter> deadLetters() {
    return arrivals
        .getSideOutput(InputGate.DEAD_LETTERS)
        .union(decisions.getSideOutput(LearningFunction.REFUSED));
  }

  /**
   * Writes all output streams to the topics of the application. The console and the commands can
   * then be used as for a job that reads a topic. Creates topics that are missing.
   *
   * @param servers Kafka servers, "host:port,...", which this process and all TaskManagers reach
   * @throws IOException if no server answers, or a server refuses the request
   */
  public DataStreamSink<?> toKafka(String servers) throws IOException, InterruptedException {
    Topics.ensureOutputs(application, servers);
    List<ApplicationSettings> only = List.of(application);
    return decisions
        .map(new ToOutput<>(Sinks.decisions(only)))
        .returns(OutputRecord.class)
        .union(
            notices().map(new ToOutput<>(Sinks.notices(only))).returns(OutputRecord.class),
            deadLetters().map(new ToOutput<>(Sinks.deadLetters(only))).returns(OutputRecord.class))
        .sinkTo(Sinks.records(only, servers, OutputRecord::toRecord))
        .name(name("kafka"))
        .uid(name("kafka"));
  }

  /** Writes decisions and dead letters to the log of the TaskManagers. */
  public DataStreamSink<?> toLog() {
    TypeInformation<String> text = Types.STRING;
    return decisions
        .filter(decision -> decision.type() != DecisionEvent.Type.STATUS)
        .map(LearnedStreams::line, text)
        .union(deadLetters().map(LearnedStreams::line, text))
        .sinkTo(new LogSink())
        .name(name("log"))
        .uid(name("log"));
  }

  private String name(String operator) {
    return application.name() + "-" + operator;
  }

  private static String line(DecisionEvent decision) {
    return "%s: %s: %s".formatted(decision.learner(), decision.type(), decision.message());
  }

  private static String line(DeadLetter letter) {
    return "%s: %s%s".formatted(letter.application(), LogSink.DEAD_LETTER, letter.reason());
  }
}
