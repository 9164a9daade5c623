package io.idlalayer.middleware.models.serve;

final class FolderSubscriberLeasesTest extends SubscriberLeasesContract {
  FolderSubscriberLeasesTest() {
    super(new FolderPlace());
  }
}
