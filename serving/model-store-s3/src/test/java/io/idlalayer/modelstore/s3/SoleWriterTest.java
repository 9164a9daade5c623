package io.idlalayer.modelstore.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.models.storage.object.ObjectBucket.Condition;
import io.idlalayer.middleware.models.storage.object.ObjectBucket.Listed;
import io.idlalayer.testkit.FolderObjects;
import io.idlalayer.testkit.ObjectStoreServer;
import io.idlalayer.testkit.TestCredentials;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The object store of experiments, which remembers tags, is one like that of the tests. */
final class SoleWriterTest {
  private static final int LARGE_BYTES = 20 << 20;

  @TempDir Path folder;
  @TempDir Path local;

  @Test
  void rememberedTags_areThoseOfTheContents() throws Exception {
    TestCredentials.set();
    try (ObjectStoreServer server = ObjectStoreServer.startAsSoleWriter(folder);
        S3Bucket bucket = S3Bucket.open(server.address(), ServedStores.settings(server))) {
      String first = bucket.put("a/small", new byte[] {1}, new Condition.Absent()).orElseThrow();
      assertThat(bucket.put("a/small", new byte[] {2}, new Condition.Absent())).isEmpty();
      Optional<String> second = bucket.put("a/small", new byte[] {3}, new Condition.Matches(first));
      assertThat(second).isPresent().isNotEqualTo(Optional.of(first));
      assertThat(bucket.put("a/small", new byte[] {4}, new Condition.Matches(first))).isEmpty();
      assertThat(bucket.get("a/small", null).orElseThrow().content()).containsExactly(3);

      byte[] large = new byte[LARGE_BYTES];
      new SplittableRandom(1).nextBytes(large);
      Path file = Files.write(local.resolve("large"), large);
      bucket.upload("a/large", file, MessageDigest.getInstance("SHA-256"));
      int from = LARGE_BYTES / 3;
      try (InputStream rest = bucket.open("a/large", from)) {
        assertThat(rest.readAllBytes()).isEqualTo(Arrays.copyOfRange(large, from, LARGE_BYTES));
      }
      assertThat(bucket.list("a/small"))
          .as("as if it were read anew")
          .isEqualTo(
              new FolderObjects(folder)
                  .list("a/small").stream()
                      .map(each -> new Listed(each.key(), each.bytes(), each.tag()))
                      .toList());
      assertThat(bucket.list("a/"))
          .extracting(Listed::bytes)
          .containsExactly((long) LARGE_BYTES, 1L);

      bucket.delete("a/small");
      assertThat(bucket.put("a/small", new byte[] {5}, new Condition.Absent())).isPresent();
      assertThat(bucket.list("a/")).extracting(Listed::key).containsExactly("a/large", "a/small");
    }
  }
}
