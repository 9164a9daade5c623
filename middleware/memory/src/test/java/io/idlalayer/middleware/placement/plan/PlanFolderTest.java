package io.idlalayer.middleware.placement.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.Recomputation;
import io.idlalayer.middleware.placement.api.Recomputation.Rerun;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlacementPlan.CreationPlace;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Kind;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlanFolderTest {
  private static final TaskGraph STEP = Plans.chain(12);
  private static final long BUDGET = STEP.peakBytes() / 2;
  private static final PlanKey KEY = key(STEP, BUDGET);
  private static final PlanDecision DECISION =
      new PlanDecision(
          "autovm",
          new PlacementPlan(
              Map.of(3, CreationPlace.FAST, 4, CreationPlace.SLOW),
              Map.of(3, 128L),
              Map.of(7, List.of(new Move(Kind.FETCH_AHEAD, 3, Reason.PREFETCH, 64))),
              Map.of(
                  2,
                  List.of(
                      new Move(Kind.WRITE_BACK, 3, Reason.OFFLOAD),
                      new Move(Kind.EVICT, 3, Reason.OFFLOAD))),
              90,
              80,
              Recomputation.NONE),
          100,
          120,
          5,
          70,
          1e9,
          Map.of("other", "its step takes 1.100 times as long"));

  @TempDir Path parent;

  private static PlanKey key(TaskGraph step, long fastBytes) {
    return PlanKey.of(List.of(Plans.autoVm()), step, Plans.devices(fastBytes));
  }

  private Path path() {
    return parent.resolve("plans");
  }

  private PlanFolder folder() {
    return PlanFolder.open(path());
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(path())) {
      return files.toList();
    }
  }

  @Test
  void write_thenRead_isEqual() throws IOException {
    PlanFolder folder = folder();
    assertThat(folder.read(KEY, STEP)).isEmpty();
    folder.write(KEY, DECISION);
    assertThat(folder().read(KEY, STEP)).contains(DECISION);
    assertThat(folder.read(key(STEP, BUDGET + 64), STEP)).isEmpty();
    assertThat(files()).containsExactly(folder.file(KEY));
  }

  @Test
  void read_fileCutOrChangedAnywhere_countsAsMissing() throws IOException {
    PlanFolder folder = folder();
    folder.write(KEY, DECISION);
    Path file = folder.file(KEY);
    byte[] whole = Files.readAllBytes(file);
    for (int at = 0; at < whole.length; at++) {
      byte[] cut = new byte[at];
      System.arraycopy(whole, 0, cut, 0, at);
      Files.write(file, cut);
      assertThat(folder.read(KEY, STEP)).as("cut at %d", at).isEmpty();
      byte[] changed = whole.clone();
      changed[at] ^= 0x40;
      Files.write(file, changed);
      assertThat(folder.read(KEY, STEP)).as("changed at %d", at).isEmpty();
    }
    folder.write(KEY, DECISION);
    assertThat(folder.read(KEY, STEP)).contains(DECISION);
  }

  @Test
  void read_fileOfAnotherKeyUnderThisName_countsAsMissing() throws IOException {
    PlanFolder folder = folder();
    PlanKey other = key(STEP, 2 * BUDGET);
    folder.write(other, DECISION);
    Files.copy(folder.file(other), folder.file(KEY));
    assertThat(folder.read(KEY, STEP)).isEmpty();
    assertThat(folder.read(other, STEP)).contains(DECISION);
  }

  @Test
  void requireFor_anotherKey_saysAllThatDiffers() {
    PlanKey later =
        new PlanKey(
            KEY.version() + 1,
            List.of("autovm", "autotm"),
            KEY.fastBytes() + 64,
            KEY.granuleBytes(),
            KEY.pieceBytes() + 64,
            KEY.seed(),
            KEY.writeEfficiency(),
            Collections.nCopies(KEY.speeds().size(), 0L),
            KEY.kernels(),
            KEY.tensors(),
            KEY.form());
    assertThatThrownBy(() -> new PlanFile(KEY, DECISION).requireFor(later, STEP))
        .hasMessageContaining(
            "version %d of the planners instead of version %d"
                .formatted(KEY.version(), KEY.version() + 1))
        .hasMessageContaining("planners [autovm] instead of planners [autovm, autotm]")
        .hasMessageContaining("a fast device of %,d bytes instead of".formatted(KEY.fastBytes()))
        .hasMessageContaining("pieces of %,d bytes instead of".formatted(KEY.pieceBytes()))
        .hasMessageContaining("bytes a second read from the slow device");
    assertThatThrownBy(
            () ->
                new PlanFile(KEY, DECISION)
                    .requireFor(key(Plans.chain(13), BUDGET), Plans.chain(13)))
        .hasMessageContaining("kernels instead of a step of");
  }

  @Test
  void read_indexesThatTheStepDoesNotHave_countsAsMissing() {
    PlanFolder folder = folder();
    for (PlacementPlan wrong :
        List.of(
            new PlacementPlan(Map.of(KEY.tensors(), CreationPlace.FAST), Map.of(), Map.of(), 0, 0),
            new PlacementPlan(
                Map.of(), Map.of(0, List.of(new Move(Kind.EVICT, -1, Reason.OFFLOAD)))),
            new PlacementPlan(
                Map.of(0, List.of(new Move(Kind.FETCH, 0, Reason.PREFETCH, 32))), Map.of()),
            new PlacementPlan(
                Map.of(), Map.of(0, KEY.fastBytes()), Map.of(), Map.of(), 0, 0, Recomputation.NONE),
            new PlacementPlan(
                Map.of(KEY.kernels(), List.of(new Move(Kind.EVICT, 0, Reason.OFFLOAD))),
                Map.of()))) {
      folder.write(KEY, new PlanDecision("autovm", wrong, 100, 120, 5, 70, 1e9, Map.of()));
      assertThat(folder.read(KEY, STEP)).isEmpty();
    }
  }

  @Test
  void read_fileThatIsTooLong_countsAsMissing() throws IOException {
    PlanFolder folder = folder();
    folder.write(KEY, DECISION);
    try (RandomAccessFile file = new RandomAccessFile(folder.file(KEY).toFile(), "rw")) {
      file.setLength(1L << 33);
    }
    assertThat(folder.read(KEY, STEP)).isEmpty();
    folder.write(KEY, DECISION);
    assertThat(folder.read(KEY, STEP)).contains(DECISION);
  }

  @Test
  void read_folderInPlaceOfTheFile_countsAsMissing() throws IOException {
    PlanFolder folder = folder();
    Files.createDirectories(folder.file(KEY).resolve("x"));
    assertThat(folder.read(KEY, STEP)).isEmpty();
    folder.write(KEY, DECISION);
    assertThat(folder.read(KEY, STEP)).isEmpty();
  }

  @Test
  void open_partsThatWereLeft_deletesThemButNoneThatIsWritten() throws IOException {
    folder().write(KEY, DECISION);
    Path left = Files.writeString(path().resolve("left.part"), "half");
    Path written = Files.writeString(path().resolve("written.part"), "half");
    Path foreign = Files.writeString(path().resolve("notes.txt"), "not ours");
    try (FileChannel writing = FileChannel.open(written, StandardOpenOption.WRITE)) {
      writing.lock();
      PlanFolder folder = folder();
      assertThat(left).doesNotExist();
      assertThat(written).exists();
      assertThat(foreign).exists();
      assertThat(folder.read(KEY, STEP)).contains(DECISION);
    }
    folder();
    assertThat(written).doesNotExist();
  }

  @Test
  void write_folderThatCannotBeMade_isOnlyTold() throws IOException {
    Files.writeString(path(), "a file");
    PlanFolder folder = folder();
    folder.write(KEY, DECISION);
    assertThat(folder.read(KEY, STEP)).isEmpty();
  }

  @Test
  void write_folderWhoseListingBreaksOff_isOnlyTold() throws IOException {
    Files.createDirectories(path());
    PlanFolder folder =
        PlanFolder.open(
            path(),
            listed ->
                Stream.generate(
                    () -> {
                      throw new UncheckedIOException(new IOException("as if the disk were lost"));
                    }));
    folder.write(KEY, DECISION);
    assertThat(folder.read(KEY, STEP)).contains(DECISION);
  }

  @Test
  void write_moreFilesThanTheMost_deletesTheOldest() throws IOException {
    PlanFolder folder = folder();
    for (int i = 0; i <= PlanFolder.MOST_FILES; i++) {
      folder.write(key(STEP, BUDGET + 64L * i), DECISION);
    }
    assertThat(files()).hasSize(PlanFolder.MOST_FILES);
    assertThat(folder.read(key(STEP, BUDGET + 64L * PlanFolder.MOST_FILES), STEP))
        .contains(DECISION);
  }

  @Test
  void write_moreBytesThanTheMost_deletesTheOldest() throws IOException {
    PlanFolder folder = folder();
    List<Move> many = Collections.nCopies(100_000, new Move(Kind.EVICT, 0, Reason.OFFLOAD));
    PlanDecision large =
        new PlanDecision(
            "autovm", new PlacementPlan(Map.of(), Map.of(0, many)), 100, 120, 5, 70, 1e9, Map.of());
    List<PlanKey> keys = new ArrayList<>();
    long bytes = 0;
    for (int i = 0; bytes <= PlanFolder.MOST_BYTES; i++) {
      keys.add(key(STEP, BUDGET + 64L * i));
      folder.write(keys.get(i), large);
      bytes += Files.size(folder.file(keys.get(i)));
    }
    long left = 0;
    for (Path file : files()) {
      left += Files.size(file);
    }
    assertThat(left).isPositive().isLessThanOrEqualTo(PlanFolder.MOST_BYTES);
    assertThat(folder.file(keys.get(0))).doesNotExist();
    assertThat(folder.read(keys.get(keys.size() - 1), STEP)).contains(large);
  }

  @Test
  void write_decisionThatIsTooLong_isOnlyTold() throws IOException {
    PlanFolder folder = folder();
    List<Move> many = Collections.nCopies(300_000, new Move(Kind.EVICT, 0, Reason.OFFLOAD));
    folder.write(
        KEY,
        new PlanDecision(
            "autovm", new PlacementPlan(Map.of(), Map.of(0, many)), 1, 1, 1, 1, 1e9, Map.of()));
    assertThat(folder.read(KEY, STEP)).isEmpty();
    assertThat(path()).doesNotExist();
  }

  @Test
  void decision_withKernelsThatRunAgain_isReadOnlyForTheirStep() throws Exception {
    List<TaskGraph.Kernel> kernels =
        STEP.kernels().stream().map(kernel -> kernel.repeatable(true)).toList();
    TaskGraph step = new TaskGraph(kernels, STEP.tensors());
    PlanKey key = key(step, BUDGET);
    int again = STEP.tensors().size();
    Recomputation right = new Recomputation(List.of(new Rerun(List.of(3), 20)));
    PlanFolder folder = folder();
    folder.write(key, recomputing(right, again));
    assertThat(folder.read(key, step)).contains(recomputing(right, again));
    // A tensor that there is not.
    folder.write(key, recomputing(right, again + 1));
    assertThat(folder.read(key, step)).isEmpty();
    // Kernels whose tensor was used up, of another step, and of no step.
    for (Rerun wrong :
        List.of(new Rerun(List.of(3), 21), new Rerun(List.of(3), 90), new Rerun(List.of(80), 90))) {
      folder.write(key, recomputing(new Recomputation(List.of(wrong)), 0));
      assertThat(folder.read(key, step)).as("%s", wrong).isEmpty();
    }
  }

  private static PlanDecision recomputing(Recomputation recomputation, int tensor) {
    PlacementPlan plan =
        new PlacementPlan(Map.of(tensor, CreationPlace.FAST), Map.of(), Map.of(), 1, 1);
    return new PlanDecision(
        "autovm-recompute", plan.recomputing(recomputation), 1, 1, 1, 1, 1e9, Map.of());
  }
}
