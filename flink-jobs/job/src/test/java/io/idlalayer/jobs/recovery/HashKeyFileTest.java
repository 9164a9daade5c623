package io.idlalayer.jobs.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.HashKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HashKeyFileTest {
  @TempDir Path folder;
  @TempDir Path other;

  @Test
  void open_ofAWorkDirectory_hasOneKeyForGood() throws Exception {
    HashKey key = HashKeyFile.open(folder);
    assertThat(key.secret()).isTrue();
    assertThat(HashKeyFile.open(folder)).isEqualTo(key);
    assertThat(HashKeyFile.open(other)).isNotEqualTo(key);
    assertThat(folder.toFile().list()).containsExactly(HashKeyFile.NAME);
  }

  @Test
  void open_damagedFile_isRefusedWithoutItsContent() throws Exception {
    Files.writeString(folder.resolve(HashKeyFile.NAME), "5ec2e7");
    assertThatThrownBy(() -> HashKeyFile.open(folder))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("id-key does not hold the key of this work directory")
        .hasMessageNotContaining("5ec2e7");
  }
}
