package io.idlalayer.middleware.models.serve;

final class FolderSubscriberVersionsTest extends SubscriberVersionsContract {
  FolderSubscriberVersionsTest() {
    super(new FolderPlace());
  }
}
