package io.idlalayer.sql;

import io.idlalayer.middleware.models.http.HttpModelSettings;
import io.idlalayer.middleware.models.manifest.Alias;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.serve.ModelSubscriber.WhenStale;
import io.idlalayer.middleware.models.storage.cache.VersionCacheSettings;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.Serializable;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.jspecify.annotations.Nullable;

/**
 * The options after {@code WITH} in {@code CREATE MODEL}.
 *
 * @param store folder of published models, {@code s3://BUCKET/PREFIX}, or the address that {@code
 *     idla models serve} printed
 * @param tokenFile file with the token that a server requires; null if there is none
 * @param alias alias of the version to follow; null to follow the version in service
 * @param poll time between two reads of the store
 * @param waitForModel longest time that a query waits for the first version when it starts
 * @param maxStaleness staleness above which answers are refused or a warning is logged; null for no
 *     limit
 * @param heartbeats target of heartbeats; null to send none
 * @param cacheFolder folder on each host in which the host's processes share files of versions;
 *     null to share none
 * @param cacheBytes most bytes of this folder
 */
record ModelOptions(
    String store,
    @Nullable String tokenFile,
    String application,
    int partition,
    @Nullable String alias,
    Duration poll,
    Duration waitForModel,
    @Nullable Duration maxStaleness,
    WhenStale whenStale,
    @Nullable HeartbeatTarget heartbeats,
    @Nullable String cacheFolder,
    long cacheBytes)
    implements Serializable {
  private static final int MOST_PARTITIONS = 1 << 20;

  static final ConfigOption<String> STORE =
      ConfigOptions.key("store")
          .stringType()
          .noDefaultValue()
          .withDescription("Folder of published models, or address of a server or object store.");
  static final ConfigOption<String> TOKEN_FILE =
      ConfigOptions.key("token-file")
          .stringType()
          .noDefaultValue()
          .withDescription("File with the token that the server wants, on each TaskManager.");
  static final ConfigOption<String> APPLICATION =
      ConfigOptions.key("application")
          .stringType()
          .noDefaultValue()
          .withDescription("Application whose models predict.");
  static final ConfigOption<Integer> PARTITION =
      ConfigOptions.key("partition")
          .intType()
          .defaultValue(0)
          .withDescription("Application partition.");
  static final ConfigOption<String> ALIAS =
      ConfigOptions.key("alias")
          .stringType()
          .noDefaultValue()
          .withDescription("Alias of a version, instead of the version in service.");
  static final ConfigOption<Duration> POLL =
      ConfigOptions.key("poll-interval")
          .durationType()
          .noDefaultValue()
          .withDescription(
              "How often the store is looked at: by default every 200 ms, and every 2 s in an object"
                  + " store.");
  static final ConfigOption<Duration> WAIT =
      ConfigOptions.key("wait-for-model")
          .durationType()
          .defaultValue(Duration.ofSeconds(60))
          .withDescription("How long a query waits for the first version when it starts.");
  static final ConfigOption<Duration> MAX_STALENESS =
      ConfigOptions.key("max-staleness")
          .durationType()
          .noDefaultValue()
          .withDescription("Staleness above which answers are refused, or a warning is logged.");
  static final ConfigOption<WhenStale> WHEN_STALE =
      ConfigOptions.key("when-stale")
          .enumType(WhenStale.class)
          .defaultValue(WhenStale.WARN)
          .withDescription(
              "What happens after max-staleness: the query fails, or a warning is logged.");

  static final ConfigOption<Map<String, String>> HEARTBEATS =
      ConfigOptions.key("heartbeats.properties")
          .mapType()
          .noDefaultValue()
          .withDescription("Properties of the Kafka client that sends heartbeats.");
  static final ConfigOption<String> HEARTBEATS_TOPIC =
      ConfigOptions.key("heartbeats.topic")
          .stringType()
          .noDefaultValue()
          .withDescription("Topic of heartbeats: by default APPLICATION-subscribers.");

  static final ConfigOption<String> CACHE_FOLDER =
      ConfigOptions.key("cache-folder")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "Folder on each TaskManager's host in which processes share files of versions.");
  static final ConfigOption<MemorySize> CACHE_BYTES =
      ConfigOptions.key("cache-bytes")
          .memoryType()
          .defaultValue(new MemorySize(VersionCacheSettings.USUAL_BYTES))
          .withDescription("Most bytes of cache-folder.");

  static final Set<ConfigOption<?>> REQUIRED = Set.of(STORE, APPLICATION);
  static final Set<ConfigOption<?>> OPTIONAL =
      Set.of(
          TOKEN_FILE,
          PARTITION,
          ALIAS,
          POLL,
          WAIT,
          MAX_STALENESS,
          WHEN_STALE,
          HEARTBEATS,
          HEARTBEATS_TOPIC,
          CACHE_FOLDER,
          CACHE_BYTES);

  /**
   * Returns the checked options of a {@code CREATE MODEL} statement.
   *
   * @throws ValidationException if an option is out of its range
   */
  static ModelOptions of(ReadableConfig config) {
    int partition = config.get(PARTITION);
    check(
        partition >= 0 && partition < MOST_PARTITIONS,
        "'partition' is a number from 0, not " + partition);
    Duration poll =
        config.getOptional(POLL).isPresent()
            ? positive(POLL, config)
            : usualPoll(config.get(STORE));
    checkStore(config.get(STORE));
    check(
        isServer(config.get(STORE)) || config.getOptional(TOKEN_FILE).isEmpty(),
        "'token-file' has no effect: 'store' is not the address of a server");
    Duration wait = config.get(WAIT);
    check(!wait.isNegative(), "'wait-for-model' must not be negative");
    Duration staleness =
        config.getOptional(MAX_STALENESS).isPresent() ? positive(MAX_STALENESS, config) : null;
    check(
        staleness != null || config.getOptional(WHEN_STALE).isEmpty(),
        "'when-stale' has no effect without 'max-staleness'");
    try {
      new ApplicationPartition(config.get(APPLICATION), partition);
      config.getOptional(ALIAS).ifPresent(Alias::checked);
    } catch (IllegalArgumentException noName) {
      throw new ValidationException("'application' or 'alias': " + noName.getMessage(), noName);
    }
    return new ModelOptions(
        config.get(STORE),
        config.getOptional(TOKEN_FILE).orElse(null),
        config.get(APPLICATION),
        partition,
        config.getOptional(ALIAS).orElse(null),
        poll,
        wait,
        staleness,
        config.get(WHEN_STALE),
        heartbeats(config),
        config.getOptional(CACHE_FOLDER).orElse(null),
        cacheBytes(config));
  }

  private static long cacheBytes(ReadableConfig config) {
    check(
        config.getOptional(CACHE_FOLDER).isPresent() || config.getOptional(CACHE_BYTES).isEmpty(),
        "'cache-bytes' has no effect without 'cache-folder'");
    long bytes = config.get(CACHE_BYTES).getBytes();
    check(bytes > 0, "'cache-bytes' must be above 0");
    return bytes;
  }

  private static @Nullable HeartbeatTarget heartbeats(ReadableConfig config) {
    Map<String, String> properties = config.getOptional(HEARTBEATS).orElse(Map.of());
    Optional<String> topic = config.getOptional(HEARTBEATS_TOPIC);
    if (properties.isEmpty()) {
      check(topic.isEmpty(), "'heartbeats.topic' needs 'heartbeats.properties.bootstrap.servers'");
      return null;
    }
    check(
        properties.containsKey("bootstrap.servers"),
        "'heartbeats.properties.*' must include 'heartbeats.properties.bootstrap.servers'");
    return new HeartbeatTarget(
        topic.orElse(config.get(APPLICATION) + "-subscribers"), new TreeMap<>(properties));
  }

  /**
   * Returns the default time between two checks of a store for new versions; it is longer for an
   * object store, because object stores charge for each read.
   */
  private static Duration usualPoll(String store) {
    return ModelStore.isAddress(store) && !isServer(store)
        ? Duration.ofSeconds(2)
        : Duration.ofMillis(200);
  }

  private static void checkStore(String store) {
    try {
      if (isServer(store)) {
        HttpModelSettings.of(new URI(store), null);
      } else if (ModelStore.isAddress(store)) {
        ModelStore.checkAddress(store);
      }
    } catch (IllegalArgumentException refused) {
      throw new ValidationException("'store': " + refused.getMessage(), refused);
    } catch (URISyntaxException malformed) {
      // The text is not repeated in the message or the cause, because it can contain a password.
      throw new ValidationException(
          "'store' is not an address of models; one looks like http://HOST:PORT/models/");
    }
  }

  private static boolean isServer(String store) {
    return store.startsWith("http://") || store.startsWith("https://");
  }

  private static Duration positive(ConfigOption<Duration> option, ReadableConfig config) {
    Duration value = config.get(option);
    check(
        !value.isNegative() && !value.isZero(),
        "'%s' must be above 0, not %s".formatted(option.key(), value));
    return value;
  }

  private static void check(boolean holds, String problem) {
    if (!holds) {
      throw new ValidationException(problem);
    }
  }

  /** Returns whether the models are read from a server over HTTP. */
  boolean remote() {
    return isServer(store);
  }
}
