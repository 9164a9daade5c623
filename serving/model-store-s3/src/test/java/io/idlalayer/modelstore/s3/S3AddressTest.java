package io.idlalayer.modelstore.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.models.store.PublisherIdentity;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.regions.Region;

final class S3AddressTest {
  @Test
  void parse_addresses_areBucketAndPrefix() {
    assertThat(S3Address.parse("s3://models")).isEqualTo(new S3Address("models", ""));
    assertThat(S3Address.parse("s3://models/")).isEqualTo(new S3Address("models", ""));
    assertThat(S3Address.parse("S3://my.models/a/b-c/"))
        .isEqualTo(new S3Address("my.models", "a/b-c"));
    S3Address address = S3Address.parse("s3://models/a/b");
    assertThat(address).hasToString("s3://models/a/b");
    assertThat(address.key("app/0/x")).isEqualTo("a/b/app/0/x");
    assertThat(address.relative("a/b/app/0/x")).contains("app/0/x");
    assertThat(S3Address.parse("s3://models").relative("app/0/x")).contains("app/0/x");
  }

  @Test
  void relative_keysOfOthers_areNone() {
    S3Address address = S3Address.parse("s3://models/a/b");
    for (String other : List.of("", "a", "a/b", "a/bc/app/0/x", "c/d/app/0/x", "x/a/b/app/0/x")) {
      assertThat(address.relative(other)).as(other).isEmpty();
    }
  }

  @Test
  void parse_othersOrPasswords_areRefusedWithoutRepeatingThem() {
    for (String bad :
        List.of(
            "s3:models",
            "s3://",
            "s3://M/x",
            "s3://key:secret@models/x",
            "s3://models/../x",
            "s3://models//x",
            "s3://models/x?secret",
            "s3://models/a b")) {
      assertThatThrownBy(() -> S3Address.parse(bad))
          .as(bad)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("s3://BUCKET/PREFIX")
          .hasMessageNotContaining("secret");
    }
  }

  @Test
  void settings_ofTheEnvironment_nameEndpointAndRegion() throws IOException {
    Map<String, String> variables =
        Map.of("AWS_ENDPOINT_URL", "http://all:1", "AWS_ENDPOINT_URL_S3", "https://only-s3:9000");
    S3Settings settings = S3Settings.of(name -> null, variables::get);
    assertThat(settings.endpoint()).hasToString("https://only-s3:9000");
    assertThat(
            S3Settings.of(Map.of("aws.endpointUrlS3", "http://mine:2")::get, variables::get)
                .endpoint())
        .hasToString("http://mine:2");
    assertThat(settings.region()).isEqualTo(Region.US_EAST_1);
    for (String bad : List.of("minio:9000", "ftp://x", "http://a:secret@host", "http://a b/")) {
      assertThatThrownBy(() -> S3Settings.of(name -> null, Map.of("AWS_ENDPOINT_URL", bad)::get))
          .as(bad)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("AWS_ENDPOINT_URL")
          .hasMessageNotContaining("secret");
    }
  }

  @Test
  void open_anAddress_findsTheProvider() throws IOException {
    System.setProperty("aws.region", "eu-central-1");
    try (ModelStore store =
        ModelStore.open(
            "s3://models/x", InstantSource.system(), PublisherIdentity.ofThisProcess())) {
      assertThat(store.address()).isEqualTo("s3://models/x");
      assertThat(store.folder()).isEmpty();
    } finally {
      System.clearProperty("aws.region");
    }
    assertThatThrownBy(
            () ->
                ModelStore.open(
                    "gs://models", InstantSource.system(), PublisherIdentity.ofThisProcess()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("name a folder, or s3://BUCKET/PREFIX");
  }
}
