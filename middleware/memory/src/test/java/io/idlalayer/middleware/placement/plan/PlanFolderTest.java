package io.idlalayer.middleware.placement.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.plan.PlacementPlan.CreationPlace;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Kind;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlanFolderTest {
  private static final PlanDecision DECISION =
      new PlanDecision(
          "autovm",
          new PlacementPlan(
              Map.of(3, CreationPlace.FAST, 4, CreationPlace.SLOW),
              Map.of(7, List.of(new Move(Kind.FETCH_AHEAD, 3, Reason.PREFETCH))),
              Map.of(
                  2,
                  List.of(
                      new Move(Kind.WRITE_BACK, 3, Reason.OFFLOAD),
                      new Move(Kind.EVICT, 3, Reason.OFFLOAD))),
              90,
              80),
          100,
          120,
          5,
          70,
          1e9,
          Map.of("other", "its step takes 1.100 times as long"));

  @TempDir Path parent;

  private Path folder() {
    return parent.resolve("plans");
  }

  private Path file() {
    return folder().resolve("key.plan");
  }

  @Test
  void write_thenRead_isEqual() throws IOException {
    PlanFolder folder = new PlanFolder(folder());
    assertThat(folder.read("key")).isEmpty();
    folder.write("key", DECISION);
    assertThat(new PlanFolder(folder()).read("key")).contains(DECISION);
    assertThat(folder.read("other")).isEmpty();
    try (Stream<Path> files = Files.list(folder())) {
      assertThat(files).containsExactly(file());
    }
  }

  @Test
  void read_fileCutOrChangedAnywhere_countsAsMissing() throws IOException {
    PlanFolder folder = new PlanFolder(folder());
    folder.write("key", DECISION);
    byte[] whole = Files.readAllBytes(file());
    for (int at = 0; at < whole.length; at++) {
      byte[] cut = new byte[at];
      System.arraycopy(whole, 0, cut, 0, at);
      Files.write(file(), cut);
      assertThat(folder.read("key")).as("cut at %d", at).isEmpty();
      byte[] changed = whole.clone();
      changed[at] ^= 0x40;
      Files.write(file(), changed);
      assertThat(folder.read("key")).as("changed at %d", at).isEmpty();
    }
    folder.write("key", DECISION);
    assertThat(folder.read("key")).contains(DECISION);
  }

  @Test
  void write_folderThatCannotBeMade_isOnlyTold() throws IOException {
    Files.writeString(folder(), "a file");
    PlanFolder folder = new PlanFolder(folder());
    folder.write("key", DECISION);
    assertThat(folder.read("key")).isEmpty();
  }

  @Test
  void write_moreThanTheMost_deletesTheOldest() throws IOException {
    PlanFolder folder = new PlanFolder(folder());
    for (int i = 0; i <= PlanFolder.MOST_FILES; i++) {
      folder.write("key" + i, DECISION);
    }
    try (Stream<Path> files = Files.list(folder())) {
      assertThat(files).hasSize(PlanFolder.MOST_FILES);
    }
    assertThat(folder.read("key" + PlanFolder.MOST_FILES)).contains(DECISION);
  }
}
