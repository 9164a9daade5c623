package io.idlalayer.middleware.models.serve;

final class CachedSubscriberLeasesTest extends SubscriberLeasesContract {
  CachedSubscriberLeasesTest() {
    super(new CachedPlace());
  }
}
