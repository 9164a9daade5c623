package io.idlalayer.jobs.lineage;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DamagedNoteTest {
  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"", "{", "[1]", "null", "{\"format\": 99}"})
  void read_noteThatIsDamaged_isRefusedWithItsName(String note) throws Exception {
    ModelStore store = new ModelStore(folder, InstantSource.system());
    store.writeNote("clicks", "submissions.json", note.getBytes(StandardCharsets.UTF_8));
    assertThatThrownBy(() -> Submissions.read(store, "clicks"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("submissions.json in ")
        .hasMessageContaining("is not a note of submissions")
        .hasMessageNotContaining("Source");
  }
}
