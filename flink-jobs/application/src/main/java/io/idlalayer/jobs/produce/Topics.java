package io.idlalayer.jobs.produce;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.jobs.topics.DeadLetter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates the topics of applications, and checks their settings. */
public final class Topics {
  private static final Logger LOG = LoggerFactory.getLogger(Topics.class);
  private static final long WAIT_SECONDS = 20;

  /** The replication factor that stands for the default of the broker. */
  private static final short DEFAULT_REPLICATION = -1;

  private static final long LOOK_AGAIN_MILLIS = 50;

  /**
   * Settings of the decision topic. The topic keeps the last GiB of decisions; a run with {@code
   * --decisions FILE} writes its decisions to a file too.
   */
  private static final Map<String, String> DECISIONS =
      Map.of(
          TopicConfig.CLEANUP_POLICY_CONFIG,
          TopicConfig.CLEANUP_POLICY_DELETE,
          TopicConfig.RETENTION_MS_CONFIG,
          "-1",
          TopicConfig.RETENTION_BYTES_CONFIG,
          Long.toString(1L << 30),
          TopicConfig.SEGMENT_BYTES_CONFIG,
          Integer.toString(64 << 20));

  /**
   * Settings of the status topic. Only closed segments are compacted, so segments are small and are
   * closed soon.
   */
  private static final Map<String, String> STATUS =
      Map.of(
          TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT,
          TopicConfig.SEGMENT_BYTES_CONFIG, Integer.toString(8 << 20),
          TopicConfig.SEGMENT_MS_CONFIG, Long.toString(3_600_000),
          TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG, "0.1",
          TopicConfig.MAX_COMPACTION_LAG_MS_CONFIG, Long.toString(6 * 3_600_000),
          TopicConfig.DELETE_RETENTION_MS_CONFIG, Long.toString(3_600_000));

  /** Largest size of a record that a broker accepts by default, in bytes. */
  private static final long BROKER_BYTES = 1 << 20;

  private static final long LETTER_BYTES =
      DeadLetter.EVENT_BYTES_MAX + KafkaClients.RECORD_OVERHEAD_BYTES;

  private Topics() {}

  /**
   * Creates the topics that are missing; existing topics are not changed.
   *
   * @throws IOException if the broker does not answer in time or refuses
   * @throws IllegalStateException if the topics of a pattern were not found before
   */
  public static void ensure(List<ApplicationSettings> applications, String servers)
      throws IOException, InterruptedException {
    applications.forEach(
        application -> {
          String unused = application.input().topic();
        });
    ensure(applications, servers, Topics::all);
  }

  /**
   * Returns the names of all topics that a client can see, except the internal topics of Kafka.
   *
   * @throws IOException if the broker does not answer in time or refuses
   */
  static Set<String> names(ApplicationSettings.Kafka kafka, String servers)
      throws IOException, InterruptedException {
    try (Admin admin = Admin.create(KafkaClients.admin(kafka, servers))) {
      return get(admin.listTopics().names(), servers);
    }
  }

  /**
   * Creates the missing output topics of an application, for a learner whose events do not come
   * from a topic.
   *
   * @throws IOException if the broker does not answer in time or refuses
   */
  public static void ensureOutputs(ApplicationSettings application, String servers)
      throws IOException, InterruptedException {
    ensure(List.of(application), servers, Topics::outputs);
  }

  private static void ensure(
      List<ApplicationSettings> applications,
      String servers,
      Function<ApplicationSettings, List<NewTopic>> topics)
      throws IOException, InterruptedException {
    Map<String, Object> properties = KafkaClients.admin(applications.get(0).kafka(), servers);
    try (Admin admin = Admin.create(properties)) {
      Set<String> existing = get(admin.listTopics().names(), servers);
      List<NewTopic> missing = new ArrayList<>();
      for (ApplicationSettings application : applications) {
        for (NewTopic topic : topics.apply(application)) {
          boolean planned = missing.stream().anyMatch(it -> it.name().equals(topic.name()));
          if (!existing.contains(topic.name()) && !planned) {
            missing.add(topic);
          }
        }
      }
      create(admin, missing, servers);
      awaitKnown(admin, missing.stream().map(NewTopic::name).toList(), servers);
      checkSizes(admin, applications, servers);
      ensureSubscribers(admin, applications, existing, servers);
    }
  }

  private static void create(Admin admin, List<NewTopic> missing, String servers)
      throws IOException, InterruptedException {
    for (KafkaFuture<Void> created : admin.createTopics(missing).values().values()) {
      awaitCreated(created, servers);
    }
  }

