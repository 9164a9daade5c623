package io.idlalayer.jobs.stream;

import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the output of learners to the log. If there are many dead letters, it writes only the
 * first 20, and then every 1,000th.
 */
final class LogSink implements Sink<String> {
  private static final long serialVersionUID = 1L;

  /** Beginning of the text about a dead letter. */
  static final String DEAD_LETTER = "dead letter: ";

  private static final Logger LOG = LoggerFactory.getLogger(LogSink.class);
  private static final int ALL_OF_FIRST = 20;
  private static final int ONE_OF = 1_000;

  @Override
  public SinkWriter<String> createWriter(WriterInitContext context) {
    return new Writer();
  }

  private static final class Writer implements SinkWriter<String> {
    private long letters;

    @Override
    public void write(String line, Context context) {
      if (!line.contains(DEAD_LETTER)) {
        LOG.info("{}", line);
        return;
      }
      letters++;
      if (letters <= ALL_OF_FIRST || letters % ONE_OF == 0) {
        LOG.warn("{} ({} dead letters since the start)", line, letters);
      }
    }

    @Override
    public void flush(boolean endOfInput) {}

    @Override
    public void close() {}
  }
}
