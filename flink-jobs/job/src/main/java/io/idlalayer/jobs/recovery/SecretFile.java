package io.idlalayer.jobs.recovery;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Files in a work directory that hold a random secret, as one line of hexadecimal digits. Other
 * users of the machine cannot read them, because they cannot enter the work directory.
 */
public final class SecretFile {
  private SecretFile() {}

  /**
   * Creates the file with a new secret, unless the file exists. After a crash there is either the
   * whole file or none.
   *
   * @param bytes length of the secret, in bytes
   */
  public static void make(Path file, int bytes) throws IOException {
    if (Files.exists(file)) {
      return;
    }
    byte[] secret = new byte[bytes];
    new SecureRandom().nextBytes(secret);
    String text = HexFormat.of().formatHex(secret) + "\n";
    Durable.writeOnce(file, text.getBytes(StandardCharsets.US_ASCII));
  }
}