  /**
   * Creates the missing topics for the heartbeats of subscribers and for announcements of lenders.
   * The job works without them, for example if it has no right to create them.
   */
  private static void ensureSubscribers(
      Admin admin, List<ApplicationSettings> applications, Set<String> existing, String servers)
      throws IOException, InterruptedException {
    Set<String> wanted =
        applications.stream().flatMap(Topics::heartbeats).collect(Collectors.toSet());
    List<NewTopic> missing =
        wanted.stream()
            .filter(name -> !existing.contains(name))
            .map(
                name ->
                    new NewTopic(name, 1, DEFAULT_REPLICATION).configs(SubscribersTopic.CONFIGS))
            .toList();
    try {
      create(admin, missing, servers);
    } catch (IOException refused) {
      requireRefusal(refused);
      LOG.warn(
          "topics {} for heartbeats of subscribers or lenders were not created, the job continues without them: {}",
          missing.stream().map(NewTopic::name).sorted().collect(Collectors.joining(", ")),
          refused.getMessage());
    }
    Set<ConfigResource> others =
        wanted.stream().filter(existing::contains).map(Topics::topic).collect(Collectors.toSet());
    try {
      Set<String> timed =
          applications.stream()
              .map(application -> application.kafka().subscribersTopic())
              .collect(Collectors.toSet());
      complaints(described(admin, others, servers), timed).forEach(LOG::warn);
    } catch (IOException refused) {
      // A client without the right to describe the topic cannot check the topic.
      requireRefusal(refused);
    }
  }

  /**
   * Creates a compacted topic for heartbeats if it is missing.
   *
   * @throws IOException if the broker does not answer in time or refuses
   */
  public static void ensureHeartbeats(ApplicationSettings.Kafka kafka, String servers, String name)
      throws IOException, InterruptedException {
    try (Admin admin = Admin.create(KafkaClients.admin(kafka, servers))) {
      Set<String> existing = get(admin.listTopics().names(), servers);
      if (!existing.contains(name)) {
        create(
            admin,
            List.of(new NewTopic(name, 1, DEFAULT_REPLICATION).configs(SubscribersTopic.CONFIGS)),
            servers);
        awaitKnown(admin, List.of(name), servers);
      }
    }
  }

  private static Stream<String> heartbeats(ApplicationSettings application) {
    String lending = application.memory().lending().topic();
    return Stream.of(application.kafka().subscribersTopic(), lending)
        .filter(name -> !name.isEmpty());
  }

  /** Rethrows a failure that is not a refusal by the broker. */
  private static void requireRefusal(IOException failed) throws IOException {
    Throwable cause = failed.getCause();
    if (!(cause instanceof ApiException) || cause instanceof RetriableException) {
      throw failed;
    }
  }

  /**
   * @param timed topics whose readers use the times of the records
   */
  private static List<String> complaints(Map<ConfigResource, Config> topics, Set<String> timed) {
    List<String> complaints = new ArrayList<>();
    topics.forEach(
        (topic, config) ->
            complaints.addAll(
                SubscribersTopic.complaints(topic.name(), config, timed.contains(topic.name()))));
    return complaints;
  }

  /**
   * Checks that each topic accepts large records, because a topic that another party created with a
   * low limit would end the job at the first large record.
   */
  private static void checkSizes(
      Admin admin, List<ApplicationSettings> applications, String servers)
      throws IOException, InterruptedException {
    Map<ConfigResource, Long> needed = new HashMap<>();
    for (ApplicationSettings application : applications) {
      needed.put(topic(application.kafka().deadLettersTopic()), LETTER_BYTES);
      needed.put(topic(application.kafka().decisionsTopic()), BROKER_BYTES);
    }
    Map<ConfigResource, Config> found;
    try {
      found = described(admin, needed.keySet(), servers);
    } catch (IOException refused) {
      if (refused.getCause() instanceof AuthorizationException) {
        // A client without the right to describe the topic learns of a low limit only with the
        // first record that is too large.
        return;
      }
      throw refused;
    }
    for (Map.Entry<ConfigResource, Config> each : found.entrySet()) {
      ConfigEntry limit = each.getValue().get(TopicConfig.MAX_MESSAGE_BYTES_CONFIG);
      long least = needed.getOrDefault(each.getKey(), 0L);
      if (limit != null && limit.value() != null && Long.parseLong(limit.value()) < least) {
        throw new IOException(
            "topic %s takes records of at most %s bytes, and %d are needed: raise its %s"
                .formatted(
                    each.getKey().name(),
                    limit.value(),
                    least,
                    TopicConfig.MAX_MESSAGE_BYTES_CONFIG));
      }
    }
  }

