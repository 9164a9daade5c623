package io.idlalayer.jobs.produce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.file.UnreadableFileException;
import io.idlalayer.middleware.sample.format.RecordReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.zip.GZIPOutputStream;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sending an input through producers that give records up. No broker. */
final class InputProducerTest {
  /** Above a dead letter's event, and below what is sent by itself. */
  private static final int LONG_BYTES = 100 << 10;

  @TempDir Path folder;

  private ApplicationSettings application;

  @BeforeEach
  void readApplication() throws Exception {
    application =
        ApplicationFiles.read(
            folder.resolve("app.yaml"),
            """
            name: app
            partitions: 2
            input: {format: csv, columns: [a, y], features: [a], label: y, classes: 2}
            """);
  }

  private FakeKafka kafka(int partitions) {
    return new FakeKafka(
        application.input().topic(), application.kafka().inputsTopic(), partitions);
  }

  private InputProducer.Sent send(FakeKafka kafka, InputSource input, long limit) throws Exception {
    return new InputProducer(
            application,
            "servers",
            kafka,
            new SentInputs(application, "servers", kafka::consumer),
            kafka::producer)
        .send(input, new InputProducer.Request(limit, 0));
  }

  private InputProducer.Sent send(FakeKafka kafka, InputSource input) throws Exception {
    return send(kafka, input, Long.MAX_VALUE);
  }

  /** Records that count up; one that is reached ends the reading, as a kill would. */
  private static InputSource input(long records, long diesAt, long longOne) {
    return InputSource.generated(
        "in",
        () ->
            new RecordReader() {
              private long at;

              @Override
              public boolean next() throws IOException {
                at++;
                if (at == diesAt) {
                  throw new IOException("dies at " + at);
                }
                return at <= records;
              }

              @Override
              public byte[] record() {
                return Arrays.copyOf(
                    (at + ",1").getBytes(StandardCharsets.UTF_8), at == longOne ? LONG_BYTES : 3);
              }

              @Override
              public long position() {
                return at;
              }

              @Override
              public void close() {}
            });
  }

  private static InputSource input(long records, long diesAt) {
    return input(records, diesAt, 0);
  }

  private static InputSource input(long records) {
    return input(records, Long.MAX_VALUE);
  }

  private static List<String> records(long count) {
    return LongStream.rangeClosed(1, count).mapToObj(number -> "in#" + number).toList();
  }

