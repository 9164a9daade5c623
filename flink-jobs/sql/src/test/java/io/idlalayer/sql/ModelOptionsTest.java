package io.idlalayer.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.ValidationException;
import org.junit.jupiter.api.Test;

final class ModelOptionsTest {
  private static ModelOptions options(String store, String... more) {
    Map<String, String> all = new HashMap<>();
    all.put("store", store);
    all.put("application", "electricity");
    for (int i = 0; i < more.length; i += 2) {
      all.put(more[i], more[i + 1]);
    }
    return ModelOptions.of(Configuration.fromMap(all));
  }

  /** The pom keeps the module from these tests' class path, as it need not be on Flink's. */
  @Test
  void store_inAnObjectStoreWithoutItsArtifact_saysWhichOneToAdd() {
    assertThatThrownBy(() -> options("s3://models/team"))
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining("'store': ")
        .hasMessageContaining("idlalayer-model-store-s3");
    assertThatThrownBy(() -> options("hdfs://node/models"))
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining("name a folder, or s3://BUCKET/PREFIX");
  }

  @Test
  void store_noAddressOfModels_isRefusedWhenPlanned() {
    for (String store :
        List.of("http://me:pa ss@host/", "http://me:secret@host/", "https:///models/")) {
      assertThatThrownBy(() -> options(store))
          .as(store)
          .isInstanceOf(ValidationException.class)
          .hasMessageContaining("'store'")
          .hasMessageContaining("http://HOST:PORT/models/")
          .hasMessageNotContainingAny("pa ss", "secret");
    }
  }

  @Test
  void tokenFile_storeIsNoServer_isRefused() {
    assertThat(options("http://host:1/", "token-file", "/run/token").tokenFile())
        .isEqualTo("/run/token");
    assertThatThrownBy(() -> options("/srv/models", "token-file", "/run/token"))
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining("'token-file' has no effect");
  }

  @Test
  void pollInterval_ofFoldersAndServers_isShortUnlessItIsNamed() {
    assertThat(options("/srv/models").poll()).isEqualTo(Duration.ofMillis(200));
    assertThat(options("http://host:1/models/").remote()).isTrue();
    assertThat(options("http://host:1/models/").poll()).isEqualTo(Duration.ofMillis(200));
    assertThat(options("/srv/models", "poll-interval", "3 s").poll())
        .isEqualTo(Duration.ofSeconds(3));
    assertThatThrownBy(() -> options("/srv/models", "poll-interval", "0 s"))
        .isInstanceOf(ValidationException.class);
  }

  @Test
  void cacheFolder_hasABoundThatIsNamedOrUsual() {
    assertThat(options("/srv/models").cacheFolder()).isNull();
    ModelOptions usual = options("/srv/models", "cache-folder", "/var/cache/idla");
    assertThat(usual.cacheFolder()).isEqualTo("/var/cache/idla");
    assertThat(usual.cacheBytes()).isEqualTo(4L << 30);
    assertThat(options("/srv/models", "cache-folder", "/x", "cache-bytes", "20 mb").cacheBytes())
        .isEqualTo(20L << 20);
    assertThatThrownBy(() -> options("/srv/models", "cache-bytes", "20 mb"))
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining("'cache-bytes' has no effect without 'cache-folder'");
    assertThatThrownBy(() -> options("/srv/models", "cache-folder", "/x", "cache-bytes", "0"))
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining("above 0");
  }

  @Test
  void heartbeats_areAddressedByPropertiesAndTopic() {
    assertThat(options("/srv/models").heartbeats()).isNull();
    String servers = "heartbeats.properties.bootstrap.servers";
    HeartbeatTarget target =
        options(
                "/srv/models",
                servers,
                "kafka:9092",
                "heartbeats.properties.sasl.jaas.config",
                "password=secret")
            .heartbeats();
    assertThat(target)
        .isEqualTo(
            new HeartbeatTarget(
                "electricity-subscribers",
                Map.of("bootstrap.servers", "kafka:9092", "sasl.jaas.config", "password=secret")));
    assertThat(String.valueOf(target)).contains("sasl.jaas.config").doesNotContain("secret");
    assertThat(
            options("/srv/models", servers, "kafka:9092", "heartbeats.topic", "who").heartbeats())
        .isEqualTo(new HeartbeatTarget("who", Map.of("bootstrap.servers", "kafka:9092")));
    assertThatThrownBy(() -> options("/srv/models", "heartbeats.topic", "who"))
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining("'heartbeats.properties.bootstrap.servers'");
    assertThatThrownBy(() -> options("/srv/models", "heartbeats.properties.client.id", "me"))
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining("'heartbeats.properties.bootstrap.servers'");
  }

  @Test
  void heartbeats_withoutKafkasClient_sayWhichJarIsMissing() {
    assertThatThrownBy(() -> HeartbeatTarget.checkClient(ClassLoader.getPlatformClassLoader()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("kafka-clients-*.jar in Flink's lib folder");
  }
}
