package io.idlalayer.middleware.models.serve;

final class FolderSubscriberFaultsTest extends SubscriberFaultsContract {
  FolderSubscriberFaultsTest() {
    super(new FolderPlace());
  }
}
