package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.manifest.Alias;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.storage.ModelSource;
import io.idlalayer.middleware.models.store.ModelReader.Damage;
import io.idlalayer.middleware.models.store.ModelReader.Scrutiny;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Looks for damaged files of one application partition. For one thread. */
final class DamageSearch {
  private final ModelReader reader;
  private final ModelSource source;
  private final ApplicationPartition of;
  private final Scrutiny scrutiny;
  private final List<String> others = new ArrayList<>();

  /**
   * @param source from which the reader reads
   */
  DamageSearch(ModelReader reader, ModelSource source, ApplicationPartition of, Scrutiny scrutiny) {
    this.reader = reader;
    this.source = source;
    this.of = of;
    this.scrutiny = scrutiny;
  }

  /** Looks once for damage and returns what was found. */
  Damage search() throws IOException {
    SortedMap<Long, String> versions = damagedVersions();
    addOnce(() -> reader.current(of.application(), of.partition()));
    addOnce(() -> reader.serving(of.application(), of.partition()));
    addOnce(this::checkAliases);
    others.removeAll(versions.values());
    return new Damage(versions, others);
  }

  private SortedMap<Long, String> damagedVersions() throws IOException {
    SortedMap<Long, String> damage = new TreeMap<>();
    for (long version : source.versions(of)) {
      try {
        check(reader.read(of.application(), of.partition(), version));
      } catch (CorruptModelException damaged) {
        if (source.versions(of).contains(version)) {
          damage.put(version, String.valueOf(damaged.getMessage()));
        }
      }
    }
    return damage;
  }

  private void check(ModelCheckpoint checkpoint) throws IOException {
    switch (scrutiny) {
      case LENGTHS -> reader.files().checkNamesAndLengths(checkpoint);
      case CONTENTS -> reader.files().verify(checkpoint);
    }
    // The rows of the other versions of the chain are verified with those versions.
    if (!reader.chain(checkpoint).isEmpty() && scrutiny == Scrutiny.CONTENTS) {
      reader.files().verifyRows(checkpoint);
    }
  }

  /** A check that throws {@link CorruptModelException} if it finds damage. */
  private interface Check {
    void run() throws IOException;
  }

  private void addOnce(Check check) throws IOException {
    try {
      check.run();
    } catch (CorruptModelException damaged) {
      String problem = String.valueOf(damaged.getMessage());
      if (!others.contains(problem)) {
        others.add(problem);
      }
    }
  }

  private void checkAliases() throws IOException {
    for (Map.Entry<String, Alias> each : aliases().entrySet()) {
      String name = each.getKey();
      try {
        reader.manifests().aliased(of, name, each.getValue());
      } catch (CorruptModelException damaged) {
        // An alias that was moved to another version meanwhile does not count as damage.
        if (each.getValue().equals(aliases().get(name))) {
          throw new CorruptModelException(
              "the version with the alias '%s': %s".formatted(name, damaged.getMessage()));
        }
      }
    }
  }

  private SortedMap<String, Alias> aliases() throws IOException {
    return reader.aliases(of.application(), of.partition());
  }
}
