package io.idlalayer.jobs.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReadFailureTest {
  @TempDir Path folder;

  private static void says(IOException failed, String open, String hidden) {
    assertThat(ReadFailure.why(failed, true)).isEqualTo(open);
    assertThat(ReadFailure.why(failed, false)).isEqualTo(hidden);
  }

  @Test
  void why_ofRealFailures_hasNoClassNames() throws Exception {
    Path missing = folder.resolve("missing");
    says(
        assertThrows(IOException.class, () -> Files.readString(missing)),
        "there is no file " + missing,
        "there is no such file");
    Path loop = folder.resolve("loop");
    Files.createSymbolicLink(loop, loop);
    assertThat(ReadFailure.why(assertThrows(IOException.class, () -> Files.readString(loop)), true))
        .startsWith("the system does not read " + loop + ": ")
        .doesNotContain("Exception");
    assertThat(
            ReadFailure.why(assertThrows(IOException.class, () -> Files.readString(folder)), true))
        .isEqualTo("Is a directory");
    Path bytes = Files.write(folder.resolve("bytes"), new byte[] {(byte) 0xff, 0});
    says(
        assertThrows(IOException.class, () -> Files.readString(bytes)),
        "it is not text in the expected encoding",
        "it is not text in the expected encoding");
  }

  @Test
  void why_withoutReasonOrPath_isStillASentence() {
    says(
        new AccessDeniedException("/secret"),
        "this user may not read /secret",
        "this user may not read it");
    says(
        new FileSystemException(null),
        "the system does not read it: no reason is known",
        "the system does not read it: no reason is known");
    says(new IOException("in /secret"), "in /secret", "the system does not read it");
    says(
        new MalformedInputException(1),
        "it is not text in the expected encoding",
        "it is not text in the expected encoding");
  }
}