  /**
   * Waits until the brokers know the created topics, because a new topic is not known to every
   * broker at once.
   */
  private static void awaitKnown(Admin admin, List<String> topics, String servers)
      throws IOException, InterruptedException {
    try {
      whenKnown(() -> admin.describeTopics(topics).allTopicNames(), servers);
    } catch (IOException refused) {
      // A client with the right to create topics but not to describe them finds the topics when it
      // sends the first record.
      if (!(refused.getCause() instanceof AuthorizationException)) {
        throw refused;
      }
    }
  }

  private static Map<ConfigResource, Config> described(
      Admin admin, Set<ConfigResource> topics, String servers)
      throws IOException, InterruptedException {
    return whenKnown(() -> admin.describeConfigs(topics).all(), servers);
  }

  /**
   * Repeats a question to the broker while a topic that was just created, here or by another job,
   * is unknown to it.
   */
  private static <T> T whenKnown(Supplier<KafkaFuture<T>> question, String servers)
      throws IOException, InterruptedException {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
    while (true) {
      try {
        return get(question.get(), servers);
      } catch (IOException refused) {
        boolean unknown = refused.getCause() instanceof UnknownTopicOrPartitionException;
        if (!unknown || System.nanoTime() > deadlineNanos) {
          throw refused;
        }
        TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN_MILLIS);
      }
    }
  }

  private static ConfigResource topic(String name) {
    return new ConfigResource(ConfigResource.Type.TOPIC, name);
  }

  private static void awaitCreated(KafkaFuture<Void> created, String servers)
      throws IOException, InterruptedException {
    try {
      get(created, servers);
    } catch (TopicExistsException somebodyElseDid) {
      return;
    }
  }

  private static List<NewTopic> all(ApplicationSettings application) {
    ApplicationSettings.Kafka kafka = application.kafka();
    List<NewTopic> topics = new ArrayList<>();
    long longest = KafkaClients.recordBytes(application);
    for (String name : application.input().topics()) {
      NewTopic input = new NewTopic(name, application.partitions(), DEFAULT_REPLICATION);
      if (longest > BROKER_BYTES) {
        input.configs(
            Map.of(
                TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
                Long.toString(Math.min(Integer.MAX_VALUE, longest))));
      }
      topics.add(input);
    }
    topics.add(new NewTopic(kafka.controlTopic(), 1, DEFAULT_REPLICATION));
    topics.add(compacted(new NewTopic(kafka.inputsTopic(), 1, DEFAULT_REPLICATION)));
    topics.addAll(outputs(application));
    return topics;
  }

  private static List<NewTopic> outputs(ApplicationSettings application) {
    ApplicationSettings.Kafka kafka = application.kafka();
    return List.of(
        new NewTopic(kafka.deadLettersTopic(), 1, DEFAULT_REPLICATION),
        new NewTopic(kafka.decisionsTopic(), 1, DEFAULT_REPLICATION).configs(DECISIONS),
        new NewTopic(kafka.statusTopic(), 1, DEFAULT_REPLICATION).configs(STATUS),
        compacted(new NewTopic(kafka.modelsTopic(), 1, DEFAULT_REPLICATION)));
  }

  private static NewTopic compacted(NewTopic topic) {
    return topic.configs(
        Map.of(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT));
  }

  private static <T> T get(KafkaFuture<T> future, String servers)
      throws IOException, InterruptedException {
    try {
      return future.get(WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException failed) {
      Throwable cause = failed.getCause();
      if (cause instanceof TopicExistsException exists) {
        throw exists;
      }
      if (cause instanceof org.apache.kafka.common.errors.TimeoutException) {
        throw unreachable(servers, cause);
      }
      if (cause instanceof SslAuthenticationException) {
        throw new IOException(
            ("no TLS connection to the broker at %s: %s; check ssl.truststore.location and the"
                    + " other ssl keys of kafka.properties in the application file")
                .formatted(servers, cause.getMessage()),
            cause);
      }
      if (cause instanceof AuthenticationException) {
        throw new IOException(
            ("the broker at %s refuses the login: %s; check sasl.mechanism and sasl.jaas.config of"
                    + " kafka.properties in the application file")
                .formatted(servers, cause.getMessage()),
            cause);
      }
      throw new IOException("the broker at " + servers + " refuses: " + cause, cause);
    } catch (TimeoutException late) {
      throw unreachable(servers, late);
    }
  }

  private static IOException unreachable(String servers, Throwable cause) {
    return new IOException(
        "no Kafka broker answers at %s: check that it runs and that the address is right"
            .formatted(servers),
        cause);
  }
}
