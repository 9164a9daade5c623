package io.idlalayer.datacontroller.store;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.ContentHash;
import org.junit.jupiter.api.Test;

final class InMemorySampleStoreTest extends SampleStoreContract {
  @Override
  protected SampleStore open() {
    return new InMemorySampleStore();
  }

  /** Tests that use this store find callers that write metadata of what is not stored. */
  @Test
  void updateMetadata_unknownId_isNamed() {
    SampleMetadata some =
        SampleMetadata.newborn(new SampleIdentity(new ContentHash(1, 2), 0, 1, 0f), 1, 0);
    SampleStore store = open();
    assertThatThrownBy(() -> store.updateMetadata(MetadataBatch.of(42, some)))
        .isInstanceOf(SampleStoreException.class)
        .hasMessageContaining("42");
  }
}
