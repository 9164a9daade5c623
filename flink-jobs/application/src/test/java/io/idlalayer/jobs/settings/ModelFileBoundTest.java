package io.idlalayer.jobs.settings;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ModelFileBoundTest {
  @TempDir Path folder;

  private void read(long networkBytes) throws Exception {
    try (RandomAccessFile network =
        new RandomAccessFile(folder.resolve("network.json").toFile(), "rw")) {
      network.setLength(networkBytes);
    }
    Path file = folder.resolve("app.yaml");
    Files.writeString(
        file,
        """
        name: shop
        input:
          format: json
          features: [price]
          label: sold
          classes: ["0", "1"]
        model: {type: dl4j-json, file: network.json}
        """);
    ApplicationFileReader.read(file, Map.<String, String>of()::get);
  }

  @Test
  void read_fileOfANetworkAboveTheBound_isRefusedBeforeItIsHeld() throws Exception {
    assertThatThrownBy(() -> read(ModelSection.MOST_FILE_BYTES + 1L))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("model.file")
        .hasMessageContaining("has more than 268,435,456 bytes");
    // What is in it is looked at later.
    read(ModelSection.MOST_FILE_BYTES);
  }
}
