package io.idlalayer.middleware.embedding;

final class VectorRowLoopsPropertyTest extends RowLoopsContract {
  VectorRowLoopsPropertyTest() {
    super(TestLoops.VECTOR);
  }
}
