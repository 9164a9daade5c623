package io.idlalayer.middleware.embedding.loops;

final class PlainRowLoopsPropertyTest extends RowLoopsContract {
  PlainRowLoopsPropertyTest() {
    super(TestLoops.PLAIN);
  }
}
