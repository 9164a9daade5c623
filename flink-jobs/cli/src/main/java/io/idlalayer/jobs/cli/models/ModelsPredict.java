package io.idlalayer.jobs.cli.models;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.idlalayer.jobs.settings.PublishedInput;
import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.serve.LoadRequest;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.format.CriteoTsvSampleDecoder;
import io.idlalayer.middleware.sample.format.CsvSampleDecoder;
import io.idlalayer.middleware.sample.format.JsonSampleDecoder;
import io.idlalayer.middleware.sample.format.LineRecordReader;
import io.idlalayer.middleware.sample.format.SampleDecoder;
import io.idlalayer.modelloader.serve.PlainOrDl4jLoader;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpecJson;
import io.idlalayer.modelruntime.serve.Predictor;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Predicts the events on standard input with a published model. */
@Command(
    name = "predict",
    description = {
      "Predicts the events on standard input, one line each, in the form that the application's"
          + " events have; labels may be missing. Prints one line of JSON for each event, in"
          + " order.",
      "A line that is not an event, or for which the model predicts no finite number, is reported on"
          + " standard error, and the exit code is 1 at the end."
    })
final class ModelsPredict implements Callable<Integer> {
  private static final int MOST_EVENTS_AT_ONCE = 256;

  @Spec CommandSpec spec;
  @Mixin ModelsOptions options;
  @Mixin ModelsVersionOptions version;
  @Mixin RowsOptions rows;
  @Mixin CacheOptions cache;

  @Parameters(arity = "1", paramLabel = "APPLICATION")
  String application;

  @Option(names = "--header", description = "Skip the first line, which names columns.")
  boolean header;

  private final List<Long> lines = new ArrayList<>();
  private final List<Sample> events = new ArrayList<>();
  private long unanswered;

  @Override
  public Integer call() throws IOException {
    PlainOrDl4jLoader loader = rows.loader();
    try (ModelsOptions.OpenModels open = options.open(true, cache)) {
      ModelReader models = open.reader();
      ModelCheckpoint checkpoint = version.find(models, application);
      SampleSchema schema = schema(models, checkpoint);
      SampleDecoder decoder = decoder(PublishedInput.of(checkpoint.manifest()), schema);
      Predictor model = loader.load(LoadRequest.of(models, checkpoint, null));
      try {
        predict(decoder, model, new Answers(schema.label(), checkpoint.manifest().version()));
      } finally {
        loader.dispose(model);
      }
    }
    return unanswered == 0 ? Terminal.OK : Terminal.FAILED;
  }

  private static SampleSchema schema(ModelReader models, ModelCheckpoint checkpoint)
      throws IOException {
    ModelArtifact artifact = new ModelArtifact(models.load(checkpoint));
    return ModelSpecJson.decode(artifact.file(ModelArtifact.SPEC_FILE)).schema().toPredict();
  }

  private static SampleDecoder decoder(PublishedInput input, SampleSchema schema) {
    return switch (input.format()) {
      // Records have no lines; the same fields are asked for in JSON.
      case JSON, AVRO, PROTOBUF -> new JsonSampleDecoder(schema, input.text().eventEncoding());
      case CSV -> new CsvSampleDecoder(schema, input.text());
      case CRITEO_TSV -> new CriteoTsvSampleDecoder(schema, input.text().eventEncoding());
      case BINARY ->
          throw new UsageException(
              "the application's events are binary, and not lines of text; use evaluate");
    };
  }

  private void predict(SampleDecoder decoder, Predictor model, Answers answers) throws IOException {
    LineRecordReader reader = LineRecordReader.of(System.in, "standard input");
    boolean titles = header;
    PrintWriter out = spec.commandLine().getOut();
    // Before the command waits for more lines, it answers those that it has.
    while (answered(reader, model, answers, out) && reader.next()) {
      if (titles) {
        titles = false;
        continue;
      }
      try {
        if (reader.record().length > LineRecordReader.LINE_BYTES_MAX) {
          throw new MalformedSampleException(
              "line", "it has more than %d bytes".formatted(LineRecordReader.LINE_BYTES_MAX));
        }
        events.add(decoder.decode(reader.record()));
        lines.add(reader.position());
      } catch (MalformedSampleException refused) {
        report(reader.position(), String.valueOf(refused.getMessage()));
      }
    }
  }

  private void report(long line, String reason) {
    unanswered++;
    PrintWriter err = spec.commandLine().getErr();
    err.printf("line %d: %s%n", line, reason);
    err.flush();
  }

  /**
   * Predicts the events that were read and prints the answers, if enough events were read or no
   * more input is waiting. Returns false if the output is closed.
   */
  private boolean answered(
      LineRecordReader reader, Predictor model, Answers answers, PrintWriter out)
      throws IOException {
    if (events.isEmpty() || (events.size() < MOST_EVENTS_AT_ONCE && reader.buffered())) {
      return true;
    }
    double[][] predictions = model.predict(events);
    for (int i = 0; i < predictions.length; i++) {
      int at = Predictor.firstNotFinite(predictions[i]);
      if (at >= 0) {
        report(
            lines.get(i), "version %d predicts %s".formatted(answers.version, predictions[i][at]));
      } else {
        out.println(answers.line(lines.get(i), events.get(i).id(), predictions[i]));
      }
    }
    events.clear();
    lines.clear();
    return !out.checkError();
  }

  /** Writes predictions as JSON. */
  private static final class Answers {
    private static final JsonFactory JSON = new JsonFactory();
    private final SampleSchema.Label label;
    private final long version;

    Answers(SampleSchema.Label label, long version) {
      this.label = label;
      this.version = version;
    }

    String line(long line, String id, double[] prediction) throws IOException {
      StringWriter text = new StringWriter();
      try (JsonGenerator json = JSON.createGenerator(text)) {
        json.writeStartObject();
        json.writeNumberField("line", line);
        if (!id.isEmpty()) {
          json.writeStringField("id", id);
        }
        json.writeNumberField("version", version);
        if (label.task() == SampleSchema.Task.REGRESSION) {
          json.writeNumberField("prediction", prediction[0]);
        } else {
          classes(json, prediction);
        }
        json.writeEndObject();
      }
      return text.toString();
    }

    private void classes(JsonGenerator json, double[] probabilities) throws IOException {
      int best = 0;
      for (int i = 1; i < probabilities.length; i++) {
        best = probabilities[i] > probabilities[best] ? i : best;
      }
      json.writeStringField("prediction", label.classes().get(best));
      json.writeObjectFieldStart("probabilities");
      for (int i = 0; i < probabilities.length; i++) {
        json.writeNumberField(label.classes().get(i), (float) probabilities[i]);
      }
      json.writeEndObject();
    }
  }
}
