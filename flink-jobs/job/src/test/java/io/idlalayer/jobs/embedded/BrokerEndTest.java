package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.storage.StorageCause;
import io.idlalayer.jobs.storage.StorageFault;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class BrokerEndTest {
  private static final Path FOLDER = Path.of("/w/kafka");

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final List<Integer> codes = new ArrayList<>();

  private String words(@Nullable StorageFault fault, int status, @Nullable String message) {
    PrintStream err = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    new BrokerEnd(FOLDER, "run it again", err, folders -> Optional.ofNullable(fault), codes::add)
        .execute(status, message);
    return bytes.toString(StandardCharsets.UTF_8).strip();
  }

  @Test
  void execute_aFullFolder_namesFolderCauseAndWhatToDo() {
    assertThat(words(new StorageFault(StorageCause.FULL, FOLDER, "0 KiB left"), 0, null))
        .isEqualTo(
            "error: the embedded broker has ended this process, because its log folder /w/kafka cannot be used: no space is left on its device (0 KiB left); make room there, then run it again; it continues from the last checkpoint");
    assertThat(codes).containsExactly(1);
  }

  @Test
  void execute_anotherReason_saysWhatKafkaSays() {
    assertThat(words(null, 3, "the metadata cannot be read"))
        .startsWith(
            "error: the embedded broker (folder /w/kafka) has ended this process, because of the metadata cannot be read; ")
        .endsWith("then run it again; it continues from the last checkpoint");
    assertThat(codes).containsExactly(1);
  }

  @Test
  void execute_whileItStarts_leavesTheFaultsOfItsThreadToTheirExceptions() throws Exception {
    PrintStream err = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    BrokerEnd end =
        new BrokerEnd(FOLDER, "run it again", err, folders -> Optional.empty(), codes::add);
    end.starting();
    assertThat(end.gaveUp()).isFalse();
    end.execute(1, null);
    assertThat(codes).isEmpty();
    assertThat(bytes.size()).isZero();
    assertThat(end.gaveUp()).isTrue();

    Thread other = new Thread(() -> end.execute(1, null));
    other.start();
    other.join();
    assertThat(codes).containsExactly(1);

    end.started();
    end.execute(1, null);
    assertThat(codes).containsExactly(1, 1);
  }

  private String whyNotStarted(@Nullable StorageFault fault) {
    PrintStream err = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    return new BrokerEnd(
            FOLDER, "run it again", err, folders -> Optional.ofNullable(fault), codes::add)
        .whyNotStarted(new IllegalStateException("the log is offline"));
  }

  @Test
  void whyNotStarted_aFullFolder_namesFolderCauseAndWhatToDo() {
    assertThat(whyNotStarted(new StorageFault(StorageCause.FULL, FOLDER, "0 KiB left")))
        .isEqualTo(
            "its log folder /w/kafka cannot be used: no space is left on its device (0 KiB left); make room there, then run it again; it continues from the last checkpoint");
  }

  @Test
  void whyNotStarted_anotherReason_isThatOfTheFailure() {
    assertThat(whyNotStarted(null)).isEqualTo("the log is offline");
  }
}
