package io.idlalayer.jobs.settings.change;

import com.fasterxml.jackson.databind.JsonNode;
import io.idlalayer.jobs.settings.SettingsIdentity;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.sample.HashKey;
import io.idlalayer.middleware.sample.RowIndex;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the specification of a {@link SettingsIdentity}: features, classes, id features and
 * embedding tables.
 */
final class IdentitySpec {
  /** Stands for a secret key of which the identity contains only a name. */
  private static final HashKey ANOTHER = new HashKey(-1, -1);

  private IdentitySpec() {}

  /**
   * Returns the specification of an identity: the specification of the present settings, with its
   * values replaced by the values of the identity.
   *
   * @throws IllegalArgumentException if the identity does not name features, or is damaged
   */
  static ModelSpec of(SettingsIdentity identity, ModelSpec now) {
    return new ModelSpec(
        identity.schemaLike(now.schema()).withIds(features(identity, now)),
        now.network(),
        now.fit(),
        now.standardize(),
        embeddings(identity, now),
        now.loss());
  }

  /**
   * Returns the id features of an identity. An identity stores only the name of a hash key. The key
   * itself comes from the present settings, if their key has this name.
   */
  private static List<IdFeature> features(SettingsIdentity identity, ModelSpec now) {
    Map<String, RowIndex> indices = new HashMap<>();
    for (JsonNode table : elements(identity.value(SettingsIdentity.TABLES))) {
      for (String name : users(table)) {
        indices.put(name, index(table, keyNow(name, now)));
      }
    }
    List<IdFeature> features = new ArrayList<>();
    for (JsonNode entry : elements(identity.value(SettingsIdentity.IDS))) {
      String name = entry.path("name").asText();
      features.add(
          new IdFeature(
              name, entry.path("at-most").asInt(), indices.getOrDefault(name, RowIndex.OPEN)));
    }
    return features;
  }

  private static HashKey keyNow(String feature, ModelSpec now) {
    return now.schema().ids().stream()
        .filter(each -> each.name().equals(feature))
        .map(each -> each.index().key())
        .findFirst()
        .orElse(HashKey.NONE);
  }

  private static RowIndex index(JsonNode table, HashKey now) {
    JsonNode named = table.get("id-key");
    HashKey key = HashKey.NONE;
    if (named != null) {
      key = SettingsIdentity.named(now).equals(named.asText()) ? now : ANOTHER;
    }
    return table.has("rows")
        ? new RowIndex(
            RowIndex.Kind.valueOf(constant(table.path("index").asText())),
            table.path("rows").asInt())
        : new RowIndex(RowIndex.Kind.OPEN, 0, key);
  }

  /** Returns the tables of an identity. Their rows learn with the present settings. */
  private static ModelSpec.Embeddings embeddings(SettingsIdentity identity, ModelSpec now) {
    Map<String, IdPooling> pooling = new HashMap<>();
    for (JsonNode entry : elements(identity.value(SettingsIdentity.POOLING))) {
      pooling.put(
          entry.path("name").asText(), IdPooling.valueOf(constant(entry.path("by").asText())));
    }
    List<ModelSpec.Table> tables = new ArrayList<>();
    Map<String, ModelSpec.Use> uses = new HashMap<>();
    for (JsonNode table : elements(identity.value(SettingsIdentity.TABLES))) {
      for (String name : users(table)) {
        IdPooling by = pooling.getOrDefault(name, poolingNow(name, now));
        uses.put(name, new ModelSpec.Use(tables.size(), by));
      }
      tables.add(new ModelSpec.Table(table.path("name").asText(), table.path("dim").asInt()));
    }
    if (tables.isEmpty()) {
      return ModelSpec.Embeddings.NONE;
    }
    List<ModelSpec.Use> inOrder = new ArrayList<>();
    for (JsonNode entry : elements(identity.value(SettingsIdentity.IDS))) {
      ModelSpec.Use use = uses.get(entry.path("name").asText());
      if (use == null) {
        throw new IllegalArgumentException(
            "the settings' identity has no table for the ids of " + entry.path("name").asText());
      }
      inOrder.add(use);
    }
    ModelSpec.RowFit fit = now.embeddings().fit();
    JsonNode updater = identity.value(SettingsIdentity.ROW_UPDATER);
    return new ModelSpec.Embeddings(
        tables,
        inOrder,
        new ModelSpec.RowFit(
            updater == null ? fit.updater() : RowUpdater.valueOf(constant(updater.asText())),
            fit.learningRate(),
            fit.initialScale()));
  }

  /**
   * Returns the present pooling of a feature with one id, for which pooling makes no difference.
   */
  private static IdPooling poolingNow(String feature, ModelSpec now) {
    for (int i = 0; i < now.schema().ids().size(); i++) {
      if (now.schema().ids().get(i).name().equals(feature)) {
        return now.embeddings().uses().get(i).pooling();
      }
    }
    return IdPooling.SUM;
  }

  private static List<String> users(JsonNode table) {
    List<String> users = new ArrayList<>();
    table.path("features").forEach(each -> users.addAll(SettingsIdentity.namesOf(each)));
    return users;
  }

  private static Iterable<JsonNode> elements(@Nullable JsonNode list) {
    return list == null ? List.of() : list;
  }

  private static String constant(String name) {
    return name.replace('-', '_').toUpperCase(Locale.ROOT);
  }
}
