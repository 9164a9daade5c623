package io.idlalayer.jobs.produce;

import io.idlalayer.jobs.events.Surveyed;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.survey.EventSurvey;
import io.idlalayer.jobs.survey.FieldNames;
import io.idlalayer.jobs.survey.Refused;
import io.idlalayer.jobs.topics.SampleDecoders;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.format.RecordReader;
import io.idlalayer.middleware.sample.format.SampleDecoder;
import java.io.IOException;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Finds oddities in the records of an input while they are read to be sent; the job will find the
 * same oddities when it decodes the records. Each opening of the input starts over. Confined to one
 * thread.
 */
public final class SurveyedInput {
  private final ApplicationSettings application;
  private final InputSource input;
  private final long early;
  private final Consumer<Surveyed> atEarly;
  private EventSurvey survey;
  private boolean said;

  /**
   * @param early number of records after which {@code atEarly} is called, once
   * @param atEarly receives the survey of these records
   */
  public SurveyedInput(
      ApplicationSettings application, InputSource input, long early, Consumer<Surveyed> atEarly) {
    this.application = application;
    this.input = input;
    this.early = early;
    this.atEarly = atEarly;
    survey = new EventSurvey(application.input().schema());
  }

  /** Returns an input with the same records, which are surveyed while they are read. */
  public InputSource source() {
    return new InputSource(input.name(), input.content(), () -> new Reader(input.opener().open()));
  }

  /** Returns the survey of the records that were read since the input was opened last. */
  public Surveyed surveyed() {
    return survey.surveyed(0, 0);
  }

  private final class Reader implements RecordReader {
    private final RecordReader records;
    private final SampleDecoder decoder = SampleDecoders.ofInput(application.input());
    private final FieldNames names =
        new FieldNames(application.input().schema(), application.input().text().eventEncoding());
    private long number;

    Reader(RecordReader records) {
      this.records = records;
      survey = new EventSurvey(application.input().schema());
    }

    @Override
    public boolean next() throws IOException {
      if (!records.next()) {
        return false;
      }
      number++;
      take(records.record());
      if (number == early && !said) {
        said = true;
        atEarly.accept(surveyed());
      }
      return true;
    }

    private void take(byte[] event) {
      int most = application.input().maxEventBytes();
      if (event.length > most) {
        refuse(
            String.format(Locale.ROOT, "event: %d bytes; at most %d", event.length, most), event);
        return;
      }
      try {
        Sample sample = decoder.decode(event);
        names.decoded(sample);
        survey.sample(sample);
      } catch (MalformedSampleException refused) {
        refuse(String.valueOf(refused.getMessage()), event);
      }
      if (application.input().format() == ApplicationSettings.Format.JSON) {
        survey.undeclared(names.undeclared(event));
      }
    }

    private void refuse(String reason, byte[] event) {
      String place = records.place();
      String origin = input.name() + "#" + number + (place.isEmpty() ? "" : ", " + place);
      survey.refused(Refused.of(reason, "", -1, origin, event, event.length));
    }

    @Override
    public byte[] record() {
      return records.record();
    }

    @Override
    public long position() {
      return records.position();
    }

    @Override
    public String place() {
      return records.place();
    }

    @Override
    public void close() throws IOException {
      records.close();
    }
  }
}
