package io.idlalayer.jobs.packaging;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.MapperConfig;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.kubernetes.operator.api.FlinkDeployment;

/** Documents for Kubernetes, read with the classes of those who read them, and more strictly. */
final class KubernetesDocuments {
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

  private static final Map<String, Class<?>> KINDS =
      Map.of(
          "ConfigMap", ConfigMap.class,
          "Service", Service.class,
          "Deployment", Deployment.class,
          "FlinkDeployment", FlinkDeployment.class);

  private static final ObjectMapper STRICT =
      new ObjectMapper()
          .setAnnotationIntrospector(new NoOtherKeys())
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  private KubernetesDocuments() {}

  /** Refuses each key that a class does not have; as they are, these classes take any. */
  private static final class NoOtherKeys extends JacksonAnnotationIntrospector {
    private static final long serialVersionUID = 1L;

    @Override
    public Boolean hasAnySetter(Annotated annotated) {
      return false;
    }

    @Override
    public JsonIgnoreProperties.Value findPropertyIgnoralByName(
        MapperConfig<?> config, Annotated annotated) {
      return JsonIgnoreProperties.Value.empty();
    }
  }

  /** The documents of a YAML text. */
  static List<ObjectNode> parse(String yaml) throws IOException {
    List<ObjectNode> documents = new ArrayList<>();
    YAML.readerFor(ObjectNode.class).<ObjectNode>readValues(yaml).forEachRemaining(documents::add);
    return documents;
  }

  /** Reads a document; refuses each key that its class does not have. */
  static Object read(ObjectNode document) throws JsonProcessingException {
    ObjectNode known = document.deepCopy();
    if (document.get("kind").asText().equals("FlinkDeployment")) {
      // The operator knows 2.3; the newest release on the registry does not.
      ((ObjectNode) known.get("spec")).put("flinkVersion", "v1_20");
    }
    return STRICT.treeToValue(known, KINDS.get(document.get("kind").asText()));
  }
}
