package io.idlalayer.jobs.settings;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.records.RecordSchemas;
import io.idlalayer.jobs.settings.comparison.ComparisonSettings;
import io.idlalayer.jobs.settings.lending.LendingSettings;
import io.idlalayer.jobs.settings.memory.FastBudget;
import io.idlalayer.jobs.settings.memory.Tensors;
import io.idlalayer.jobs.settings.mixing.MixingSettings;
import io.idlalayer.jobs.start.StartAt;
import io.idlalayer.jobs.start.TopicPattern;
import io.idlalayer.middleware.cache.budget.FastUse;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.sample.HashKey;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.text.TextForm;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.Metric;
import io.idlalayer.modelcontroller.quality.QualityMetric;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.TargetLoss;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One application file, checked and with every default filled in.
 *
 * @param name application name: letters, digits, dot, dash, underscore; at most 100 characters
 * @param partitions application partitions, 1 to {@link #MOST_PARTITIONS}; each is a complete
 *     learner, with its own model unless models are mixed
 * @param seed seed of all random choices: initialisation, row order, selection
 * @param engine engine that trains the model and scores new samples with it
 * @param metric metric that the release gate, warnings and overviews use
 * @param references whether versions average the network with simple rules that need no model, by
 *     weights learned on new samples
 * @param mixing whether the partitions learn one model together
 * @param comparison whether new events test older versions of the model too
 * @param start file of the trained network that the first training begins with; null for a new one
 */
public record ApplicationSettings(
    String name,
    int partitions,
    long seed,
    Input input,
    ModelSpec model,
    EngineName engine,
    UpdateSettings update,
    DataSettings data,
    Publishing publishing,
    Memory memory,
    Kafka kafka,
    QualityMetric metric,
    boolean references,
    MixingSettings mixing,
    ComparisonSettings comparison,
    @Nullable String start)
    implements Serializable {

  /**
   * Creates the settings of an application with these defaults: the usual metric of its label,
   * references that are served with a network that is trained for means, no mixing of models, and
   * no comparison of versions.
   */
  public ApplicationSettings(
      String name,
      int partitions,
      long seed,
      Input input,
      ModelSpec model,
      EngineName engine,
      UpdateSettings update,
      DataSettings data,
      Publishing publishing,
      Memory memory,
      Kafka kafka) {
    this(
        name,
        partitions,
        seed,
        input,
        model,
        engine,
        update,
        data,
        publishing,
        memory,
        kafka,
        QualityMetric.usual(input.schema().label(), !input.schema().ids().isEmpty()),
        model.loss().equals(TargetLoss.SQUARED),
        MixingSettings.NONE,
        ComparisonSettings.NONE,
        null);
  }

  /**
   * Largest number of partitions: the number of key groups in a job, of which each learner has one.
   */
  public static final int MOST_PARTITIONS = 128;

  /** Returns these settings with other settings of Kafka. */
  public ApplicationSettings with(Kafka other) {
    return with(input, publishing, other);
  }

  /** Returns these settings with other settings of mixing. */
  public ApplicationSettings with(MixingSettings other) {
    return with(other, comparison, start);
  }

  /** Returns these settings with other settings of the comparison of versions. */
  public ApplicationSettings with(ComparisonSettings other) {
    return with(mixing, other, start);
  }

  /** Returns these settings with the file of the network with which the first training begins. */
  public ApplicationSettings startingWith(String file) {
    return with(mixing, comparison, file);
  }

  private ApplicationSettings with(
      MixingSettings otherMixing, ComparisonSettings otherComparison, @Nullable String otherStart) {
    return new ApplicationSettings(
        name,
        partitions,
        seed,
        input,
        model,
        engine,
        update,
        data,
        publishing,
        memory,
        kafka,
        metric,
        references,
        otherMixing,
        otherComparison,
        otherStart);
  }

  /** Returns these settings with another root of the model folders. */
  public ApplicationSettings publishingTo(String directory) {
    Publishing other =
        new Publishing(
            directory, publishing.everySeconds, publishing.keep, publishing.gate, publishing.onnx);
    return with(input, other, kafka);
  }

  /** Returns these settings with JSON as the format of events. */
  public ApplicationSettings withJsonEvents() {
    Input json =
        new Input(
            input.topic,
            Format.JSON,
            false,
            TextForm.PLAIN,
            input.schema,
            input.maxEventBytes,
            input.controlRecords);
    return with(json, publishing, kafka);
  }

  /** Returns these settings with other schemas of records, for code that reads files of records. */
  public ApplicationSettings with(RecordSchemas schemas) {
    Input other =
        new Input(
            input.topic,
            input.furtherTopics,
            input.format,
            input.header,
            input.text,
            input.schema,
            input.maxEventBytes,
            input.controlRecords,
            input.labels,
            input.start,
            schemas,
            input.topicPattern);
    return with(other, publishing, kafka);
  }

  private ApplicationSettings with(Input otherInput, Publishing otherPublishing, Kafka otherKafka) {
    return new ApplicationSettings(
        name,
        partitions,
        seed,
        otherInput,
        model,
        engine,
        update,
        data,
        otherPublishing,
        memory,
        otherKafka,
        metric,
        references,
        mixing,
        comparison,
        start);
  }

  /**
   * Returns these settings with one topic of events, for what sends to it.
   *
   * @throws IllegalArgumentException if it is not one of them, or a match takes too many steps
   */
  public ApplicationSettings ofTopic(String topic) {
    if (!input.takesEventsOf(topic)) {
      throw new IllegalArgumentException(
          "events of %s are not read from topic %s, but from %s"
              .formatted(
                  name,
                  topic,
                  input.topicPattern == null
                      ? String.join(", ", input.eventTopics())
                      : "topics that match " + input.topicPattern));
    }
    String role = ApplicationSet.otherRole(topic, ApplicationSet.rolesBesideEvents(List.of(this)));
    if (role != null && !input.eventTopics().contains(topic)) {
      throw new IllegalArgumentException("topic %s is %s".formatted(topic, role));
    }
    return with(input.only(topic), publishing, kafka);
  }

  /**
   * Returns these settings with the topics of events that their pattern matches.
   *
   * @param topics at least one
   */
  public ApplicationSettings withTopics(List<String> topics) {
    return with(input.of(topics), publishing, kafka);
  }

  /**
   * Returns these settings with the labels as input, for code that sends and reads labels.
   *
   * @throws IllegalStateException if labels have no separate topic
   */
  public ApplicationSettings ofLabels() {
    return with(input.ofLabels(), publishing, kafka);
  }

  /**
   * Returns these settings with a secret key of the hashes of ids. Settings of binary events get no
   * key, because such events carry the keys of their rows, which their producer has computed.
   */
  public ApplicationSettings with(HashKey key) {
    HashKey ofRows = input.format() == Format.BINARY ? HashKey.NONE : key;
    return new ApplicationSettings(
        name,
        partitions,
        seed,
        input.with(input.schema().with(ofRows)),
        model.with(model.schema().with(ofRows)),
        engine,
        update,
        data.with(key),
        publishing,
        memory,
        kafka,
        metric,
        references,
        mixing,
        comparison,
        start);
  }

  /** The encoding of events on the input topic. */
  public enum Format {
    JSON,
    CSV,
    CRITEO_TSV,
    BINARY,
    AVRO,
    PROTOBUF;

    /** Returns whether events are records, whose schemas come from a registry or a file. */
    public boolean ofRecords() {
      return this == AVRO || this == PROTOBUF;
    }

    /** Returns whether events name their fields, so that the application can name any of them. */
    public boolean namesFields() {
      return this == JSON || ofRecords();
    }
  }

  /**
   * The settings for the events of the input topics: their format, schema and limits.
   *
   * @param topic the topic of events, or the first one; "" as long as no topic of {@code
   *     topicPattern} is known
   * @param furtherTopics the other topics of events, whose events have the same form
   * @param header whether a CSV <em>file</em> handed to {@code --input} starts with a header line;
   *     events on the topic never do
   * @param text encoding of events that are text, and how their fields are delimited and written
   * @param maxEventBytes largest number of bytes of an event; a longer event is malformed
   * @param controlRecords topics on which requests to the application are accepted
   * @param labels labels that come by id on a separate topic; null if there is none
   * @param start where reading of the topic begins if no state has its positions
   * @param schemas source of the schemas of records; null for other formats
   * @param topicPattern regular expression that the whole names of the topics of events match; null
   *     if the application names its topics
   */
  public record Input(
      String topic,
      List<String> furtherTopics,
      Format format,
      boolean header,
      TextForm text,
      SampleSchema schema,
      int maxEventBytes,
      ControlRecords controlRecords,
      @Nullable Labels labels,
      StartAt start,
      @Nullable RecordSchemas schemas,
      @Nullable String topicPattern)
      implements Serializable {
    public Input {
      furtherTopics = List.copyOf(furtherTopics);
    }

    /** Creates an input of one topic, read from its beginning, whose events are not records. */
    public Input(
        String topic,
        Format format,
        boolean header,
        TextForm text,
        SampleSchema schema,
        int maxEventBytes,
        ControlRecords controlRecords,
        @Nullable Labels labels) {
      this(
          topic,
          List.of(),
          format,
          header,
          text,
          schema,
          maxEventBytes,
          controlRecords,
          labels,
          StartAt.EARLIEST,
          null,
          null);
    }

    /** Creates an input whose labels come on the topic of the events. */
    public Input(
        String topic,
        Format format,
        boolean header,
        TextForm text,
        SampleSchema schema,
        int maxEventBytes,
        ControlRecords controlRecords) {
      this(topic, format, header, text, schema, maxEventBytes, controlRecords, null);
    }

    /** Creates an input that accepts requests on the control topic only. */
    public Input(
        String topic,
        Format format,
        boolean header,
        TextForm text,
        SampleSchema schema,
        int maxEventBytes) {
      this(topic, format, header, text, schema, maxEventBytes, ControlRecords.TOPIC);
    }

    /** Returns this input with another schema. */
    public Input with(SampleSchema other) {
      Labels own = labels == null ? null : labels.with(other.label().targets());
      return new Input(
          topic,
          furtherTopics,
          format,
          header,
          text,
          other,
          maxEventBytes,
          controlRecords,
          own,
          start,
          schemas,
          topicPattern);
    }

    /** Returns this input with the topics of events that its pattern matches. */
    Input of(List<String> topics) {
      return new Input(
          topics.get(0),
          topics.subList(1, topics.size()),
          format,
          header,
          text,
          schema,
          maxEventBytes,
          controlRecords,
          labels,
          start,
          schemas,
          topicPattern);
    }

    /** Returns this input with only one of its topics of events, for a producer to this topic. */
    Input only(String of) {
      return new Input(
          of,
          List.of(),
          format,
          header,
          text,
          schema,
          maxEventBytes,
          controlRecords,
          labels,
          start,
          schemas,
          null);
    }

    /**
     * Returns the topic of events, or the first one.
     *
     * @throws IllegalStateException if the topics of a pattern are not known yet
     */
    @Override
    public String topic() {
      if (topic.isEmpty()) {
        throw new IllegalStateException("no topic of the pattern " + topicPattern + " is known");
      }
      return topic;
    }

    /** Returns the topics of events; empty while the topics of a pattern are not known. */
    public List<String> eventTopics() {
      return topic.isEmpty() ? List.of() : allTopics();
    }

    private List<String> allTopics() {
      return Stream.concat(Stream.of(topic), furtherTopics.stream()).toList();
    }

    /** Returns the topics of events and labels. */
    public List<String> topics() {
      Labels own = labels;
      return own == null
          ? eventTopics()
          : Stream.concat(eventTopics().stream(), Stream.of(own.topic())).toList();
    }

    /** Returns whether a topic is a topic of events or labels. */
    public boolean reads(String name) {
      return takesEventsOf(name) || (labels != null && name.equals(labels.topic()));
    }

    /** Returns whether a topic has events, or can become such a topic because its name matches. */
    public boolean takesEventsOf(String name) {
      String pattern = topicPattern;
      boolean ofLabels = labels != null && name.equals(labels.topic());
      return name.equals(topic)
          || furtherTopics.contains(name)
          || (pattern != null && !ofLabels && new TopicPattern(pattern).matches(name));
    }

    /**
     * Returns the labels as an input, whose schema has only an id and a label.
     *
     * @throws IllegalStateException if labels have no separate topic
     */
    public Input ofLabels() {
      Labels own = labels;
      if (own == null) {
        throw new IllegalStateException("labels come on the topic of the events, " + topic);
      }
      return new Input(
          own.topic(),
          List.of(),
          own.format(),
          own.header(),
          own.text(),
          own.schema(),
          maxEventBytes,
          controlRecords,
          null,
          own.start(),
          own.schemas(),
          null);
    }
  }

  /**
   * The settings of a topic that brings labels by the ids of their events.
   *
   * @param format JSON, CSV, AVRO or PROTOBUF
   * @param header whether a CSV <em>file</em> of labels starts with a header line
   * @param schema names of the fields with id and label, without features
   * @param start where reading of the topic begins if no state has its positions
   * @param schemas source of the schemas of records; null for other formats
   */
  public record Labels(
      String topic,
      Format format,
      boolean header,
      TextForm text,
      SampleSchema schema,
      StartAt start,
      @Nullable RecordSchemas schemas)
      implements Serializable {
    /** Creates the settings of labels in text, which need no schemas of records. */
    public Labels(String topic, Format format, boolean header, TextForm text, SampleSchema schema) {
      this(topic, format, header, text, schema, StartAt.EARLIEST, null);
    }

    /** Returns these settings with another range of numbers for labels. */
    Labels with(SampleSchema.Targets targets) {
      SampleSchema.Label label = schema.label();
      SampleSchema.Label other =
          new SampleSchema.Label(label.name(), label.task(), label.classes(), targets);
      return new Labels(topic, format, header, text, schema.with(other), start, schemas);
    }
  }

  /** The topics on which requests (end of input, train, explain, withdraw a label) are accepted. */
  public enum ControlRecords {
    /** Requests are accepted only on the control topic, which has separate access rights. */
    TOPIC,
    /**
     * Requests are accepted on the input topic too: a client with the right to send events can then
     * also send requests.
     */
    INPUT
  }

  /**
   * The settings for publishing models.
   *
   * @param directory root of the model folders, or {@code s3://BUCKET/PREFIX}; null means {@code
   *     models} in the work directory
   * @param everySeconds least time between two publications; 0 publishes the model of each update,
   *     null as often as it pays, and at the latest 100 ms after the publication before
   * @param keep number of newest versions that are kept, at least 2
   * @param gate the release gate, which keeps worse models out of service
   * @param onnx whether each version has an ONNX file too
   */
  public record Publishing(
      @Nullable String directory,
      @Nullable Double everySeconds,
      int keep,
      GateSettings gate,
      boolean onnx)
      implements Serializable {
    /** Returns settings with which models are not compared, and each model is published. */
    public static Publishing of(@Nullable String directory, int keep) {
      return new Publishing(directory, 0.0, keep, GateSettings.off(Metric.ACCURACY), false);
    }
  }

  /**
   * The settings for the use of DRAM and of the slow device.
   *
   * @param slowDirectory directory of RocksDB's working files; null: {@code state} in the work one
   * @param hotBytes bytes that each learner gives to the process's shared hot cache
   * @param hotPolicy the policy that chooses the block to evict when that cache is full
   * @param hotPlan whether a learner's share of that cache is planned again while it runs
   * @param tensors tensors of models during a training
   * @param rows rows of embedding tables, and the rule by which an id gets one
   * @param sharedDirectory directory in which the processes of a host share hot caches, or null
   * @param lending memory that processes lend and borrow
   * @param budget the DRAM that is divided, whose sizes above are those at first; null for none
   */
  public record Memory(
      @Nullable String slowDirectory,
      long hotBytes,
      PolicyName hotPolicy,
      boolean hotPlan,
      Tensors tensors,
      RowSettings rows,
      @Nullable String sharedDirectory,
      LendingSettings lending,
      @Nullable FastBudget budget)
      implements Serializable {
    /** Default of {@code hotBytes}: 64 MiB for each learner. */
    public static final long DEFAULT_HOT_BYTES = 64L << 20;

    /** Returns whether a use has a part of a budget, so that its size can change. */
    public boolean divides(FastUse use) {
      return budget != null && budget.divides(use);
    }

    /** Returns settings of a process with a hot cache of this size that is not shared. */
    public static Memory ofHotBytes(long bytes) {
      var none = LendingSettings.NONE;
      var rows = RowSettings.DEFAULT;
      var policy = PolicyName.ADAPTIVE;
      return new Memory(null, bytes, policy, false, Tensors.NONE, rows, null, none, null);
    }
  }

  /**
   * The settings of Kafka clients.
   *
   * @param topicPrefix prefix of names such as {@code dead-letters}, {@code models}, {@code inputs}
   * @param statusTopic compacted topic with the status of each learner of each application
   * @param controlTopic topic from which requests are read
   * @param subscribersTopic compacted topic with the heartbeats of the processes that serve models
   * @param properties properties for every Kafka client, unchanged; values may be secrets, so they
   *     are never printed
   */
  public record Kafka(
      String topicPrefix,
      String statusTopic,
      String controlTopic,
      String subscribersTopic,
      Map<String, String> properties)
      implements Serializable {
    public Kafka {
      properties = java.util.Collections.unmodifiableMap(new TreeMap<>(properties));
    }

    /** Creates settings with the topics that the prefix names. */
    public Kafka(String topicPrefix, Map<String, String> properties) {
      this(
          topicPrefix,
          statusTopic(topicPrefix),
          topicPrefix + "control",
          subscribersTopic(topicPrefix),
          properties);
    }

    /** Returns these settings with other properties. */
    public Kafka with(Map<String, String> others) {
      return new Kafka(topicPrefix, statusTopic, controlTopic, subscribersTopic, others);
    }

    /** Returns the default name of the status topic. */
    static String statusTopic(String topicPrefix) {
      return topicPrefix + "status";
    }

    /** Returns the default name of the topic for heartbeats. */
    static String subscribersTopic(String topicPrefix) {
      return topicPrefix + "subscribers";
    }

    @Override
    public String toString() {
      return "Kafka[topicPrefix=%s, controlTopic=%s, properties=%s]"
          .formatted(topicPrefix, controlTopic, properties.keySet());
    }

    public String deadLettersTopic() {
      return topicPrefix + "dead-letters";
    }

    public String modelsTopic() {
      return topicPrefix + "models";
    }

    public String decisionsTopic() {
      return topicPrefix + "decisions";
    }

    /** Returns the name of the compacted topic that records how far each input was sent. */
    public String inputsTopic() {
      return topicPrefix + "inputs";
    }
  }
}
