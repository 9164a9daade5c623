package io.idlalayer.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The commands that say which version serves. */
final class ModelsPinTest {
  @TempDir Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private ModelStore store;
  private ModelPublisher publisher;

  @BeforeEach
  void publishThree() throws IOException {
    store = new ModelStore(folder, InstantSource.system());
    publisher = store.claim("clicks", 0);
    for (int i = 0; i < 3; i++) {
      publish();
    }
  }

  private void publish() throws IOException {
    publisher.publish(
        SmallModels.draft("clicks", new TreeMap<>(Map.of("model.zip", new byte[] {1}))));
  }

  private int run(String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    CommandLine command =
        Idla.commandLine().setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    List<String> all =
        Stream.concat(Stream.of(arguments), Stream.of("--models-dir", folder.toString())).toList();
    return command.execute(all.toArray(String[]::new));
  }

  private long serving() throws IOException {
    return store.serving("clicks", 0).orElseThrow().checkpoint().manifest().version();
  }

  @Test
  void pin_andUnpin_sayWhichVersionServes() throws IOException {
    assertThat(run("models", "pin", "clicks", "1", "--reason", "the audit wants it")).isZero();
    assertThat(out.toString())
        .contains("clicks/0: v1 serves from now on, pinned at ")
        .contains("until it is unpinned: the audit wants it");
    publish();
    assertThat(serving()).isEqualTo(1);
    assertThat(run("models", "list")).isZero();
    assertThat(out.toString()).contains(" * v4 ").contains("   v1 serves: pinned at ");
    assertThat(run("models", "show", "clicks")).isZero();
    assertThat(out.toString()).as("what serves is shown").contains("\"version\" : 1");
    assertThat(run("models", "unpin", "clicks")).isZero();
    assertThat(out.toString()).contains("clicks/0: the current version serves again");
    assertThat(serving()).isEqualTo(4);
    assertThat(run("models", "unpin", "clicks")).isZero();
    assertThat(out.toString()).contains("no version was pinned");
  }

  @Test
  void rollback_goesOneBackEachTime_untilANewerVersion() throws IOException {
    assertThat(run("models", "rollback", "clicks")).isZero();
    assertThat(out.toString()).contains("v2 serves from now on").contains("a version above v3");
    assertThat(run("models", "rollback", "clicks")).isZero();
    assertThat(serving()).isEqualTo(1);
    assertThat(run("models", "rollback", "clicks")).isEqualTo(Terminal.FAILED);
    assertThat(err.toString()).contains("clicks has no version before v1 any more");
    publish();
    assertThat(serving()).isEqualTo(4);
    assertThat(run("models", "rollback", "clicks", "--to", "2")).isZero();
    assertThat(serving()).isEqualTo(2);
  }

  @Test
  void wrongUse_isRefusedAndNothingChanges() throws IOException {
    assertThat(run("models", "pin", "clicks", "9")).isEqualTo(Terminal.FAILED);
    assertThat(err.toString()).contains("version 9 is not there");
    assertThat(run("models", "pin", "clicks", "0")).isEqualTo(Terminal.BAD_USAGE);
    assertThat(run("models", "pin", "no such name", "1")).isEqualTo(Terminal.BAD_USAGE);
    assertThat(run("models", "rollback", "clicks", "--to", "3")).isEqualTo(Terminal.BAD_USAGE);
    assertThat(err.toString()).contains("v3 is the current version or newer");
    for (String none : List.of("0", "-3")) {
      assertThat(run("models", "rollback", "clicks", "--to", none)).isEqualTo(Terminal.BAD_USAGE);
      assertThat(err.toString()).contains("--to must be at least 1, not " + none);
    }
    assertThat(run("models", "rollback", "other")).isEqualTo(Terminal.FAILED);
    assertThat(err.toString()).contains("other has published no model");
    assertThat(serving()).isEqualTo(3);
    assertThat(store.pin("clicks", 0)).isEmpty();
  }
}