  /** The first lines of a gzip file of 300, whose last bytes are missing. */
  private InputSource gzip(int missing, boolean damaged) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes, 512, true)) {
      for (int i = 1; i <= 300; i++) {
        out.write((i + ",1\n").getBytes(StandardCharsets.UTF_8));
        if (i == 200) {
          out.flush();
        }
      }
    }
    byte[] whole = bytes.toByteArray();
    if (damaged) {
      whole[whole.length - 8] ^= 1;
    }
    Path file =
        Files.write(
            folder.resolve("in.gz"), Arrays.copyOf(whole, Math.max(11, whole.length - missing)));
    return InputSource.file(file, application);
  }

  @Test
  void properties_haveAClientId_unlessTheUserNamesOne() throws Exception {
    assertThat(InputProducer.properties(application, "servers"))
        .containsEntry("client.id", "input-app");
    ApplicationSettings named =
        ApplicationFiles.read(
            folder.resolve("named.yaml"),
            """
            name: app
            input: {format: csv, columns: [a, y], features: [a], label: y, classes: 2}
            kafka: {properties: {client.id: mine}}
            """);
    assertThat(InputProducer.properties(named, "servers")).containsEntry("client.id", "mine");
  }

  @Test
  void aGzipFileThatIsCutOff_isSentUpToTheCut_andTheWholeOneFromThere() throws Exception {
    FakeKafka kafka = kafka(2);
    InputSource cut = gzip(40, false);
    assertThatThrownBy(() -> send(kafka, cut))
        .isInstanceOf(UnreadableFileException.class)
        .hasMessageMatching(
            ".*in.gz is cut off after line 2\\d\\d: its gzip data stop before their end; the"
                + " 2\\d\\d records before are in topic app-samples, and a run learns them; give"
                + " the whole file under this name, and only the rest of it is sent");
    int before = kafka.sent().size();
    assertThat(before).isBetween(200, 299);
    assertThat(kafka.lastNote().open()).isFalse();
    assertThat(send(kafka, gzip(0, false)))
        .isEqualTo(new InputProducer.Sent(300 - before, before, 0));
    assertThat(kafka.sent()).doesNotHaveDuplicates().hasSize(300);
  }

  @Test
  void aGzipFileThatIsCutOffBeforeItsFirstRecord_isNotSent() throws Exception {
    FakeKafka kafka = kafka(1);
    InputSource cut = gzip(10_000, false);
    assertThatThrownBy(() -> send(kafka, cut))
        .hasMessageEndingWith(
            "in.gz is cut off before the end of its first line: its gzip data stop before their"
                + " end; nothing of it was sent; copy the file again");
    assertThat(kafka.sent()).isEmpty();
  }

  @Test
  void aDamagedGzipFile_isSentUpToTheDamage_andSaysThatItMayBeWrong() throws Exception {
    FakeKafka kafka = kafka(1);
    InputSource damaged = gzip(0, true);
    assertThatThrownBy(() -> send(kafka, damaged))
        .hasMessageEndingWith(
            "in.gz is damaged after line 300: the checksum of its gzip data differs, so that any of"
                + " its content may be wrong; the 300 records before are in topic app-samples, and a"
                + " run learns them; give the undamaged file, and it is sent whole");
    assertThat(kafka.sent()).hasSize(300);
  }

  /** Fails once at one record. */
  private static FakeKafka.Fate once(long number, FakeKafka.Failure failure) {
    boolean[] done = {false};
    return each -> {
      if (each == number && !done[0]) {
        done[0] = true;
        return failure;
      }
      return null;
    };
  }

  @Test
  void aRecordThatExpires_isSentAgain_andNothingBehindItArrivesBefore() throws Exception {
    FakeKafka kafka = kafka(1);
    kafka.fate = once(880, FakeKafka.Failure.expired(0));
    assertThat(send(kafka, input(1_500))).isEqualTo(new InputProducer.Sent(1_500, 0, 0));
    assertThat(kafka.sent()).isEqualTo(records(1_500));
    assertThat(kafka.lastNote().open()).isFalse();
  }

  @Test
  void aRecordThatExpires_whileLaterOnesArrive_isSentSoThatTheJobLearnsIt() throws Exception {
    FakeKafka kafka = kafka(1);
    kafka.fate = once(880, FakeKafka.Failure.expired(2));
    assertThat(send(kafka, input(1_500))).isEqualTo(new InputProducer.Sent(1_500, 0, 0));
    assertThat(kafka.sent())
        .startsWith(records(879).toArray(String[]::new))
        .containsSequence("in#879", "in#881", "in#882", "in#880", "in#883");
    assertThat(kafka.learned()).containsExactlyInAnyOrderElementsOf(records(1_500));
  }

  @Test
  void aProducerThatDiesAfterwards_hasNotedTheRecordsWithoutAGapOnly() throws Exception {
    FakeKafka kafka = kafka(2);
    TopicAuthorizationException refused = new TopicAuthorizationException("no right");
    kafka.fate = once(5, FakeKafka.Failure.of(refused));
    assertThatThrownBy(() -> send(kafka, input(9)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("did not take record number 5: no right");
    assertThat(kafka.producersMade).isOne();
    assertThat(kafka.lastNote().open()).isTrue();
    assertThat(kafka.sent()).containsExactlyInAnyOrderElementsOf(records(4));
    assertThat(send(kafka, input(9))).isEqualTo(new InputProducer.Sent(5, 4, 0));
    assertThat(kafka.sent()).containsExactlyInAnyOrderElementsOf(records(9));
  }

  @Test
  void holesOfTwoPartitions_areFilledByTheNextStart_upToItsLimit() throws Exception {
    FakeKafka kafka = kafka(2);
    // 3 is given up; 4, 5, 6 and 7 arrive.
    kafka.fate = number -> number == 3 ? refused(4) : null;
    assertThatThrownBy(() -> send(kafka, input(20))).hasMessageContaining("number 3");
    assertThat(kafka.learned())
        .containsExactlyInAnyOrder("in#1", "in#2", "in#4", "in#5", "in#6", "in#7");
    kafka.fate = number -> null;
    assertThat(send(kafka, input(20), 2)).isEqualTo(new InputProducer.Sent(0, 2, 0));
    assertThat(kafka.lastNote().open()).as("a hole above the limit").isTrue();
    assertThat(send(kafka, input(20), 4)).isEqualTo(new InputProducer.Sent(1, 3, 0));
    assertThat(kafka.lastNote().sent()).containsExactly(7L, 6L);
    kafka.addPartitions(1);
    assertThat(send(kafka, input(20))).isEqualTo(new InputProducer.Sent(13, 7, 0));
    assertThat(kafka.learned()).containsExactlyInAnyOrderElementsOf(records(20));
    assertThat(kafka.sent()).hasSize(20);
  }

  /** Not one that may pass, so that it ends the sending. */
  private static FakeKafka.Failure refused(int laterOnes) {
    return new FakeKafka.Failure(
        new TopicAuthorizationException("no right"), laterOnes, FakeKafka.Arrives.NEVER);
  }

  @Test
  void partitionsThatWereAdded_areNotedBeforeTheyAreUsed() throws Exception {
    FakeKafka kafka = kafka(2);
    send(kafka, input(5));
    kafka.addPartitions(1);
    // The process is killed behind record 11; its last note says nothing of what it sent.
    assertThatThrownBy(() -> send(kafka, input(20, 12))).hasMessageContaining("dies at 12");
    assertThat(kafka.lastNote().partitions()).isEqualTo(3);
    assertThat(kafka.lastNote().base()).isEqualTo(5);
    assertThat(send(kafka, input(20))).isEqualTo(new InputProducer.Sent(9, 11, 0));
    assertThat(kafka.sent()).containsExactlyInAnyOrderElementsOf(records(20));
  }

  @Test
  void aBrokerThatStaysAway_endsTheSendingInWords_afterSomeAttempts() throws Exception {
    FakeKafka kafka = kafka(1);
    kafka.fate = number -> number == 7 ? FakeKafka.Failure.expired(0) : null;
    assertThatThrownBy(() -> send(kafka, input(9)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no more records of in could be sent to servers in 5 attempts")
        .hasMessageContaining("record number 7: 3600006 ms");
    assertThat(kafka.producersMade).isEqualTo(Retry.ATTEMPTS_MAX);
    kafka.fate = number -> null;
    assertThat(send(kafka, input(9))).isEqualTo(new InputProducer.Sent(3, 6, 0));
  }

  /** The clock of this process was set before that of the broker. */
  @Test
  void aRecordAheadOfTheBrokersClock_isSentAgain() throws Exception {
    FakeKafka kafka = kafka(1);
    int[] refused = {0};
    kafka.fate =
        number ->
            number == 3 && refused[0]++ < 2
                ? new FakeKafka.Failure(
                    new InvalidTimestampException("out of range"), 0, FakeKafka.Arrives.NEVER)
                : null;
    assertThat(send(kafka, input(6)).records()).isEqualTo(6);
    assertThat(kafka.sent()).isEqualTo(records(6));
  }

  @Test
  void attemptsThatGetFurther_areNotCounted() throws Exception {
    FakeKafka kafka = kafka(1);
    long[] failing = {0};
    kafka.fate =
        number -> {
          if (number > failing[0]) {
            failing[0] = number;
            return FakeKafka.Failure.expired(0);
          }
          return null;
        };
    assertThat(send(kafka, input(20)).records()).isEqualTo(20);
    assertThat(kafka.producersMade).isGreaterThan(Retry.ATTEMPTS_MAX);
    assertThat(kafka.sent()).isEqualTo(records(20));
  }

  @Test
  void aRecordThatIsTooLongForItsTopicOnly_isSentAsItsBeginning() throws Exception {
    FakeKafka kafka = kafka(1);
    kafka.recordBytesMax = 80 << 10;
    assertThat(send(kafka, input(9, Long.MAX_VALUE, 5))).isEqualTo(new InputProducer.Sent(9, 0, 1));
    assertThat(kafka.sent()).isEqualTo(records(9));
    kafka.recordBytesMax = 1_000;
    assertThatThrownBy(() -> send(kafka, input(12, Long.MAX_VALUE, 11)))
        .hasMessageContaining("record number 11: larger than the topic takes");
  }

  @Test
  void aTimeoutWhileReadingTheTopic_isTriedAgain() throws Exception {
    FakeKafka kafka = kafka(1);
    kafka.lookFailures.add(new TimeoutException("by the clock"));
    kafka.lookFailures.add(new java.util.concurrent.TimeoutException("by the clock"));
    assertThat(send(kafka, input(3)).records()).isEqualTo(3);
    kafka.lookFailures.add(new TopicAuthorizationException("no right"));
    assertThatThrownBy(() -> send(kafka, input(3))).hasMessageContaining("no right");
  }

  @Test
  void whatRetentionRemoved_isNoHole() throws Exception {
    FakeKafka kafka = kafka(1);
    kafka.fate = number -> number == 9 ? refused(0) : null;
    assertThatThrownBy(() -> send(kafka, input(12))).hasMessageContaining("number 9");
    kafka.fate = number -> null;
    // The last note is older than all of this in a process that was killed.
    kafka.removeBefore(6);
    assertThat(send(kafka, input(12))).isEqualTo(new InputProducer.Sent(4, 8, 0));
    assertThat(kafka.sent()).isEqualTo(records(12));
  }

  @Test
  void anotherInputThatBeginsInTheSameWay_isSentByItself_whileTheFirstHasAHole() throws Exception {
    FakeKafka kafka = kafka(1);
    Path first = Files.writeString(folder.resolve("a.csv"), "1,0\n2,0\n3,0\n4,0\n5,0\n");
    kafka.fate = number -> number == 3 ? refused(1) : null;
    assertThatThrownBy(() -> send(kafka, InputSource.file(first, application)))
        .hasMessageContaining("number 3");
    kafka.fate = number -> null;
    Path other = Files.createDirectories(folder.resolve("other")).resolve("a.csv");
    Files.writeString(other, "1,0\n2,0\n3,0\n9,0\n9,0\n");
    assertThat(send(kafka, InputSource.file(other, application)))
        .isEqualTo(new InputProducer.Sent(5, 0, 0));
    Files.writeString(first, "1,0\n2,0\n3,0\n4,0\n5,0\n6,0\n");
    InputProducer.Sent grown = send(kafka, InputSource.file(first, application));
    assertThat(grown.records() + grown.before()).isEqualTo(6);
    assertThat(kafka.learned()).hasSize(11);
  }

  @Test
  void anyFaults_everyRecordIsLearnedOnce() throws Exception {
    for (int seed = 0; seed < 100; seed++) {
      Random random = new Random(seed);
      FakeKafka kafka = kafka(1 + random.nextInt(3));
      int count = 1 + random.nextInt(60);
      for (int start = 0; start < 5; start++) {
        double faults = random.nextDouble() * 0.1;
        kafka.fate =
            number ->
                random.nextDouble() > faults
                    ? null
                    : new FakeKafka.Failure(
                        random.nextInt(4) == 0
                            ? new TopicAuthorizationException("no right")
                            : new TimeoutException("expired"),
                        random.nextInt(8),
                        List.copyOf(EnumSet.allOf(FakeKafka.Arrives.class))
                            .get(random.nextInt(FakeKafka.Arrives.values().length)));
        long limit = random.nextBoolean() ? Long.MAX_VALUE : 1 + random.nextInt(count);
        long diesAt = random.nextBoolean() ? Long.MAX_VALUE : 1 + random.nextInt(count);
        try {
          send(kafka, input(count, diesAt), limit);
        } catch (IOException failed) {
          assertThat(failed).hasMessageMatching("(?s).*(dies at|did not take|was lost 8 times).*");
        }
        if (random.nextInt(3) == 0) {
          kafka.addPartitions(1);
        }
      }
      kafka.fate = number -> null;
      InputProducer.Sent last = send(kafka, input(count));
      assertThat(last.records() + last.before()).isEqualTo(count);
      List<String> learned = new ArrayList<>(kafka.learned());
      assertThat(learned).as("seed " + seed).containsExactlyInAnyOrderElementsOf(records(count));
      assertThat(kafka.lastNote().open()).isFalse();
    }
  }
}
