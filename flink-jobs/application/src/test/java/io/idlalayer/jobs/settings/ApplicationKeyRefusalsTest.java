package io.idlalayer.jobs.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Values of keys that are out of bounds or without effect, each refused with its reason. */
final class ApplicationKeyRefusalsTest {
  private static final String CSV =
      """
      name: app
      input: {format: csv, columns: [id, at, a, b, site, y], features: [a, b], label: y, classes: 2}
      """;

  @TempDir Path folder;

  /** The file of a network, which is no more than text in a process that does not train. */
  @BeforeEach
  void network() throws Exception {
    Files.writeString(folder.resolve("one.json"), "network");
  }

  /** Lines of a file, each with the problem that is said of it, indented. */
  private static final String REFUSALS =
      """
      partitions: 129
        partitions: 129 is not between 1 and 128
      partitions: 0
        partitions: 0 is not between 1 and 128
      mixing: {action: average}
        mixing.action: one partition has nothing to mix
      mixing: {wait: 1s}
        mixing.wait: takes effect with 'action: average' only
      mixing: {action: off, wait: 2m}
        mixing.wait: must be above 0 and at most 1m
      mixing: {partition-by: user}
        mixing.partition-by: takes effect with 'action: average' only
      update: {max-batch: 100001}
        update.max-batch: 100001 is not between 1 and 100000
      update: {rule: count, count: 20000}
        update.count: count is 20000, but max-batch ends an update at 16384 new samples
      update: {max-wait: 400d}
        update.max-wait: '400d' is longer than 365d
      memory: {lend-bytes: 1MiB, lending: {token: 0123456789abcdef}}
        memory.lend-bytes: must be 0 or at least 16MiB
      memory: {lend-bytes: 16MiB}
        memory.lending.token: needed with 'lend-bytes'
      memory: {lend-bytes: 16MiB, lending: {token: short}}
        memory.lending.token: needed with 'lend-bytes' and 'tensors.borrow-bytes': at least 16
      memory: {lending: {token: 0123456789abcdef}}
        memory.lending.token: takes effect with 'lend-bytes' or
      memory: {lending: {listen: '127.0.0.1:7476'}}
        memory.lending.listen: takes effect with 'lend-bytes' above 0 only
      memory: {lending: {tls: on}}
        memory.lending.tls: takes effect with 'lend-bytes' or
      memory: {lend-bytes: 16MiB, lending: {token: 0123456789abcdef, tls: on}}
        memory.lending.tls: needs the lender's certificate: ssl.keystore.location
      memory: {lend-bytes: 16MiB, lending: {token: 0123456789abcdef, listen: '0.0.0.0:7475'}}
        memory.lending.listen: can be reached from other machines: set 'tls: on'
      memory: {lend-bytes: 16MiB, lending: {token: 0123456789abcdef, listen: here}}
        memory.lending.listen: 'here' is no address of a lender
      memory: {tensors: {borrow-bytes: 1GiB, lenders: ['[::1]:1']}, lending: {token: 0123456789abcdef}}
        memory.tensors.borrow-bytes: takes effect with 'memory.tensors.fast-bytes' above 0 only
      memory: {tensors: {slow-access: direct}}
        memory.tensors.slow-access: takes effect with 'fast-bytes' above 0 only
      memory: {tensors: {fast-bytes: 1MiB, slow-access: buffered}}
        memory.tensors.slow-access: 'buffered' is none of mapped, direct
      memory: {tensors: {fast-bytes: 1MiB, slow-access: direct, borrow-bytes: 1GiB, lenders: ['localhost:7']}, lending: {token: 0123456789abcdef}}
        memory.tensors.slow-access: cannot be 'direct' with 'borrow-bytes'
      memory: {tensors: {fast-bytes: 1MiB, borrow-bytes: 1GiB}, lending: {token: 0123456789abcdef}}
        memory.tensors.lenders: needed with 'borrow-bytes'
      memory: {tensors: {fast-bytes: 1MiB, borrow-bytes: 1GiB, lenders: ['localhost:7']}, lending: {topic: lenders, token: 0123456789abcdef}}
        memory.lending.topic: takes effect with 'lend-bytes'
      memory: {lend-bytes: 16MiB, lending: {topic: app-status, token: 0123456789abcdef}}
        memory.lending.topic: topic app-status is
      memory: {tensors: {fast-bytes: 1MiB, borrow-bytes: 1GiB}, lending: {topic: 'no topic', token: 0123456789abcdef}}
        memory.lending.topic: 'no topic' is not a Kafka topic name
      memory: {tensors: {fast-bytes: 1MiB, lenders: ['localhost:1']}}
        memory.tensors.lenders: takes effect with 'borrow-bytes' above 0 only
      memory: {tensors: {fast-bytes: 1MiB, borrow-bytes: 1GiB, lenders: ['10.0.0.1:70000']}, lending: {token: 0123456789abcdef}}
        memory.tensors.lenders: '10.0.0.1:70000' is no address of a lender
      memory: {tensors: {fast-bytes: 1MiB, borrow-bytes: 1GiB, lenders: ['10.0.0.1:7']}, lending: {token: 0123456789abcdef}}
        memory.tensors.lenders: are on other machines: set 'memory.lending.tls: on'
      memory: {tensors: {fast-bytes: 1MiB, borrow-bytes: 1GiB, lenders: ['10.0.0.1:7']}, lending: {token: 0123456789abcdef, tls: on}}
        memory.lending.tls: needs the certificates to trust: ssl.truststore.location
      kafka: {properties: {ssl.keystore.location: a.pem, ssl.keystore.type: pem}}
      memory: {lend-bytes: 16MiB, lending: {token: 0123456789abcdef, tls: on}}
        memory.lending.tls: reads no PEM: 'kafka.properties' must name a key store
      kafka: {properties: {ssl.truststore.type: PEM}}
      memory: {tensors: {fast-bytes: 1MiB, borrow-bytes: 1GiB, lenders: ['10.0.0.1:7']}, lending: {token: 0123456789abcdef, tls: on}}
        memory.lending.tls: reads no PEM: 'kafka.properties' must name a trust store
      memory: {tensors: {fast-bytes: 1MiB, borrow-bytes: 1GiB, lenders: ['localhost:7', 'localhost:7']}, lending: {token: 0123456789abcdef}}
        memory.tensors.lenders: names a lender twice
      memory: {tensors: {fast-bytes: 1MiB, borrow-bytes: 1MiB, lenders: ['localhost:7', 'localhost:8']}, lending: {token: 0123456789abcdef}}
        memory.tensors.borrow-bytes: must be 0 or at least 1MiB for each of 'lenders'
      memory: {hot-bytes: 17TiB}
        memory.hot-bytes: '17TiB' is above 16TiB
      publishing: {keep: 1}
        publishing.keep: 1 is not between 2 and 100000
      publishing: {every: 2h}
        publishing.every: must be from 0 to 1h; it is how long a better model may wait before it serves
      publishing: {every: AUTO}
        publishing.every: 'AUTO' is not a duration such as 500ms, 30s, 2m or 1h; 'auto' is possible too
      publishing: {directory: 's3://key:word@bucket/models'}
        publishing.directory: this is not an address of an object store: s3://BUCKET/PREFIX
      publishing: {directory: 'hdfs://node/models'}
        publishing.directory: models cannot be in hdfs://; name a folder, or s3://BUCKET/PREFIX
      memory: {slow-directory: 'file:/data'}
        memory.slow-directory: 'file:/data' is an address
      memory: {tensors: {fast-bytes: 1MiB, slow-directory: 'hdfs://x'}}
        memory.tensors.slow-directory: 'hdfs://x' is an address
      publishing: {directory: ~/models}
        publishing.directory: '~/models' is not a folder: ~ is not expanded here
      publishing: {gate: {margin: 0.2}}
        publishing.gate.margin: takes effect with 'action: hold', or
      publishing: {gate: {trusted-file: right.csv}}
        publishing.gate.trusted-file: takes effect with 'action: hold', or
      publishing: {gate: {action: hold, trusted-file: right.csv, samples: 50}}
        publishing.gate.samples: all events of 'trusted-file' are compared
      publishing: {gate: {action: hold, trusted-file: '~/right.csv'}}
        publishing.gate.trusted-file: '~/right.csv' is not a file: ~ is not expanded here
      publishing: {gate: {action: warn, wait: 1s}}
        publishing.gate.wait: takes effect with 'action: hold' only
      publishing: {gate: {action: hold, metric: error}}
        publishing.gate.metric: classes are compared by 'accuracy' or 'loss'
      metric: mase
        metric: 'mase' is not a metric of two classes: choose accuracy, balanced-accuracy, f1, positive-f1
      metric: acuracy
        metric: 'acuracy' is not a metric of two classes
      update: {zeta: 2}
        update.zeta: takes effect with 'rule: dla' only
      update: {rule: dla, omega: 2}
        update.omega: takes effect with 'rule: area' only
      update: {rule: dla, rho: 3}
        update.rho: takes effect with 'rule: adaptive' only
      update: {rule: count, period: 9s}
        update.period: takes effect with 'rule: periodic' only
      update: {count: 9}
        update.count: takes effect with 'rule: count' only
      update: {seed: 9, draw: update, newest: include}
        update.draw: takes effect with 'rule: dla-random' only
      update: {quality: {seconds-per-loss: 9}}
        update.quality.seconds-per-loss: takes effect with 'detector: adwin' or
      update: {rule: periodic, quality: {detector: adwin}}
        update.quality.detector: takes effect with a rule that weighs waiting
      selection: {replay-budget: 0, policy: uniform}
        selection.policy: takes effect with 'replay-budget' above 0 only
      selection: {replay-budget: 0, steady-share: 0.5}
        selection.steady-share: takes effect with 'replay-budget' above 0 only
      selection: {policy: uniform, search: true}
        selection.search: takes effect with 'policy: fuzzy' or 'policy: stage-shares' only
      selection: {score: frequency, contribution: loss}
        selection.contribution: takes effect with 'score: fitted', 'score: contribution' or 'score: rules' only
      selection: {policy: stage-shares}
        selection.policy: stage-shares needs another score than frequency: 'score: fitted'
      selection: {policy: stage-shares, score: frequency, replay-budget: 7}
        selection.policy: stage-shares needs another score than frequency: 'score: fitted'
      selection: {policy: stage-shares, newborns: open}
        selection.newborns: takes effect with 'policy: fuzzy' only
      memory: {hot-bytes: 0, hot-plan: on}
        memory.hot-plan: takes effect with 'hot-bytes' above 0 only
      memory: {fast-bytes: 8MiB}
        memory.fast-bytes: is 8,388,608 bytes; at least 16,777,216 must be left to be divided (samples, tensors)
      memory: {fast-bytes: 64MiB, hot-bytes: 1MiB}
        memory.fast-bytes: would give all it divides to tensors, because the file gives 'hot-bytes': give 'tensors.fast-bytes' in place of 'fast-bytes'
      memory: {fast-bytes: 64MiB, hot-bytes: 1MiB, tensors: {fast-bytes: 1MiB}}
        memory.fast-bytes: has nothing to divide, because 'hot-bytes' and 'tensors.fast-bytes' are given
      memory: {fast-bytes: 64MiB, hot-plan: on}
        memory.hot-plan: plans the bytes that 'fast-bytes' divides
      memory: {fast-bytes: 64MiB, tensors: {policy: redl}}
        memory.tensors.policy: must be auto with 'memory.fast-bytes'
      memory: {fast-bytes: 64MiB}
      training: {engine: deeplearning4j}
        memory.tensors.fast-bytes: only iDlaLayer's engine places tensors: leave this out, or training.engine. Set it to 0
      memory: {tensors: {policy: all-slow}}
        memory.tensors.policy: takes effect with 'fast-bytes' above 0 only
      memory: {tensors: {fast-bytes: 1MiB}}
      training: {engine: deeplearning4j}
        memory.tensors.fast-bytes: only iDlaLayer's engine places tensors
      model: {type: dl4j-json, file: one.json}
      training: {learning-rate: 0.1}
        training.learning-rate: takes effect with 'model.type' other than dl4j-json
      embeddings: {dim: 8}
        embeddings: has no effect without id features ('input.ids')
      memory: {rows: {policy: static}}
        memory.rows.policy: takes effect with id features ('input.ids') only
      model: {type: dlrm}
        model.type: dlrm needs at least one id feature
      model: {type: wide-and-deep}
        model.type: wide-and-deep needs at least one id feature
      """;

  static List<Arguments> refusals() {
    List<Arguments> refusals = new ArrayList<>();
    StringBuilder file = new StringBuilder(CSV);
    for (String line : REFUSALS.lines().toList()) {
      if (line.startsWith(" ")) {
        refusals.add(Arguments.of(file.toString(), line.strip()));
        file.setLength(CSV.length());
      } else {
        file.append(line).append('\n');
      }
    }
    return refusals;
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void value_thatIsOutOfBoundsOrWithoutEffect_isRefusedWithTheReason(String text, String says)
      throws Exception {
    assertThat(ApplicationFiles.problems(folder.resolve("app.yaml"), text, Map.of()))
        .anySatisfy(problem -> assertThat(problem).startsWith(says));
  }
}
