package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import java.io.IOException;
import java.util.Set;

/** Thrown if no version has this alias now. */
public final class UnknownAliasException extends IOException {
  private static final long serialVersionUID = 1;

  UnknownAliasException(ApplicationPartition of, String alias, Set<String> known) {
    super(
        "%s has no alias '%s'; %s"
            .formatted(
                of,
                alias,
                known.isEmpty()
                    ? "no version of it has one (`idla models alias` gives one)"
                    : "its aliases are " + String.join(", ", known)));
  }
}
