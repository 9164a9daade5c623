package io.idlalayer.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Key stores (PKCS12) with certificates for 127.0.0.1, made by the JDK's keytool. */
public final class KeyStores {
  /** The password of every store. */
  public static final String PASSWORD = "store-secret-7";

  private KeyStores() {}

  /** Makes a key and its certificate, and returns the store. */
  public static Path keys(Path store, String alias) throws IOException {
    keytool(
        ("-genkeypair -alias %1$s -keyalg EC -validity 2 -dname CN=%1$s"
                + " -ext san=ip:127.0.0.1,dns:localhost")
            .formatted(alias),
        "-keystore",
        store);
    return store;
  }

  /** Makes a store that trusts the certificate of another one, and returns it. */
  public static Path trusting(Path store, Path keys, String alias) throws IOException {
    Path certificate = store.resolveSibling(alias + ".crt");
    keytool("-exportcert -alias " + alias, "-keystore", keys, "-file", certificate);
    keytool("-importcert -noprompt -alias " + alias, "-keystore", store, "-file", certificate);
    return store;
  }

  private static void keytool(String options, Object... files) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(options.split(" ", -1)));
    for (Object each : files) {
      command.add(each.toString());
    }
    command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new IOException("keytool: " + said);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException(interrupted);
    }
  }
}
