package io.idlalayer.datacontroller.store;

final class InMemorySampleStoreTest extends SampleStoreContract {
  @Override
  protected SampleStore open() {
    return new InMemorySampleStore();
  }
}
