package io.idlalayer.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A JVM with the class path of the tests that runs a main method. */
public final class ChildProcess implements AutoCloseable {
  private static final long SECONDS = 300;

  private final Process process;
  private final BufferedReader out;

  private ChildProcess(Process process) {
    this.process = process;
    out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Starts it; signals have their default effect there. */
  public static ChildProcess start(Class<?> main, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("env", "--default-signal=INT", "--default-signal=HUP"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(NativeCode.options());
    // Jars of tests bring configurations of their own.
    command.addAll(List.of("-Dlog4j2.configurationFile=classpath:log4j2.properties", "-cp"));
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    return new ChildProcess(new ProcessBuilder(command).redirectErrorStream(true).start());
  }

  /** Waits for the next line that it prints. */
  public String line() throws IOException {
    return String.valueOf(out.readLine());
  }

  public void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-s", name, Long.toString(process.pid())).start().waitFor();
  }

  /** Everything that it still prints, up to its end. */
  public String end() throws IOException {
    StringBuilder rest = new StringBuilder();
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      rest.append(line).append('\n');
    }
    return rest.toString();
  }

  public int exitCode() throws InterruptedException {
    if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("does not end within " + SECONDS + " s");
    }
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
