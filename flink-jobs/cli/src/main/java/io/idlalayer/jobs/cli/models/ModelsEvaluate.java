package io.idlalayer.jobs.cli.models;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.jobs.produce.Inputs;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.terminal.Applications;
import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.jobs.topics.SampleDecoders;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.file.UnreadableFileException;
import io.idlalayer.middleware.sample.format.RecordReader;
import io.idlalayer.middleware.sample.format.SampleDecoder;
import io.idlalayer.modelcontroller.evaluation.ContextEvaluation;
import io.idlalayer.modelcontroller.evaluation.HoldoutEvaluation;
import io.idlalayer.modelcontroller.quality.QualityMetric;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelloader.serve.Dl4jModelLoader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Tests a published model on a labelled file. */
@Command(
    name = "evaluate",
    description = "Tests a published model on a file with labels and prints the result as JSON.")
final class ModelsEvaluate implements Callable<Integer> {
  private static final int CHUNK = 512;

  @Spec CommandSpec spec;
  @Mixin ModelsOptions options;
  @Mixin ModelsVersionOptions version;

  @Parameters(arity = "1", paramLabel = "APP.yaml", description = "Application file.")
  Path file;

  @Option(names = "--input", required = true, paramLabel = "FILE", description = "Labelled file.")
  Path input;

  private long malformed;
  private String firstMalformed = "";
  private long unlabeled;

  @Override
  public Integer call() throws IOException {
    ApplicationSettings application = Applications.read(List.of(file)).get(0);
    try (ModelsOptions.OpenModels open = options.open(true)) {
      evaluate(open.reader(), Inputs.toRead(input, application));
    }
    return Terminal.OK;
  }

  private void evaluate(ModelReader models, ApplicationSettings application) throws IOException {
    ModelCheckpoint checkpoint = version.find(models, application.name());
    Dl4jModel model = new Dl4jModelLoader().load(models, checkpoint);
    try (RecordReader reader = Inputs.open(input, application)) {
      // These are the features as the version defines them; the application file may have changed
      // since.
      ApplicationSettings.Input own = application.input().with(model.spec().schema());
      HoldoutEvaluation evaluation =
          new HoldoutEvaluation(model, own.schema().label(), model.spec().loss().level());
      ContextEvaluation inContext =
          own.schema().history() == null ? null : new ContextEvaluation(model, model.spec());
      evaluate(reader, own, evaluation, inContext);
      sayMalformed(evaluation.result().samples());
      if (evaluation.result().samples() == 0) {
        throw new IOException(
            String.format(
                Locale.ROOT,
                "%s has no event that could be tested: %,d are malformed, and %,d have no label",
                input,
                malformed,
                unlabeled));
      }
      print(
          checkpoint,
          application.metric(),
          evaluation.result(),
          inContext == null ? null : inContext.result());
    } catch (UnreadableFileException damaged) {
      throw damaged.adding("no result is printed, because only a part of the file was tested");
    } finally {
      model.close();
    }
  }

  private void sayMalformed(long samples) {
    if (malformed > 0) {
      PrintWriter err = spec.commandLine().getErr();
      err.printf(
          Locale.ROOT,
          "%s: %,d of %,d events are malformed and were not tested; the first is %s%n",
          input,
          malformed,
          malformed + unlabeled + samples,
          firstMalformed);
      err.flush();
    }
  }

  private void evaluate(
      RecordReader reader,
      ApplicationSettings.Input own,
      HoldoutEvaluation evaluation,
      @Nullable ContextEvaluation inContext)
      throws IOException {
    SampleDecoder decoder = SampleDecoders.of(own);
    List<Sample> chunk = new ArrayList<>(CHUNK);
    while (reader.next()) {
      try {
        Sample sample = decoder.decode(reader.record());
        if (sample.labeled()) {
          chunk.add(sample);
        } else {
          unlabeled++;
        }
        if (inContext != null && !own.schema().lacksKey(sample)) {
          inContext.add(sample);
        }
      } catch (MalformedSampleException refused) {
        if (malformed++ == 0) {
          String place = reader.place();
          firstMalformed =
              (place.isEmpty() ? "event " + reader.position() : place)
                  + ": "
                  + refused.getMessage();
        }
      }
      if (chunk.size() == CHUNK) {
        evaluation.add(chunk);
        chunk.clear();
      }
    }
    if (!chunk.isEmpty()) {
      evaluation.add(chunk);
    }
  }

  private void print(
      ModelCheckpoint checkpoint,
      QualityMetric metric,
      HoldoutEvaluation.Result result,
      HoldoutEvaluation.@Nullable Result inContext)
      throws IOException {
    ObjectMapper json =
        new ObjectMapper().setDefaultPropertyInclusion(JsonInclude.Include.NON_NULL);
    ObjectNode node = json.createObjectNode();
    node.put("application", checkpoint.manifest().application());
    node.put("version", checkpoint.manifest().version());
    node.put("samples", result.samples());
    node.put("malformed", malformed);
    node.put("unlabeled", unlabeled);
    node.put("metric", metric.key());
    addQuality(node, result, json);
    if (inContext != null) {
      addQuality(node.putObject("withContext"), inContext, json);
    }
    spec.commandLine().getOut().println(json.writeValueAsString(node));
  }

  private static void addQuality(
      ObjectNode node, HoldoutEvaluation.Result result, ObjectMapper json) {
    node.put("meanLoss", result.meanLoss());
    node.put("notFinite", result.notFinite());
    if (result.classification() != null) {
      node.setAll(json.<ObjectNode>valueToTree(result.classification()));
    } else {
      node.setAll(json.<ObjectNode>valueToTree(result.regression()));
    }
  }
}
