package io.idlalayer.jobs.cli.letters;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.topics.DeadLetterHeaders;
import io.idlalayer.middleware.models.kafka.bounds.SegmentFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.Record;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.utils.Utils;

/**
 * Reads dead letters from the log of the broker in a work directory, whether or not the broker
 * runs. Changes nothing.
 */
final class LogLetters {
  private static final int RECORD_BYTES = 1 << 20;

  private LogLetters() {}

  /**
   * Reads all dead letters of an application.
   *
   * @throws IOException if the directory has no such log, or the log cannot be read
   */
  static void read(ApplicationSettings application, Path work, LetterFold fold) throws IOException {
    Path logs = work.resolve("kafka");
    if (!Files.isDirectory(logs)) {
      throw new IOException(
          ("%s has no broker's log: it is no work directory, or its run had --bootstrap-servers;"
                  + " name them here too")
              .formatted(work));
    }
    String topic = application.kafka().deadLettersTopic();
    List<Path> partitions = children(logs, Pattern.quote(topic) + "-\\d+");
    if (partitions.isEmpty()) {
      throw new IOException(
          "the broker in %s has no topic %s; is it the directory of %s?"
              .formatted(work, topic, application.name()));
    }
    for (Path partition : partitions) {
      String name = String.valueOf(partition.getFileName());
      int number = Integer.parseInt(name.substring(topic.length() + 1));
      for (Path segment : children(partition, "\\d+\\.log")) {
        SegmentFile.read(
            segment,
            RECORD_BYTES,
            record ->
                fold.add(
                    DeadLetterHeaders.read(consumed(topic, number, record)), record.timestamp()));
      }
    }
  }

  private static List<Path> children(Path folder, String pattern) throws IOException {
    try (Stream<Path> children = Files.list(folder)) {
      return children
          .filter(each -> String.valueOf(each.getFileName()).matches(pattern))
          .sorted()
          .toList();
    }
  }

  private static ConsumerRecord<byte[], byte[]> consumed(
      String topic, int partition, Record record) {
    byte[] value = record.hasValue() ? Utils.toArray(record.value()) : new byte[0];
    return new ConsumerRecord<>(
        topic,
        partition,
        record.offset(),
        record.timestamp(),
        TimestampType.CREATE_TIME,
        0,
        value.length,
        new byte[0],
        value,
        new RecordHeaders(record.headers()),
        Optional.empty());
  }
}
