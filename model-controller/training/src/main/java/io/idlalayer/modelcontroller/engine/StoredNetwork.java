package io.idlalayer.modelcontroller.engine;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.modelcontroller.engine.compile.UncompilableException;
import io.idlalayer.modelcontroller.engine.compile.WrongConfigurationException;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelcontroller.engine.configuration.ConfigurationJson;
import io.idlalayer.modelcontroller.engine.configuration.FitChange;
import io.idlalayer.modelcontroller.engine.configuration.InitialNetwork;
import io.idlalayer.modelcontroller.engine.configuration.InitialParameters;
import io.idlalayer.modelcontroller.engine.kernel.layer.Loss;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.StoredArray;
import io.idlalayer.modelruntime.artifact.ZipEntries;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A network of a specification with all numbers that its file contains.
 *
 * @param form form of the file
 * @param values parameters, updater state and count of iterations
 */
record StoredNetwork(NetworkForm form, NetworkForm.Values values) {

  /**
   * Returns the form of a new network's file.
   *
   * @param errorsFrom index of the first input value for which a training returns errors
   * @throws UncompilableException with the reason if the engine cannot train it
   * @throws IllegalArgumentException if the network cannot be built
   */
  static NetworkForm form(ModelSpec spec, int errorsFrom) throws UncompilableException {
    NetworkForm form = form(spec, configuration(spec, 1), errorsFrom);
    var unused = InitialParameters.of(form.network(), form.plan());
    return form;
  }

  /**
   * Returns a freshly initialised network.
   *
   * @param errorsFrom index of the first input value for which a training returns errors
   * @throws UncompilableException with the reason if the engine cannot train it
   * @throws IllegalArgumentException if the network cannot be built
   */
  static StoredNetwork create(ModelSpec spec, long seed, int errorsFrom)
      throws UncompilableException {
    NetworkForm form = form(spec, configuration(spec, seed), errorsFrom);
    float[] parameters = InitialParameters.of(form.network(), form.plan()).draw(seed);
    float[] state = new float[form.plan().stateLength()];
    return new StoredNetwork(form, new NetworkForm.Values(parameters, state, 0));
  }

  private static ObjectNode configuration(ModelSpec spec, long seed) throws UncompilableException {
    refuseSameDiff(spec);
    return InitialNetwork.configuration(spec, seed);
  }

  /**
   * Returns the network in the entries of a file. It continues training by the present
   * specification, so a changed learning rate or penalty takes effect.
   *
   * @param entries entries of the zip by name
   * @param errorsFrom index of the first input value for which a training returns errors
   * @throws MalformedModelException if the file is damaged, or its parts do not belong together
   * @throws UncompilableException with the reason if the engine cannot train the network, or the
   *     network is not of the specification
   */
  static StoredNetwork decode(ModelSpec spec, Map<String, byte[]> entries, int errorsFrom)
      throws MalformedModelException, UncompilableException {
    NetworkForm form = form(spec, entries, errorsFrom);
    NetworkPlan plan = form.plan();
    float[] state = array(entries, ModelArtifact.UPDATER_STATE_ENTRY);
    if (state.length != plan.stateLength()) {
      throw new MalformedModelException(
          String.format(
              Locale.ROOT,
              "model.zip: the updater has %d numbers of state, but %d are stored",
              plan.stateLength(),
              state.length));
    }
    return new StoredNetwork(
        form,
        new NetworkForm.Values(parameters(plan, entries), state, form.network().iterations()));
  }

  /**
   * Returns the network in the entries of a file, for predictions only: without updater state.
   *
   * @param entries entries of the zip by name
   * @throws MalformedModelException if the file is damaged, or its parts do not belong together
   * @throws UncompilableException with the reason if the engine does not know the network, or the
   *     network is not of the specification
   */
  static StoredNetwork decodeToPredict(ModelSpec spec, Map<String, byte[]> entries, int errorsFrom)
      throws MalformedModelException, UncompilableException {
    NetworkForm form = form(spec, entries, errorsFrom);
    return new StoredNetwork(
        form,
        new NetworkForm.Values(
            parameters(form.plan(), entries), new float[0], form.network().iterations()));
  }

  private static NetworkForm form(ModelSpec spec, Map<String, byte[]> entries, int errorsFrom)
      throws MalformedModelException, UncompilableException {
    refuseSameDiff(spec);
    byte[] text = ZipEntries.required(entries, ModelArtifact.CONFIGURATION_ENTRY);
    ObjectNode configuration = ConfigurationJson.parse(new String(text, StandardCharsets.UTF_8));
    if (!(spec.network() instanceof ModelSpec.Network.Dl4jJson)) {
      FitChange.apply(configuration, spec.fit());
    }
    return form(spec, configuration, errorsFrom);
  }

  private static void refuseSameDiff(ModelSpec spec) throws UncompilableException {
    if (spec.network() instanceof ModelSpec.Network.SameDiffGraph) {
      throw new UncompilableException("the network is a SameDiff graph");
    }
  }

  private static NetworkForm form(ModelSpec spec, ObjectNode configuration, int errorsFrom)
      throws UncompilableException {
    NetworkForm form = NetworkForm.of(configuration, spec.inputWidth(), errorsFrom);
    if (form.plan().outputs() != spec.networkOutputs()) {
      throw new WrongConfigurationException(
          String.format(
              Locale.ROOT,
              "layer '%s' of the DL4J configuration must be an output layer with %d outputs, as the"
                  + " label asks for, and has %d",
              form.plan().output().name(),
              spec.networkOutputs(),
              form.plan().outputs()));
    }
    if (form.plan().output().loss() instanceof Loss.OfTargets targets
        && !targets.loss().equals(spec.loss())) {
      throw new UncompilableException(
          "layer '%s' of the DL4J configuration has the loss %s, and the specification has %s"
              .formatted(form.plan().output().name(), targets.loss(), spec.loss()));
    }
    return form;
  }

  private static float[] parameters(NetworkPlan plan, Map<String, byte[]> entries)
      throws MalformedModelException, UncompilableException {
    var unused = ZipEntries.required(entries, ModelArtifact.COEFFICIENTS_ENTRY);
    float[] parameters = array(entries, ModelArtifact.COEFFICIENTS_ENTRY);
    if (parameters.length != plan.parameterLength()) {
      throw new MalformedModelException(
          String.format(
              Locale.ROOT,
              "model.zip: the network has %d parameters, but %d are stored",
              plan.parameterLength(),
              parameters.length));
    }
    return parameters;
  }

  /** Returns the numbers of an array; an empty array if the file does not contain it. */
  private static float[] array(Map<String, byte[]> entries, String name)
      throws MalformedModelException, UncompilableException {
    byte @Nullable [] content = entries.get(name);
    if (content == null) {
      return new float[0];
    }
    ByteBuffer in = ByteBuffer.wrap(content);
    StoredArray array = StoredArray.read(in, name);
    StoredArray.checkEnd(in, name);
    float[] values = array.floats();
    if (values == null) {
      throw new UncompilableException("numbers of type DOUBLE are not known, only FLOAT");
    }
    return values;
  }
}
