package io.idlalayer.middleware.models.serve;

final class CachedSubscriberFaultsTest extends SubscriberFaultsContract {
  CachedSubscriberFaultsTest() {
    super(new CachedPlace());
  }
}
