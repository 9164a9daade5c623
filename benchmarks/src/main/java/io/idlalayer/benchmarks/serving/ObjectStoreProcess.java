package io.idlalayer.benchmarks.serving;

import io.idlalayer.testkit.ObjectStoreServer;
import io.idlalayer.testkit.TestCredentials;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A stand-in for an object store: the server of the tests in a process of its own, so that its
 * garbage is not in the measured heap. It is on this machine and shares its processors. Stores of
 * this process find it.
 */
final class ObjectStoreProcess implements AutoCloseable {
  static final String ADDRESS = "s3://" + ObjectStoreServer.BUCKET + "/serving";

  private final Process process;

  private ObjectStoreProcess(Process process) {
    this.process = process;
  }

  /**
   * @param folder folder for the objects, which no other process may change
   */
  static ObjectStoreProcess start(Path folder) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                ObjectStoreServer.class.getName(),
                folder.toString())
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    // Also when the experiment is interrupted.
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    String endpoint =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))
            .readLine();
    if (endpoint == null) {
      throw new IOException("the object store did not start");
    }
    System.setProperty("aws.endpointUrlS3", endpoint);
    TestCredentials.set();
    return new ObjectStoreProcess(process);
  }

  @Override
  public void close() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }
}
