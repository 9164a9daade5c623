package io.idlalayer.jobs.cli.models;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.cli.IdlaRun;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/**
 * A server that the command models serve started, and how it says goodbye.
 *
 * @param address that it said
 */
record ServeCommand(String address, Future<Integer> ended, IdlaRun idla) {
  /** Starts one and waits until it says its address. */
  static ServeCommand start(ExecutorService threads, Object... options) {
    IdlaRun idla = new IdlaRun();
    Object[] parts = new Object[options.length + 1];
    parts[0] = "models serve";
    System.arraycopy(options, 0, parts, 1, options.length);
    Future<Integer> ended = threads.submit(() -> idla.run(parts));
    Awaitility.await()
        .atMost(Duration.ofMinutes(2))
        .until(() -> (idla.out() + idla.err()).contains("\n"));
    String said = idla.out() + idla.err();
    Matcher address = Pattern.compile(" at (http\\S+)").matcher(said);
    assertThat(address.find()).as(said).isTrue();
    return new ServeCommand(address.group(1), ended, idla);
  }
}
