package io.idlalayer.jobs.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class StorageFaultTest {
  private static @Nullable StorageFault of(Throwable failed) {
    return StorageFault.of(failed).orElse(null);
  }

  @Test
  void of_failuresAsLibrariesThrowThem_findsCauseAndPlace() {
    assertThat(of(new FileSystemException("/w/models/a", null, "No space left on device")))
        .isEqualTo(
            new StorageFault(StorageCause.FULL, Path.of("/w/models/a"), "No space left on device"));
    assertThat(of(new FileNotFoundException("/w/report.json (Read-only file system)")))
        .isEqualTo(
            new StorageFault(
                StorageCause.READ_ONLY, Path.of("/w/report.json"), "Read-only file system"));
    assertThat(
            of(
                new CompletionException(
                    new UncheckedIOException(new IOException("No space left on device")))))
        .isEqualTo(new StorageFault(StorageCause.FULL, null, "No space left on device"));
    assertThat(
            of(
                new IllegalStateException(
                    "RocksDBException: While open a file for appending: /w/state/db/000012.sst: Disk quota exceeded")))
        .isEqualTo(
            new StorageFault(
                StorageCause.QUOTA, Path.of("/w/state/db/000012.sst"), "Disk quota exceeded"));
    assertThat(of(new AccessDeniedException("/w/x")))
        .isEqualTo(new StorageFault(StorageCause.REFUSED, Path.of("/w/x"), ""));
    assertThat(of(new NoSuchFileException("/w/x")))
        .isEqualTo(new StorageFault(StorageCause.GONE, Path.of("/w/x"), ""));
    assertThat(of(new IOException("/w/lib.so: Too many open files")))
        .isEqualTo(
            new StorageFault(StorageCause.HANDLES, Path.of("/w/lib.so"), "Too many open files"));
  }

  @Test
  void of_aFailureThatSuppressesOneWithAPlace_takesThePlace() {
    IOException failed = new IOException("Input/output error");
    failed.addSuppressed(new FileSystemException("/w/a", null, "Input/output error"));
    assertThat(of(failed))
        .isEqualTo(new StorageFault(StorageCause.DEVICE, Path.of("/w/a"), "Input/output error"));
  }

  @Test
  void of_failuresOfOtherKinds_areNone() {
    assertThat(of(new IllegalArgumentException("No space left on device"))).isNull();
    assertThat(of(new IOException("connection reset by peer"))).isNull();
    assertThat(of(new IllegalStateException())).isNull();
    Exception circle = new Exception("a");
    circle.initCause(new Exception("b", circle));
    assertThat(of(circle)).isNull();
  }

  @Test
  void sentence_anyCause_namesPlaceReasonAndWhatToDo() {
    assertThat(
            new StorageFault(StorageCause.FULL, Path.of("/w"), "No space left on device")
                .sentence("run the same command again"))
        .isEqualTo(
            "/w cannot be used: no space is left on its device; make room there, then run the same command again");
    assertThat(new StorageFault(StorageCause.FULL, Path.of("/w"), "12 KiB left").problem())
        .isEqualTo("/w cannot be used: no space is left on its device (12 KiB left)");
    assertThat(new StorageFault(StorageCause.FULL, null, "").at(Path.of("/v")).place())
        .isEqualTo(Path.of("/v"));
  }
}
