package io.idlalayer.jobs.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What the processes of a session cluster held after each job. */
final class UseTable {
  /** Property of the folder for the table. */
  static final String REPORT = "idlalayer.submissions.report";

  /** Threads of Flink's pools come and go by as many. */
  private static final int THREADS = 8;

  /**
   * After the first job Java itself holds its class loader until the next job ends, now and then.
   */
  private static final int MOST_LOADERS = 1;

  private static final int OPEN_FILES = 1;
  private static final int FILES = 4;
  private static final long METASPACE_KB = 8_000;

  /** With a heap that may still grow to its largest size. */
  private static final long RESIDENT_KB = 300_000;

  private final String name;
  private final List<ProcessUse.Snapshot> jobManager = new ArrayList<>();
  private final List<ProcessUse.Snapshot> taskManager = new ArrayList<>();

  /**
   * @param name file name of the table, without its ending
   */
  UseTable(String name) {
    this.name = name;
  }

  /** Adds what the processes hold after a job, and writes the table. */
  void add(ProcessUse.Snapshot ofJobManager, ProcessUse.Snapshot ofTaskManager) throws IOException {
    jobManager.add(ofJobManager);
    taskManager.add(ofTaskManager);
    write();
  }

  /** Writes a table in Markdown if {@link #REPORT} says where. */
  private void write() throws IOException {
    String folder = System.getProperty(REPORT);
    if (folder == null) {
      return;
    }
    StringBuilder text =
        new StringBuilder(
            """
            | after job | process | class loaders of jobs | metaspace MB | resident MB | threads | open files | files in the temporary folder | open files by kind |
            |---:|---|---:|---:|---:|---:|---:|---:|---|
            """);
    for (int job = 0; job < taskManager.size(); job++) {
      text.append(row(job, "JobManager", jobManager.get(job)));
      text.append(row(job, "TaskManager", taskManager.get(job)));
    }
    Files.writeString(Path.of(folder, name + ".md"), text);
  }

  private static String row(int job, String process, ProcessUse.Snapshot use) {
    return String.format(
        Locale.ROOT,
        "| %d | %s | %d | %.1f | %.0f | %d | %d | %d | %s |%n",
        job + 1,
        process,
        use.jobClassLoaders(),
        use.metaspaceKb() / 1024.0,
        use.residentKb() / 1024.0,
        use.threads(),
        use.allOpenFiles(),
        use.files(),
        use.openFiles().toString().replaceAll("[{}]", ""));
  }

  /** Fails if a process holds more after the last job than after the first. */
  void check() {
    check("JobManager", jobManager);
    check("TaskManager", taskManager);
  }

  private static void check(String process, List<ProcessUse.Snapshot> after) {
    assertThat(after)
        .as("class loaders of ended jobs in the %s: %s", process, after)
        .allMatch(left -> left.jobClassLoaders() <= MOST_LOADERS);
    ProcessUse.Snapshot first = after.get(0);
    ProcessUse.Snapshot last = after.get(after.size() - 1);
    String all = process + ": " + after;
    assertThat(last.threads()).as(all).isLessThanOrEqualTo(first.threads() + THREADS);
    assertThat(last.allOpenFiles()).as(all).isLessThanOrEqualTo(first.allOpenFiles() + OPEN_FILES);
    assertThat(last.files()).as(all).isLessThanOrEqualTo(first.files() + FILES);
    assertThat(last.metaspaceKb()).as(all).isLessThanOrEqualTo(first.metaspaceKb() + METASPACE_KB);
    assertThat(last.residentKb()).as(all).isLessThanOrEqualTo(first.residentKb() + RESIDENT_KB);
  }
}
