package io.idlalayer.jobs.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TensorSpaceCheckTest {
  @TempDir Path folder;

  private List<ApplicationSettings> application(String tensors) throws Exception {
    Path file = folder.resolve("app.yaml");
    Files.writeString(
        file,
        """
        name: app
        partitions: 2
        input: {format: csv, columns: [a, y], features: [a], label: y, classes: 2}
        memory: {hot-bytes: 1MiB, tensors: {%s}}
        """
            .formatted(tensors));
    return List.of(ApplicationFileReader.read(file, variable -> null));
  }

  private static TaskMemory direct(long mebibytes) {
    return new TaskMemory(
        1 << 30, mebibytes << 20, 1, new TaskMemory.Settings("HEAP=%dm", "DIRECT=%dm"));
  }

  @Test
  void problems_tensorsFit_areNoneAndTheFolderIsMade() throws Exception {
    Path tensors = folder.resolve("a/b");
    assertThat(TensorSpaceCheck.problems(application("fast-bytes: 1MiB"), tensors, direct(512)))
        .isEmpty();
    assertThat(tensors).isDirectory();
  }

  @Test
  void problems_withoutPlacedTensors_nothingIsTouched() throws Exception {
    List<ApplicationSettings> without = application("fast-bytes: 0, slow-bytes:");
    assertThat(TensorSpaceCheck.problems(without, folder.resolve("none"), direct(1))).isEmpty();
    assertThat(folder.resolve("none")).doesNotExist();
  }

  @Test
  void problems_folderWithoutDirectAccess_isNamedWithTheReason() throws Exception {
    Path disk = Path.of("/dev/shm");
    assumeTrue(Files.isWritable(disk) && Files.getFileStore(disk).type().equals("tmpfs"));
    String there = "fast-bytes: 1MiB, slow-directory: %s, slow-access: ".formatted(disk);
    assertThat(TensorSpaceCheck.problems(application(there + "mapped"), folder, direct(512)))
        .isEmpty();
    assertThat(TensorSpaceCheck.problems(application(there + "direct"), folder, direct(512)))
        .singleElement()
        .asString()
        .contains("memory.tensors.slow-access is direct, but /dev/shm cannot have a file past the")
        .contains("type tmpfs is DRAM")
        .contains("name another slow-directory, or choose mapped");
  }

  @Test
  void problems_severalApplications_areAddedUpAndTheMessageSaysWhatToSet() throws Exception {
    List<ApplicationSettings> both = new ArrayList<>(application("fast-bytes: 100MiB"));
    both.addAll(application("fast-bytes: 100MiB"));
    assertThat(TensorSpaceCheck.problems(both, folder, direct(332))).isEmpty();
    assertThat(TensorSpaceCheck.problems(both, folder, direct(331)))
        .singleElement()
        .asString()
        .contains("209,715,200 bytes", "4,194,304", "set DIRECT=333m");
  }

  /** The learners of a process share what each process may have. */
  @Test
  void problems_moreLearners_needNoMoreFastMemoryAndMoreProcessesNoLess() throws Exception {
    List<ApplicationSettings> two = application("fast-bytes: 100MiB");
    assertThat(TensorSpaceCheck.problems(two, folder, direct(230))).isEmpty();
    TaskMemory three = new TaskMemory(1 << 30, 228L << 20, 3, direct(1).settings());
    assertThat(TensorSpaceCheck.problems(two, folder, three)).hasSize(1);
  }

  @Test
  void problems_allComeAtOnce() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "");
    List<ApplicationSettings> both =
        application("fast-bytes: 1TiB, slow-directory: %s/x".formatted(file));
    assertThat(String.join("; ", TensorSpaceCheck.problems(both, folder, direct(512))))
        .contains("memory.tensors.fast-bytes")
        .contains("memory.tensors.slow-directory " + file + "/x cannot be used");
    List<ApplicationSettings> huge = application("fast-bytes: 1MiB, slow-bytes: 1000TiB");
    assertThat(String.join("; ", TensorSpaceCheck.problems(huge, folder, direct(512))))
        .contains("memory.tensors.slow-bytes")
        .contains("has room for");
  }
}
