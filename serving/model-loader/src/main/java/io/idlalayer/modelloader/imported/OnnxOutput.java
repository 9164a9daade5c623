package io.idlalayer.modelloader.imported;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelloader.onnx.OnnxModel;
import io.idlalayer.modelloader.onnx.file.OnnxFile;
import io.idlalayer.modelloader.onnx.file.OnnxTensor;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the output of an ONNX file that has the predictions, and the names of its classes. A
 * classifier often has a second output for the most probable class.
 */
final class OnnxOutput {
  /** Operators that return the most probable class, or lead to it. */
  private static final Set<String> CHOOSING =
      Set.of("ArgMax", "ArrayFeatureExtractor", "LabelEncoder", "TopK", "Greater", "Where");

  private static final Set<String> PASSING =
      Set.of("Identity", "Cast", "Reshape", "Squeeze", "Unsqueeze", "Flatten");

  private final OnnxFile file;
  private final Map<String, OnnxFile.Node> madeBy = new HashMap<>();

  OnnxOutput(OnnxFile file) {
    this.file = file;
    file.nodes().forEach(node -> node.outputs().forEach(output -> madeBy.put(output, node)));
    // An output that is left out is not one that is left out as an input.
    madeBy.remove("");
  }

  /**
   * Returns the name of the output with the predictions.
   *
   * @throws UnimportableException if it is not clear which output has them
   */
  String predictions() throws UnimportableException {
    List<String> outputs =
        file.outputs().stream()
            .map(OnnxFile.Value::name)
            .filter(name -> !choosesClass(name))
            .toList();
    if (outputs.size() == 1) {
      return outputs.get(0);
    }
    List<String> named =
        outputs.stream()
            .filter(
                name ->
                    name.equals(OnnxModel.PREDICTION)
                        || name.toLowerCase(Locale.ROOT).contains("probabilit"))
            .toList();
    if (named.size() == 1) {
      return named.get(0);
    }
    throw new UnimportableException(
        "it has the outputs %s, and which of them are the predictions is not clear; keep one, or name one 'probabilities' or 'prediction'"
            .formatted(
                String.join(", ", file.outputs().stream().map(OnnxFile.Value::name).toList())));
  }

  private boolean choosesClass(String output) {
    String name = output;
    Set<String> seen = new HashSet<>();
    while (seen.add(name)) {
      OnnxFile.Node node = madeBy.get(name);
      if (node == null) {
        return false;
      }
      boolean label =
          Set.of("LinearClassifier", "SVMClassifier", "TreeEnsembleClassifier")
                  .contains(node.operator())
              && node.outputs().get(0).equals(name);
      if (label || CHOOSING.contains(node.operator())) {
        return true;
      }
      if (!PASSING.contains(node.operator())) {
        return false;
      }
      name = node.input(0);
    }
    return false;
  }

  /** Returns the nodes that the predictions need. */
  Set<OnnxFile.Node> needed(String output) {
    Set<OnnxFile.Node> needed = new HashSet<>();
    java.util.ArrayDeque<String> open = new java.util.ArrayDeque<>(List.of(output));
    Set<String> seen = new HashSet<>();
    while (!open.isEmpty()) {
      String name = open.pop();
      OnnxFile.Node node = madeBy.get(name);
      if (seen.add(name) && node != null && needed.add(node)) {
        open.addAll(node.inputs());
      }
    }
    return needed;
  }

  /**
   * Returns for each class of the application its place among the outputs, by the names of the
   * classes in the file. If the file has no names, or only the integers from 0 on, the classes have
   * the application's order.
   *
   * @throws UnimportableException if the file names other classes
   */
  int[] classes(SampleSchema.Label label) throws UnimportableException, MalformedModelException {
    List<String> own = label.classes();
    int[] inOrder = IntStream.range(0, own.size()).toArray();
    List<String> named = names();
    if (named == null) {
      return inOrder;
    }
    if (new HashSet<>(named).equals(new HashSet<>(own)) && named.size() == own.size()) {
      return own.stream().mapToInt(named::indexOf).toArray();
    }
    List<String> numbered = Arrays.stream(inOrder).mapToObj(Integer::toString).toList();
    if (named.equals(numbered)) {
      return inOrder;
    }
    throw new UnimportableException(
        "its classes are %s, and those of the application are %s"
            .formatted(String.join(", ", named), String.join(", ", own)));
  }

  /** Returns the names of the classes in the order of the outputs; null if there are none. */
  private @Nullable List<String> names() throws MalformedModelException {
    String own = file.metadata().get("classes");
    if (OnnxInputs.own(file) && own != null) {
      return List.of(own.split("\n", -1));
    }
    for (OnnxFile.Node node : file.nodes()) {
      for (String attribute :
          List.of("classlabels_strings", "classlabels_int64s", "classlabels_ints")) {
        long[] numbers = node.integers(attribute);
        if (!node.texts(attribute).isEmpty()) {
          return node.texts(attribute);
        } else if (numbers != null && numbers.length > 0) {
          return Arrays.stream(numbers).mapToObj(Long::toString).toList();
        }
      }
      OnnxTensor labels =
          node.operator().equals("ArrayFeatureExtractor")
              ? file.constants().get(node.input(0))
              : null;
      if (labels != null && labels.type() == OnnxTensor.STRING) {
        return labels.texts();
      } else if (labels != null) {
        return Arrays.stream(labels.numbers())
            .mapToObj(each -> Long.toString((long) each))
            .toList();
      }
    }
    return null;
  }
}
