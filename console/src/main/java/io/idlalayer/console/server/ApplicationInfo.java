package io.idlalayer.console.server;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelruntime.artifact.ModelSpec.Network;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Facts about an application that the page does not learn from events.
 *
 * @param task classification or regression; "" if only events are known
 * @param weight sample-seconds of waiting that one second of training is worth
 * @param machinePricePerSecond price in money, null if the application file does not say
 * @param stalenessPricePerSampleSecond price in money, null if the application file has none
 * @param tables whether the model has embedding tables
 * @param tensorFastBytes bytes of DRAM for tensors in training; 0 if tensors are not placed
 * @param metric metric that warnings and overviews use; "" if only events are known
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
record ApplicationInfo(
    String name,
    int partitions,
    String task,
    List<String> classes,
    String modelType,
    String rule,
    double weight,
    @Nullable Double machinePricePerSecond,
    @Nullable Double stalenessPricePerSampleSecond,
    String score,
    boolean tables,
    long tensorFastBytes,
    long hotBytes,
    String gateAction,
    String metric,
    long maxSamples,
    int keep) {

  /** Reads the facts from an application file. */
  static ApplicationInfo of(ApplicationSettings application) {
    SampleSchema.Label label = application.input().schema().label();
    UpdateSettings update = application.update();
    double price = update.machinePricePerSecond();
    return new ApplicationInfo(
        application.name(),
        application.partitions(),
        key(label.task()),
        label.classes(),
        type(application.model().network()),
        update.rule().key(),
        update.weight(),
        price > 0 ? Double.valueOf(price) : null,
        price > 0 ? Double.valueOf(price / update.weight()) : null,
        key(application.data().staging().score()),
        !application.input().schema().ids().isEmpty(),
        application.memory().tensors().fastBytes(),
        application.memory().hotBytes(),
        key(application.publishing().gate().action()),
        application.metric().key(),
        application.data().maxSamples(),
        application.publishing().keep());
  }

  /** Facts of an application of which only recorded events are known. */
  static ApplicationInfo unknown(String name) {
    return new ApplicationInfo(
        name, 1, "", List.of(), "", "", 0, null, null, "", false, 0, 0, "", "", 0, 0);
  }

  private static String key(Enum<?> name) {
    return name.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static String type(Network network) {
    if (network instanceof Network.Mlp) {
      return "mlp";
    } else if (network instanceof Network.Cnn) {
      return "cnn";
    } else if (network instanceof Network.Dlrm) {
      return "dlrm";
    } else if (network instanceof Network.WideAndDeep) {
      return "wide-and-deep";
    }
    return network instanceof Network.SameDiffGraph ? "samediff" : "dl4j-json";
  }
}
