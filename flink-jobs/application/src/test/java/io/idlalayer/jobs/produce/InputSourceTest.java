package io.idlalayer.jobs.produce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class InputSourceTest {
  @TempDir Path folder;

  private InputSource source(String... files) throws IOException {
    List<Path> content = new java.util.ArrayList<>();
    for (int i = 0; i < files.length; i++) {
      content.add(Files.writeString(folder.resolve("f" + i), files[i]));
    }
    return new InputSource(
        "in",
        content,
        () -> {
          throw new IOException("not read");
        });
  }

  private static SortedSet<Long> lengths(Long... lengths) {
    return new TreeSet<>(List.of(lengths));
  }

  @Test
  void theDigestOfABeginning_isThatOfAFileWhichEndsThere() throws Exception {
    String text = "x".repeat(70_000) + "tail";
    InputSource.Print print = source(text).print(lengths(0L, 3L, 70_000L, 70_004L, 80_000L));
    assertThat(print.length()).isEqualTo(70_004);
    assertThat(print.beginnings()).containsOnlyKeys(0L, 3L, 70_000L, 70_004L);
    assertThat(print.beginnings()).containsEntry(70_004L, print.digest());
    for (long length : new long[] {0, 3, 70_000}) {
      String beginning = text.substring(0, (int) length);
      assertThat(source(beginning).print(lengths()).digest())
          .isEqualTo(print.beginnings().get(length));
    }
  }

  @Test
  void severalFilesAreOneContent_andNoneIsKnownByItsName() throws Exception {
    assertThat(source("ab", "cd").print(lengths(3L)).beginnings())
        .containsEntry(3L, source("abc").print(lengths()).digest());
    InputSource generated =
        InputSource.generated(
            "g",
            () -> {
              throw new IOException("not read");
            });
    assertThat(generated.print(lengths(0L)).beginnings()).hasSize(1);
  }

  @Test
  void file_thatIsNoRegularFile_isRefusedInWords() throws Exception {
    ApplicationSettings application =
        ApplicationFiles.read(
            folder.resolve("app.yaml"),
            "name: app\ninput: {features: [x], label: y, classes: 2}\n");
    Path missing = folder.resolve("none.jsonl");
    assertThatThrownBy(() -> InputSource.file(missing, application))
        .hasMessage("input file " + missing + " does not exist");
    assertThatThrownBy(() -> InputSource.file(folder, application))
        .hasMessage("input file " + folder + " is a folder or a pipe, which is not read");
  }
}
