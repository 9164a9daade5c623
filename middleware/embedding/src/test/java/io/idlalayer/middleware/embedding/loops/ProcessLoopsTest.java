package io.idlalayer.middleware.embedding.loops;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ProcessLoopsTest {
  /** A process that says which loops it has. */
  static final class Main {
    private Main() {}

    /** Runs it. */
    public static void main(String[] arguments) {
      System.out.println("loops: " + ProcessLoops.LOOPS.description());
    }
  }

  private static String output(String... options) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(options));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  @Test
  void loops_processWithTheModule_useTheVectorApi() throws Exception {
    assertThat(output("--add-modules", "jdk.incubator.vector")).contains("loops: the Vector API, ");
  }

  @Test
  void loops_processWithoutTheModule_arePlain() throws Exception {
    assertThat(output()).contains("loops: plain loops");
  }
}
