package io.idlalayer.jobs.settings;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.embedding.RowSettings;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.Metric;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.Serializable;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One application file, checked and with every default filled in.
 *
 * @param name application name: letters, digits, dot, dash, underscore; at most 100 characters
 * @param partitions application partitions, 1 to {@link #MOST_PARTITIONS}; each is a complete
 *     learner with its own model
 * @param seed seed of everything random: initialisation, row order, selection
 * @param engine that trains the model and tests new samples with it
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
    Kafka kafka)
    implements Serializable {

  /** Most partitions: the key groups of a job, of which each learner has one. */
  public static final int MOST_PARTITIONS = 128;

  /** The same with other settings of Kafka. */
  public ApplicationSettings with(Kafka other) {
    return new ApplicationSettings(
        name, partitions, seed, input, model, engine, update, data, publishing, memory, other);
  }

  /** How events are encoded on the input topic. */
  public enum Format {
    JSON,
    CSV,
    CRITEO_TSV,
    BINARY
  }

  /**
   * Where events come from.
   *
   * @param header whether a CSV <em>file</em> handed to {@code --input} starts with a header line;
   *     events on the topic never do
   * @param delimiter one character between CSV fields
   * @param maxEventBytes a longer event is malformed
   * @param controlRecords where requests to the application are accepted
   */
  public record Input(
      String topic,
      Format format,
      boolean header,
      char delimiter,
      SampleSchema schema,
      int maxEventBytes,
      ControlRecords controlRecords)
      implements Serializable {
    /** With requests on the control topic only. */
    public Input(
        String topic,
        Format format,
        boolean header,
        char delimiter,
        SampleSchema schema,
        int maxEventBytes) {
      this(topic, format, header, delimiter, schema, maxEventBytes, ControlRecords.TOPIC);
    }

    /** The same with another schema. */
    public Input with(SampleSchema other) {
      return new Input(topic, format, header, delimiter, other, maxEventBytes, controlRecords);
    }
  }

  /** Where requests (end of input, train, explain, withdraw a label) are accepted. */
  public enum ControlRecords {
    /** On the control topic, which has access rights of its own. */
    TOPIC,
    /** On the input topic too: whoever may send events may also ask. */
    INPUT
  }

  /**
   * Where models go.
   *
   * @param directory root of the model folders, or {@code s3://BUCKET/PREFIX}; null means {@code
   *     models} in the work directory
   * @param keep newest versions kept, at least 2
   * @param gate what keeps a model that got worse from those who serve
   * @param onnx whether each version has an ONNX file too
   */
  public record Publishing(@Nullable String directory, int keep, GateSettings gate, boolean onnx)
      implements Serializable {
    /** Models are not compared. */
    public static Publishing of(@Nullable String directory, int keep) {
      return new Publishing(directory, keep, GateSettings.off(Metric.ACCURACY), false);
    }
  }

  /**
   * Where bytes live.
   *
   * @param slowDirectory directory of RocksDB's working files, on the slow device; null means
   *     {@code state} in the work directory
   * @param hotBytes what each learner of the application gives to the process's shared hot cache
   * @param hotPolicy which block leaves that cache when it is full
   * @param hotPlan whether what a learner gives is planned anew while it runs, {@code hotBytes} to
   *     start with
   * @param tensors of models while they train
   * @param rows of embedding tables, and which ids have one
   */
  public record Memory(
      @Nullable String slowDirectory,
      long hotBytes,
      PolicyName hotPolicy,
      boolean hotPlan,
      Tensors tensors,
      RowSettings rows)
      implements Serializable {
    /** 64 MiB for each learner. */
    public static final long DEFAULT_HOT_BYTES = 64L << 20;

    /** Of a model without tables. */
    public Memory(
        @Nullable String slowDirectory,
        long hotBytes,
        PolicyName hotPolicy,
        boolean hotPlan,
        Tensors tensors) {
      this(slowDirectory, hotBytes, hotPolicy, hotPlan, tensors, RowSettings.DEFAULT);
    }
  }

  /**
   * Where the tensors of models are while they train.
   *
   * @param fastBytes DRAM for those of all learners in one process; with 0 tensors are not placed,
   *     all are in DRAM
   * @param slowDirectory of the files that hold the rest; null means {@code tensors} in the work
   *     directory
   * @param slowBytes size of such a file, one for each training that may run at a time
   * @param policy which tensor is where
   */
  public record Tensors(
      long fastBytes, @Nullable String slowDirectory, long slowBytes, PlacementName policy)
      implements Serializable {
    /** Slow bytes for each fast one, if the former are not given. */
    public static final int DEFAULT_SLOW_RATIO = 4;

    /** Tensors are not placed: all are in DRAM. */
    public static final Tensors NONE = new Tensors(0, null, 0, PlacementName.CACHED_ARRAYS);

    /** Whether tensors are placed at all. */
    public boolean placed() {
      return fastBytes > 0;
    }
  }

  /**
   * Kafka clients.
   *
   * @param topicPrefix put before the names {@code dead-letters}, {@code models}, {@code
   *     decisions}, {@code inputs}
   * @param statusTopic compacted: how each learner is doing, by application and partition
   * @param controlTopic where requests are read
   * @param subscribersTopic compacted: heartbeats of those who serve the models
   * @param properties passed to every Kafka client as they are; values may hold secrets, so they
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

    /** With the topics that the prefix names. */
    public Kafka(String topicPrefix, Map<String, String> properties) {
      this(
          topicPrefix,
          statusTopic(topicPrefix),
          topicPrefix + "control",
          subscribersTopic(topicPrefix),
          properties);
    }

    /** The same with other properties. */
    public Kafka with(Map<String, String> others) {
      return new Kafka(topicPrefix, statusTopic, controlTopic, subscribersTopic, others);
    }

    /** What the status topic is called if nobody names it. */
    static String statusTopic(String topicPrefix) {
      return topicPrefix + "status";
    }

    /** What the topic of heartbeats is called if nobody names it. */
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

    /** Which inputs were sent how far; compacted. */
    public String inputsTopic() {
      return topicPrefix + "inputs";
    }
  }
}
